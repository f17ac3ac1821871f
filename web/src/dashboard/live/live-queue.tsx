// The questions of a running talk as its host sees them: waiting for approval first, then the queue, then what was answered.
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Question, RoomState } from '../../room/stream/state.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Menu } from '../../ui/menu.tsx'
import { useForm } from '../../ui/use-form.ts'
import { AnswerTrace } from '../answers/answer-trace.tsx'
import { questionWords } from '../answers/question-words.ts'
import { questionsQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import type { AnswerTrace as AnswerTraceData, AskedQuestion } from '../data/wire.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { atClock, plural } from '../parts/format.ts'
import { useReturnedFocus } from '../parts/returned-focus.ts'
import { hostAct, type HostNote } from './live-run.ts'

const rank: Partial<Record<Question['status'], number>> = { pending: 0, answering: 1, queued: 2, answered: 3 }

export interface LiveQueueProps {
  sessionId: string
  runId: string
  state: RoomState
  notes: readonly HostNote[]
}

export function LiveQueue({ sessionId, runId, state, notes }: LiveQueueProps) {
  const asked = useQuery({ ...questionsQuery(sessionId), refetchInterval: 15_000 }).data?.rows ?? []
  const pending = pendingOf(asked, runId, state.questions)
  const shown = [...pending, ...state.questions]
    .filter(({ status }) => status !== 'merged' && status !== 'hidden')
    .toSorted((a, b) => (rank[a.status] ?? 4) - (rank[b.status] ?? 4) || (b.votes ?? 0) - (a.votes ?? 0))
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">
        Questions <span class="tab-count">{shown.length}</span>
      </h2>
      {shown.length === 0 && <p class="muted">No questions yet. They appear here as they are asked.</p>}
      {[...themesOf(shown, state)].map(([theme, questions]) => (
        <Fragment key={theme}>
          <h3 class="queue-theme small muted">
            <bdi>{theme}</bdi>
          </h3>
          <ol class="queue">
            {questions.map((question) => (
              <QueueItem
                key={question.questionId}
                runId={runId}
                question={question}
                others={shown.filter(
                  ({ questionId, status }) => questionId !== question.questionId && (status === 'queued' || status === 'pending'),
                )}
                isOver={state.status === 'completed'}
                trace={asked.find(({ questionId }) => questionId === question.questionId)?.trace}
              />
            ))}
          </ol>
        </Fragment>
      ))}
      {notes.length > 0 && (
        <details class="fold">
          <summary>What happened</summary>
          <ul class="host-notes small">
            {notes.map((note) => (
              <li key={note.id}>
                <time dateTime={new Date(note.at).toISOString()}>{atClock(note.at)}</time> {note.text}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** What is asked together: while the same slide was on. Of several themes the one with the first question stands first. */
function themesOf(questions: readonly Question[], { slides }: RoomState): Map<string, Question[]> {
  return Map.groupBy(questions, ({ slideIndex }) => {
    if (slideIndex === undefined) return 'Elsewhere'
    const title = slides[slideIndex]?.title
    return title ? `Slide ${slideIndex + 1}: ${title}` : `Slide ${slideIndex + 1}`
  })
}

/** Questions that wait for approval are not part of the room that a snapshot tells: those asked before this page opened are read. */
function pendingOf(asked: readonly AskedQuestion[], runId: string, known: readonly Question[]): readonly Question[] {
  return asked
    .filter(
      (question) =>
        question.runId === runId && question.status === 'pending' && !known.some(({ questionId }) => questionId === question.questionId),
    )
    .map(({ questionId, text, by, votes, slideIndex }) => ({
      questionId,
      text,
      by: { attendeeId: by.attendeeId ?? '', name: by.name },
      votes,
      ahead: 0,
      slideIndex: slideIndex ?? 0,
      status: 'pending' as const,
      mine: false,
      answer: null,
      instant: null,
      notice: null,
    }))
}

interface QueueItemProps {
  runId: string
  question: Question
  /** That wait too, and could be joined with it. */
  others: readonly Question[]
  isOver: boolean
  trace: AnswerTraceData | undefined
}

function QueueItem({ runId, question, others, isOver, trace }: QueueItemProps) {
  const [isAnswering, setAnswering] = useState(false)
  const answerButton = useReturnedFocus(isAnswering)
  const act = (action: 'approve_question' | 'hide_question') => void orToast(hostAct(runId, { action, questionId: question.questionId }))
  const isOpen = !isOver && (question.status === 'pending' || question.status === 'queued')
  const answer = question.answer?.sentences.join(' ')
  return (
    <li
      class={isOpen && question.status === 'pending' ? 'queue-item queue-pending' : 'queue-item'}
      data-testid="question"
      data-status={question.status}
    >
      <p class="small muted">
        <bdi>{question.by?.name ?? 'Someone'}</bdi>,{' '}
        {isOver && question.status === 'pending' ? 'not approved' : questionWords[question.status].toLowerCase()}
        {question.votes !== undefined && question.votes > 0 && `, ${plural(question.votes, 'vote')}`}
      </p>
      <p class="queue-text">
        <bdi>{question.text}</bdi>
      </p>
      {answer !== undefined && answer !== '' && <p class="queue-answer">{answer}</p>}
      {trace && <AnswerTrace trace={trace} />}
      {isAnswering ? (
        <AnswerForm runId={runId} question={question} onClose={() => setAnswering(false)} />
      ) : (
        isOpen && (
          <div class="actions">
            {question.status === 'pending' && (
              <Button dense aria-label={`Approve: ${question.text}`} onClick={() => act('approve_question')}>
                Approve
              </Button>
            )}
            <Button dense buttonRef={answerButton} aria-label={`Answer: ${question.text}`} onClick={() => setAnswering(true)}>
              Answer
            </Button>
            <Button kind="quiet" dense aria-label={`Hide: ${question.text}`} onClick={() => act('hide_question')}>
              Hide
            </Button>
            {others.length > 0 && (
              <Menu
                label={`Join with another: ${question.text}`}
                dense
                items={others.map(({ questionId, text }) => ({
                  label: text.slice(0, 80),
                  onSelect: () =>
                    void orToast(hostAct(runId, { action: 'merge_question', questionId: question.questionId, intoId: questionId })),
                }))}
              >
                Join
              </Menu>
            )}
          </div>
        )
      )}
    </li>
  )
}

function AnswerForm({ runId, question, onClose }: { runId: string; question: Question; onClose: () => void }) {
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ text = '' }) {
      await hostAct(runId, { action: 'answer_text', questionId: question.questionId, text }).catch((error: unknown) => refusedForm(error))
      onClose()
    },
  })
  return (
    <form class="form" noValidate onSubmit={onSubmit}>
      <TextArea
        label="Your answer"
        name="text"
        required
        rows={2}
        maxLength={4000}
        autofocus
        hint="The presenter says it and names you as its source."
        error={errors['text'] ?? failure}
      />
      <div class="actions">
        <Button dense type="submit" busy={busy}>
          Answer
        </Button>
        <Button kind="quiet" dense onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
