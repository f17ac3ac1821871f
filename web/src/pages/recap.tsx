// What an attendee keeps of a talk, at an address of their own: the slides it passed, the answers to their questions, the offer. No
// script, so it opens anywhere and prints well.
import type { PageProps, RecapView } from '../server/types.ts'
import { safeLink } from '../room/rail/offer.tsx'
import { buttonClass } from '../ui/button.tsx'
import { PollResults } from '../ui/poll-results.tsx'
import type { T } from '../room/stream/boot.ts'
import type { FrameProps } from './page-frame.tsx'
import { PageFrame, text } from './page-frame.tsx'

export function RecapPage({ page, strings, t, recap }: FrameProps & PageProps['recap'] & { t: T }) {
  const link = safeLink(recap.cta)
  return (
    <PageFrame page={page} strings={strings} isOfTalk>
      <div class="kept">
        <header class="kept-head">
          <h1 dir="auto">{recap.title}</h1>
          {recap.description && (
            <p class="prose" dir="auto">
              {recap.description}
            </p>
          )}
          <p class="small muted">{text(strings, 'page.recap_note')}</p>
          {recap.unverified && <p class="note note-amber">{text(strings, 'page.unverified')}</p>}
        </header>
        {link !== null && (
          <p class="kept-offer">
            <a class={buttonClass('primary')} href={link.href} rel="noopener noreferrer">
              <bdi>{recap.cta?.text || link.host}</bdi>
            </a>{' '}
            <span class="small muted">{t(link.leads, { host: link.host })}</span>
          </p>
        )}
        <section aria-labelledby="asked">
          <h2 id="asked">{t('recap.questions')}</h2>
          {recap.questions.length === 0 ? <p class="muted">{t('recap.none')}</p> : <Asked questions={recap.questions} t={t} />}
        </section>
        {recap.polls.length > 0 && (
          <section aria-labelledby="polled">
            <h2 id="polled">{t('poll.label')}</h2>
            <ul class="kept-questions">
              {recap.polls.map((poll) => (
                <li key={poll.pollId}>
                  <p class="kept-question" dir="auto">
                    {poll.question}
                  </p>
                  <PollResults
                    poll={poll}
                    own={poll.answer?.choice ?? (poll.answer?.rating === undefined ? undefined : poll.answer.rating - 1)}
                    words={{ right: t('poll.right'), yours: t('poll.yours') }}
                  />
                </li>
              ))}
            </ul>
          </section>
        )}
        {recap.slides.length > 0 && (
          <section aria-labelledby="covered">
            <h2 id="covered">{t('recap.title')}</h2>
            <ol class="kept-slides">
              {recap.slides.map((slide) => (
                <Covered key={slide.id} slide={slide} t={t} />
              ))}
            </ol>
          </section>
        )}
        <details class="kept-end">
          <summary>{text(strings, 'page.recap_end')}</summary>
          <form method="post">
            <p class="small muted">{text(strings, 'page.recap_end_text')}</p>
            <button type="submit" class={buttonClass('danger')}>
              {text(strings, 'page.recap_end_do')}
            </button>
          </form>
        </details>
      </div>
    </PageFrame>
  )
}

/** What its holder sees who has taken it back. */
export function RecapEndedPage({ page, strings }: FrameProps) {
  return (
    <PageFrame page={page} strings={strings} narrow isOfTalk>
      <h1>{text(strings, 'page.recap_ended')}</h1>
      <p>{text(strings, 'page.recap_ended_text')}</p>
    </PageFrame>
  )
}

function Asked({ questions, t }: { questions: RecapView['questions']; t: T }) {
  return (
    <ul class="kept-questions">
      {questions.map((question, at) => (
        <li key={at}>
          <p class="kept-question" dir="auto">
            {question.text}
          </p>
          {question.answer === undefined ? <p class="muted">{t('question.expired')}</p> : <Answer {...question} t={t} />}
        </li>
      ))}
    </ul>
  )
}

function Answer({ answer, mode, citations = [], t }: RecapView['questions'][number] & { t: T }) {
  const sources = citations.map(({ type, index, title }) =>
    type === 'slide' ? t('slide.name', { slide: index + 1 }) : (title ?? t('answer.background')),
  )
  const from = [...(mode === 'human' ? [t('answer.human')] : []), ...new Set(sources)].join(', ')
  return (
    <>
      <p dir="auto">{answer}</p>
      {from !== '' && <p class="small muted">{from}</p>}
    </>
  )
}

function Covered({ slide, t }: { slide: RecapView['slides'][number]; t: T }) {
  const title = slide.title || t('slide.name', { slide: slide.index + 1 })
  const [first = '', ...rest] = slide.text.split('\n')
  // Headings are marked in the text of a slide; here they are lines as the others.
  const body = (first.trim() === slide.title.trim() ? rest : [first, ...rest]).map((line) => line.replace(/^#{1,6} /, ''))
  return (
    <li class="kept-slide">
      {slide.imageUrl !== null && (
        <img src={slide.imageUrl} alt="" width={slide.width ?? 1600} height={slide.height ?? 900} loading="lazy" />
      )}
      <div>
        <h3 dir="auto">{title}</h3>
        {body.join('').trim() !== '' && (
          <p class="kept-text" dir="auto">
            {body.join('\n').trim()}
          </p>
        )}
      </div>
    </li>
  )
}
