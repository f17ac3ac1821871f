// The frame of /docs: contents at the side, one column of text. The body is HTML made and escaped by src/docs; the renderer puts it
// in place of `<docs-body>`, so that no component ever sets inner HTML.
import { h } from 'preact'
import type { DocLink, PageProps } from '../server/types.ts'
import type { FrameProps } from './page-frame.tsx'
import { PageFrame, text } from './page-frame.tsx'

export function DocsPage({ page, strings, contents, path, markdownUrl, query = '' }: FrameProps & Omit<PageProps['docs'], 'body'>) {
  return (
    <PageFrame page={page} strings={strings}>
      <div class="docs">
        <form class="docs-search" action="/docs/search" role="search">
          <input
            type="search"
            name="q"
            value={query}
            aria-label={text(strings, 'page.search')}
            placeholder={text(strings, 'page.search')}
            maxLength={200}
          />
        </form>
        <a class="docs-jump" href="#contents">
          {text(strings, 'page.contents')}
        </a>
        <article class="docs-body">
          {h('docs-body', null)}
          {markdownUrl !== undefined && (
            <p class="small">
              <a href={markdownUrl}>{text(strings, 'page.markdown')}</a>
            </p>
          )}
        </article>
        <nav id="contents" class="docs-contents" aria-label={text(strings, 'page.contents')}>
          {contents.map(({ title, links }) => (
            <section key={title}>
              <h2>{title}</h2>
              <Links links={links} path={path} />
            </section>
          ))}
        </nav>
      </div>
    </PageFrame>
  )
}

function Links({ links, path }: { links: readonly DocLink[]; path: string }) {
  return (
    <ul>
      {links.map((link) => (
        <li key={link.href}>
          <a href={link.href} aria-current={link.href === path ? 'page' : undefined}>
            {link.title}
          </a>
          {link.children && <Links links={link.children} path={path} />}
        </li>
      ))}
    </ul>
  )
}
