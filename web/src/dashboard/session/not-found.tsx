// An address that no screen answers.
import { PageHead } from '../parts/page.tsx'

export function NotFound() {
  return (
    <>
      <PageHead title="There is no such page" lead="The address may be old, or the session may have been deleted." />
      <p>
        <a href="/dashboard">Go to your sessions</a>
      </p>
    </>
  )
}
