// The end of the talk, in place: what was covered, own questions with their answers, the offer, the form, the transcript.
import { Button, buttonClass } from '../../ui/button.tsx'
import { bodyLines } from '../stage/slide-view.tsx'
import { ThreadRow } from '../stage/stage.tsx'
import { useRoom } from '../use-room.ts'
import { LeadSent } from './lead-sent.tsx'
import { OfferLink, safeLink } from './offer.tsx'
import { QuestionCard } from './question-card.tsx'

export function EndRecap() {
  const { boot, t, view, controller } = useRoom()
  const { room } = view
  const sent = view.leadSentAt !== null || room.hasLead
  const own = room.questions.filter((question) => question.mine)
  const link = safeLink(room.cta)
  const reached = room.status === 'completed' ? room.slides.length : room.slideIndex + 1
  const save = async (kind: 'md' | 'vtt') => (await import('./transcript-file.ts')).saveTranscript(kind, boot.room, room)
  const reason = view.left ? t('closed.left') : room.closed !== null && room.closed !== 'completed' ? t('closed.ended') : t('recap.thanks')
  return (
    <div class="recap" data-testid="recap">
      <div class="recap-head">
        <h2>{t('status.completed')}</h2>
        <p class="muted">{reason}</p>
      </div>
      <ThreadRow />
      <div class="recap-offer">
        {link !== null && <OfferLink link={link} />}
        {!sent && !view.left && <Button onClick={() => controller?.show({ type: 'details' })}>{t('cta.details')}</Button>}
        {link !== null && <p class="small muted">{t(link.leads, { host: link.host })}</p>}
      </div>
      {sent && view.dialog === null && <LeadSent at={view.leadSentAt} />}
      <section>
        <h3>{t('recap.title')}</h3>
        <ol class="covered">
          {room.slides.slice(0, reached).map((slide) => (
            <li key={slide.id}>
              <b>
                <bdi>{slide.title || t('slide.name', { slide: slide.index + 1 })}</bdi>
              </b>
              <p class="muted" dir="auto">
                {bodyLines(slide.text, slide.title ?? '')[0]?.text}
              </p>
            </li>
          ))}
        </ol>
      </section>
      <section>
        <h3>{t('recap.questions')}</h3>
        {own.length === 0 ? (
          <p class="muted">{t('recap.none')}</p>
        ) : (
          <ul class="questions">
            {own.map((question) => (
              <QuestionCard key={question.questionId} question={question} />
            ))}
          </ul>
        )}
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
