// A moment: relative when fresh, with the exact time and zone on hover.
import { exactly, when } from './format.ts'

export function Time({ at }: { at: string | number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {when(at)}
    </time>
  )
}
