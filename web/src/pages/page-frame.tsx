// The frame of every page without script: mark, links, main, foot.
import type { ComponentChildren } from 'preact'
import type { Messages } from '../ui/words.ts'
import type { PageContext } from '../server/types.ts'

export interface FrameProps {
  page: PageContext
  strings: Messages
}

export function PageFrame({ page, strings, narrow, children }: FrameProps & { narrow?: boolean; children: ComponentChildren }) {
  return (
    <div class="page">
      <a class="skip" href="#main">
        {text(strings, 'page.skip')}
      </a>
      <header class="page-header">
        <a class="page-mark" href="/">
          <Mark />
          <bdi>{page.siteTitle}</bdi>
        </a>
        <nav class="page-nav" aria-label={text(strings, 'page.home')}>
          <a href="/docs">{text(strings, 'page.docs')}</a>
          <a href="/dashboard">{text(strings, 'page.dashboard')}</a>
        </nav>
      </header>
      <main id="main" class={narrow ? 'page-main page-narrow' : 'page-main'} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** A slide and its thread. */
function Mark() {
  return (
    <svg viewBox="0 0 32 24" aria-hidden="true">
      <rect class="mark-slide" x="2" y="2" width="28" height="14" rx="2" />
      <rect class="mark-live" x="1" y="20" width="12" height="3" />
      <rect class="mark-rest" x="15" y="20" width="7" height="3" />
      <rect class="mark-rest" x="24" y="20" width="7" height="3" />
    </svg>
  )
}

/** Page words have no plurals. */
export function text(strings: Messages, key: keyof Messages): string {
  const message = strings[key]
  return typeof message === 'string' ? message : message.other
}
