// The front page: what this is, the demo, the dashboard, the docs, where agents connect, which talks are open.
import { buttonClass } from '../ui/button.tsx'
import type { PageProps } from '../server/types.ts'
import type { FrameProps } from './page-frame.tsx'
import { PageFrame, text } from './page-frame.tsx'

export function HomePage({ page, strings, demo, mcpUrl, talks }: FrameProps & PageProps['home']) {
  return (
    <PageFrame page={page} strings={strings}>
      <div class="home">
        <div class="home-top">
          <div class="home-hero">
            <h1>{text(strings, 'page.tagline')}</h1>
            <p class="prose">{text(strings, 'page.what')}</p>
            <div class="actions">
              {demo !== null && (
                <a class={buttonClass('primary')} href={demo.url}>
                  {text(strings, 'page.demo')}
                </a>
              )}
              <a class={buttonClass('plain')} href="/dashboard">
                {text(strings, 'page.dashboard')}
              </a>
            </div>
          </div>
          {demo !== null && <Film {...demo} strings={strings} />}
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

const filmMax = 6

/** The demo talk in small: its slides with what is said on them, one after the other and once; without motion the first of them. */
function Film({ slides, captions, strings }: NonNullable<PageProps['home']['demo']> & Pick<FrameProps, 'strings'>) {
  const shown = slides.filter(({ imageUrl }) => imageUrl !== null).slice(0, filmMax)
  if (shown.length === 0) return null
  return (
    <figure class="film" aria-label={text(strings, 'page.film')}>
      <div class="film-stage">
        {shown.map(({ id, imageUrl, srcset, width, height, title }, index) => (
          <img
            key={id}
            class="film-slide"
            src={imageUrl ?? ''}
            srcset={srcset}
            sizes="(width >= 900px) 40rem, 100vw"
            width={width ?? 1600}
            height={height ?? 900}
            alt={title}
            fetchpriority={index === 0 ? 'high' : 'low'}
          />
        ))}
        <div class="film-captions" aria-hidden="true">
          {shown.map(({ id, index }) => (
            <p key={id}>{captions[index]}</p>
          ))}
        </div>
      </div>
      <div class="film-thread" aria-hidden="true">
        {shown.map(({ id }) => (
          <span key={id} />
        ))}
      </div>
      <label class="film-pause small">
        <input type="checkbox" /> {text(strings, 'page.film_pause')}
      </label>
    </figure>
  )
}
