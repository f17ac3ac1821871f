// The dashboard before its script: an empty root, and words for who has no script.
import { text } from './page-frame.tsx'
import type { FrameProps } from './page-frame.tsx'

export function DashboardShell({ strings }: FrameProps) {
  return (
    <>
      <div id="app" />
      <noscript>
        <p class="note">{text(strings, 'page.no_script')}</p>
      </noscript>
    </>
  )
}
