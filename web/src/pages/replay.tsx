// A recording that its host shows: the film with captions, the offer, and what is said in it, by chapter. No script: a chapter opens the
// page at its second.
import type { T } from '../room/stream/boot.ts'
import { safeLink } from '../room/rail/offer.tsx'
import type { PageProps, ReplayView } from '../server/types.ts'
import { buttonClass } from '../ui/button.tsx'
import { type FrameProps, PageFrame, text } from './page-frame.tsx'

export function ReplayPage({ page, strings, t, replay, address, fromSeconds }: FrameProps & PageProps['replay'] & { t: T }) {
  const link = safeLink(replay.cta)
  const src = fromSeconds > 0 ? `${replay.url}#t=${fromSeconds}` : replay.url
  const { language } = replay
  return (
    <PageFrame page={page} strings={strings} isOfTalk>
      <div class="kept replay">
        <header class="kept-head">
          <h1 dir="auto">{replay.title}</h1>
          <p class="small muted">{text(strings, 'page.replay_note')}</p>
          {replay.unverified && <p class="note note-amber">{text(strings, 'page.unverified')}</p>}
        </header>
        {replay.format === 'mp3' ? (
          <audio controls preload="metadata" src={src} aria-label={replay.title} />
        ) : (
          <video id="film" controls playsInline preload="metadata" width={1280} height={720} src={src} aria-label={replay.title}>
            <track
              kind="captions"
              src={`${address}/captions.vtt`}
              srclang={language}
              label={t('header.captions')}
              default={!replay.hasWords}
            />
          </video>
        )}
        {replay.description && (
          <p class="prose" dir="auto">
            {replay.description}
          </p>
        )}
        {link !== null && (
          <p class="kept-offer">
            <a class={buttonClass('primary')} href={link.href} rel="noopener noreferrer">
              <bdi>{replay.cta?.text || link.host}</bdi>
            </a>{' '}
            <span class="small muted">{t(link.leads, { host: link.host })}</span>
          </p>
        )}
        <section aria-labelledby="said">
          <h2 id="said">{t('rail.transcript')}</h2>
          <ol class="kept-slides" lang={language}>
            {replay.chapters.map((chapter, at) => (
              <Chapter key={at} replay={replay} at={at} address={address} title={chapter.title} />
            ))}
          </ol>
        </section>
      </div>
    </PageFrame>
  )
}

const stamp = (ms: number) => `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')}`

function Chapter({ replay, at, address, title }: { replay: ReplayView; at: number; address: string; title: string }) {
  const { chapters, captions, durationMs } = replay
  const fromMs = chapters[at]?.fromMs ?? 0
  const untilMs = chapters[at + 1]?.fromMs ?? durationMs + 1
  const said = captions.filter((caption) => caption.fromMs >= fromMs && caption.fromMs < untilMs)
  // One after the other by who says it: captions are parts of sentences.
  const parts: { speaker: string; text: string }[] = []
  for (const { speaker, text: words } of said) {
    const last = parts.at(-1)
    if (last?.speaker === speaker) last.text += ` ${words}`
    else parts.push({ speaker, text: words })
  }
  return (
    <li class="kept-slide">
      <h3 dir="auto">
        <a href={`${address}?t=${Math.floor(fromMs / 1_000)}#film`}>
          <span class="tabular muted">{stamp(fromMs)}</span> {title}
        </a>
      </h3>
      {parts.map((part, index) => (
        <p key={index} dir="auto">
          {part.text}
        </p>
      ))}
    </li>
  )
}
