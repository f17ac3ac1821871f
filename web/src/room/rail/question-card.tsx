// One question with its place in the queue and its answer; citations are buttons that show the slide or the quoted passage.
import { Button } from '../../ui/button.tsx'
import type { Entry } from '../stream/outbox.ts'
import type { Answer, Question } from '../stream/state.ts'
import type { Citation } from '../stream/wire.ts'
import { useRoom } from '../use-room.ts'
import { inFollowed } from '../view.ts'

/** A question that has not reached the server yet, or was refused. */
export function PendingCard({ entry }: { entry: Entry }) {
  const { t, controller } = useRoom()
  return (
    <li class="question question-mine" data-testid="question" data-status="sending">
      <p class="question-head small">
        <b>{t('question.you')}</b>
        <span>{entry.status === 'refused' ? entry.detail : t(`question.${entry.status}`)}</span>
      </p>
      <p dir="auto">{typeof entry.body.text === 'string' && entry.body.text}</p>
      {entry.status !== 'sending' && (
        <div class="actions">
          {entry.status === 'stuck' && (
            <Button dense onClick={() => controller?.retry(entry.id)}>
              {t('question.again')}
            </Button>
          )}
          <Button dense kind="quiet" onClick={() => controller?.discard(entry.id)}>
            {t('question.discard')}
          </Button>
        </div>
      )}
    </li>
  )
}

export function Asker({ question }: { question: Question }) {
  const { t } = useRoom()
  return <b>{question.mine ? t('question.you') : <bdi>{t('question.asked', { name: question.by?.name ?? t('question.someone') })}</bdi>}</b>
}

function statusOf(question: Question, t: ReturnType<typeof useRoom>['t']): string {
  if (question.status !== 'queued') return t(`question.${question.status}`)
  if (!question.mine) return t('question.queued')
  return question.ahead ? t('queue.ahead', { n: question.ahead }) : t('queue.next')
}

export function QuestionCard({ question }: { question: Question }) {
  const { t, view, controller } = useRoom()
  const { status, answer, instant, notice } = question
  const votable = controller?.isolated === false && !question.mine && status === 'queued'
  const voted = view.votes[question.questionId] === true
  const merged = view.room.questions.find((other) => other.questionId === question.mergedInto)
  const live = status === 'answering'
  return (
    <li
      class={`question${question.mine ? ' question-mine' : ''}${live ? ' question-live' : ''}`}
      data-testid="question"
      data-status={status}
    >
      <p class="question-head small">
        <Asker question={question} />
        <span>{statusOf(question, t)}</span>
        {Boolean(question.votes) && <span class="tabular">{t('question.votes', { n: question.votes ?? 0 })}</span>}
      </p>
      <p dir="auto">{question.text}</p>
      {status === 'declined' && question.reason && <p class="small muted">{t(`question.declined_${question.reason}`)}</p>}
      {merged && <p class="small muted">{t('question.similar', { text: merged.text })}</p>}
      {votable && (
        <Button dense aria-pressed={voted} onClick={() => controller?.vote(question.questionId, !voted)}>
          {voted ? t('question.unvote') : t('question.vote')}
        </Button>
      )}
      {live && !answer && <p class="thinking small muted">{t('question.thinking')}</p>}
      {notice && <AnswerBlock answer={notice} private />}
      {instant && <AnswerBlock answer={instant} private />}
      {answer && <AnswerBlock answer={answer} live={live} private={question.private} />}
    </li>
  )
}

function AnswerBlock({ answer, live, private: isPrivate }: { answer: Answer; live?: boolean; private?: boolean | undefined }) {
  const { t, view } = useRoom()
  const said = answer.sentences.join(' ')
  const whole = inFollowed(view, said)
  const sentences = whole === said ? answer.sentences.map((each) => inFollowed(view, each)) : [whole]
  const empty = answer.sentences.length === 0
  const byHost = answer.mode === 'human'
  if (empty && !(answer.ended && answer.outcome === 'unknown')) return null
  return (
    <div class={live ? 'answer answer-live' : 'answer'} data-testid="answer" dir="auto">
      {(byHost || isPrivate) && <p class="small muted">{t(byHost ? 'answer.human' : 'answer.private')}</p>}
      {empty ? <p>{t('answer.unknown')}</p> : sentences.map((sentence, index) => <p key={index}>{sentence}</p>)}
      {answer.citations.length > 0 && (
        <div class="citations">
          {/* One for each slide or passage, with all that was quoted from it. */}
          {[...Map.groupBy(answer.citations, ({ id }) => id)].map(([id, cited]) => (
            <CitationButton key={id} cited={cited} />
          ))}
        </div>
      )}
    </div>
  )
}

function CitationButton({ cited }: { cited: readonly Citation[] }) {
  const { t, controller } = useRoom()
  const [first] = cited
  if (first === undefined) return null
  const { type, index, title: named, quote } = first
  if (type === 'slide') {
    return (
      <Button dense data-testid="citation" title={quote} onClick={() => controller?.review(index)}>
        {t('slide.name', { slide: index + 1 })}
      </Button>
    )
  }
  const title = named || t('answer.background')
  const quotes = cited.map((citation) => citation.quote ?? '')
  return (
    <Button dense data-testid="citation" onClick={() => controller?.show({ type: 'quote', title, quotes })}>
      <bdi>{title}</bdi>
    </Button>
  )
}
