// The end of the talk, in place: what was covered, own questions with their answers, the offer, the form, the transcript.
import { Star } from 'lucide'
import { useState } from 'preact/hooks'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SlideView } from '../stage/slide-view.tsx'
import { ThreadRow } from '../stage/stage.tsx'
import type { RoomState } from '../stream/state.ts'
import { useRoom } from '../use-room.ts'
import { inFollowed } from '../view.ts'
import { wear } from '../later.tsx'
import style from './recap.css?inline'
import { LeadSent } from './lead-sent.tsx'
import { OfferLink, safeLink } from './offer.tsx'
import { Composer } from './composer.tsx'
import { PendingCard, QuestionCard } from './question-card.tsx'

wear(style)

export function EndRecap() {
  const { boot, t, view, controller } = useRoom()
  const { room } = view
  const sent = view.leadSentAt !== null || room.hasLead
  const asks = !sent && !view.left && !boot.isKept
  const own = room.questions.filter((question) => question.mine)
  const pending = view.entries.filter(({ kind, id }) => kind === 'questions' && !own.some(({ questionId }) => questionId === id))
  // Answered in writing, as long as the token of this attendee lives.
  const mayAsk = controller?.isolated && room.status === 'completed' && !view.left
  const link = safeLink(room.cta)
  const save = async (kind: 'md' | 'vtt') => (await import('./transcript-file.ts')).saveTranscript(kind, boot.room, room)
  const kept = toKeep(room)
  const reason = view.left ? t('closed.left') : room.closed !== null && room.closed !== 'completed' ? t('closed.ended') : t('recap.thanks')
  return (
    <div class="recap" data-testid="recap">
      <div class="recap-head">
        <h2>{t('status.completed')}</h2>
        <p class="muted">{reason}</p>
      </div>
      <ThreadRow />
      <div class="recap-offer">
        {link !== null && (
          <div class="recap-cta">
            <OfferLink link={link} />
            <p class="small muted">{t(link.leads, { host: link.host })}</p>
          </div>
        )}
        {asks && (
          <Button kind={link === null ? 'primary' : 'plain'} onClick={() => controller?.show({ type: 'send' })}>
            {t('send.title')}
          </Button>
        )}
        <Button kind={asks ? 'quiet' : 'plain'} onClick={() => controller?.startAgain()}>
          {t(boot.room.mode === 'isolated' ? 'recap.again' : 'closed.join')}
        </Button>
        {asks && (
          <Button kind="quiet" onClick={() => controller?.show({ type: 'details' })}>
            {t('cta.details')}
          </Button>
        )}
        {!boot.isKept && <Share />}
      </div>
      {!view.left && !boot.isKept && <Rating />}
      {sent && view.dialog === null && <LeadSent at={view.leadSentAt} />}
      <section>
        <h3>{t(kept.length < keptMax ? 'recap.title' : 'recap.keep_three')}</h3>
        <ol class="kept">
          {kept.map((slide) => (
            <li key={slide.id}>
              <SlideView
                slide={slide}
                count={room.slides.length}
                name={t('slide.name', { slide: slide.index + 1 })}
                eager={false}
                language={boot.room.language}
                sizes="18rem"
                isAside
              />
              <b>
                <bdi>{inFollowed(view, slide.title) || t('slide.name', { slide: slide.index + 1 })}</bdi>
              </b>
            </li>
          ))}
        </ol>
      </section>
      <section>
        <h3>{t('recap.questions')}</h3>
        {own.length === 0 && !mayAsk && <p class="muted">{t('recap.none')}</p>}
        <ul class="questions" aria-live="polite">
          {own.map((question) => (
            <QuestionCard key={question.questionId} question={question} />
          ))}
          {pending.map((entry) => (
            <PendingCard key={entry.id} entry={entry} />
          ))}
        </ul>
        {mayAsk && <Composer />}
      </section>
      <div class="actions">
        {(['md', 'vtt'] as const).map((kind) => (
          <Button key={kind} onClick={() => void save(kind)}>
            {t('recap.download')} (.{kind})
          </Button>
        ))}
        {room.recapUrl && (
          <a class={buttonClass()} href={room.recapUrl} target="_blank" rel="noopener">
            {t('recap.keep')}
          </a>
        )}
      </div>
    </div>
  )
}

/** One press; another one takes its place. */
function Rating() {
  const { t, view, controller } = useRoom()
  const { rating } = view.room
  return (
    <section>
      <h3 id="rate">{t('rate.title')}</h3>
      <div class="rating" role="group" aria-labelledby="rate">
        {[1, 2, 3, 4, 5].map((n) => (
          <Button
            key={n}
            kind="quiet"
            class={rating !== null && n <= rating ? 'rated' : ''}
            aria-label={t('rate.of', { n })}
            aria-pressed={rating === n}
            onClick={() => controller?.rate(n)}
          >
            <Icon of={Star} />
          </Button>
        ))}
        <span class="small muted" role="status">
          {rating !== null && t('rate.thanks')}
        </span>
      </div>
    </section>
  )
}

const keptMax = 3

/** What this person asked about first, then what most was said of; in the order of the talk. */
function toKeep({ slides, questions, lines, slideIndex, status }: RoomState): RoomState['slides'] {
  const reached = status === 'completed' ? slides.length : slideIndex + 1
  const cited = questions.filter(({ mine }) => mine).flatMap(({ answer }) => answer?.citations ?? [])
  const weight = (index: number) =>
    (cited.some((citation) => citation.type === 'slide' && citation.index === index) ? 1_000 : 0) +
    lines.filter((line) => line.kind === 'beat' && line.slideIndex === index).length
  const told = slides.slice(0, reached)
  // The cover names the talk, which is known by now.
  const found = told.length > keptMax ? told.slice(1) : told
  return found
    .toSorted((a, b) => weight(b.index) - weight(a.index))
    .slice(0, keptMax)
    .toSorted((a, b) => a.index - b.index)
}

/** By the means of the device, where it has any; else the link is copied, or shown where the browser lets nobody copy. */
function Share() {
  const { boot, t } = useRoom()
  const [told, setTold] = useState('')
  const share = async () => {
    // What follows the dot is the guest's own.
    const link = { title: boot.room.title, url: new URL(location.pathname.split('.')[0] ?? '', location.href).href }
    if (typeof navigator.share === 'function') return navigator.share(link).catch(() => undefined)
    try {
      await navigator.clipboard.writeText(link.url)
      setTold(t('recap.copied'))
    } catch {
      setTold(link.url)
    }
  }
  return (
    <>
      <Button kind="quiet" onClick={() => void share()}>
        {t('recap.share')}
      </Button>
      <span class="small muted" role="status">
        {told}
      </span>
    </>
  )
}
