// The frame of every page without script: mark, links, main, foot.
import type { ComponentChildren } from 'preact'
import type { Messages } from '../ui/words.ts'
import { BrandMark } from '../ui/brand-mark.tsx'
import type { PageContext } from '../server/types.ts'

export interface FrameProps {
  page: PageContext
  strings: Messages
}

interface Framed extends FrameProps {
  narrow?: boolean
  /** For people who attend: what they keep of a talk, with its host's brand and without ways into the service. */
  isOfTalk?: boolean
  /** One thing to do and nowhere else to go: no links but the mark. */
  isAlone?: boolean
  children: ComponentChildren
}

export function PageFrame({ page, strings, narrow, isOfTalk, isAlone, children }: Framed) {
  return (
    <div class={isAlone ? 'page page-alone' : 'page'}>
      <a class="skip" href="#main">
        {text(strings, 'page.skip')}
      </a>
      <header class="page-header">
        {isOfTalk ? (
          <p class="page-mark">
            <PageMark page={page} />
          </p>
        ) : (
          <>
            <a class="page-mark" href="/">
              <PageMark page={page} />
            </a>
            {!isAlone && (
              <nav class="page-nav" aria-label={text(strings, 'page.home')}>
                <a href="/docs">{text(strings, 'page.docs')}</a>
                <a href="/dashboard">{text(strings, 'page.dashboard')}</a>
              </nav>
            )}
          </>
        )}
      </header>
      <main id="main" class={narrow ? 'page-main page-narrow' : 'page-main'} tabIndex={-1}>
        {children}
      </main>
      {isOfTalk && page.brand?.hideFooter !== true && (
        <footer class="page-footer small">
          <a href="/">{text(strings, 'page.made_with').replace('{service}', page.siteTitle)}</a>
        </footer>
      )}
    </div>
  )
}

/** Whose page it is: the host, where they have a brand. */
function PageMark({ page: { brand, siteTitle } }: Pick<FrameProps, 'page'>) {
  if (brand?.logoUrl !== undefined || brand?.name !== undefined) return <BrandMark brand={brand} />
  return (
    <>
      <Mark />
      <bdi>{siteTitle}</bdi>
    </>
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

/** Words with elements in the places of `{name}`. */
export function filled(words: string, parts: Readonly<Record<string, ComponentChildren>>): ComponentChildren[] {
  return words.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? part : parts[part]))
}
