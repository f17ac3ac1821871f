// The front page: what this is, the demo, the dashboard, the docs, where agents connect, which talks are open.
import { buttonClass } from '../ui/button.tsx'
import type { PageProps } from '../server/types.ts'
import type { FrameProps } from './page-frame.tsx'
import { PageFrame, text } from './page-frame.tsx'

export function HomePage({ page, strings, demoUrl, mcpUrl, talks }: FrameProps & PageProps['home']) {
  return (
    <PageFrame page={page} strings={strings}>
      <div class="home">
        <div class="home-hero">
          <h1>{text(strings, 'page.tagline')}</h1>
          <p class="prose">{text(strings, 'page.what')}</p>
          <div class="actions">
            {demoUrl !== null && (
              <a class={buttonClass('primary')} href={demoUrl}>
                {text(strings, 'page.demo')}
              </a>
            )}
            <a class={buttonClass('plain')} href="/dashboard">
              {text(strings, 'page.dashboard')}
            </a>
          </div>
        </div>
        <div class="home-columns">
          <section>
            <h2>{text(strings, 'page.talks')}</h2>
            {talks.length === 0 ? (
              <p class="muted">{text(strings, 'page.no_talks')}</p>
            ) : (
              <ul class="talks">
                {talks.map((talk) => (
                  <li key={talk.joinUrl}>
                    <a href={talk.joinUrl}>
                      <bdi>{talk.title}</bdi>
                    </a>
                    {talk.description && (
                      <span class="small muted">
                        <bdi>{talk.description}</bdi>
                      </span>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </section>
          <section>
            <h2>{text(strings, 'page.mcp')}</h2>
            <p class="muted">{text(strings, 'page.mcp_text')}</p>
            <p>
              <code class="well">{mcpUrl}</code>
            </p>
            <p>
              <a href="/docs/mcp">{text(strings, 'page.docs')}</a>
            </p>
          </section>
        </div>
      </div>
    </PageFrame>
  )
}
