// Questions and answers: queueing, giving one answer at a time, and ending each answer that began exactly once.
import { signalOf } from '../../answers/intents.ts'
import type { Citation, QuestionStatus } from '../../contract/answer.ts'
import { joinedTo } from '../merge-questions.ts'
import type { EventData, Place, RunStatus } from '../../contract/room.ts'
import type { Question, RunState } from '../state/run-state.ts'
import { showByRule } from './cta.ts'
import type { Draft } from './draft.ts'
import type { AskedQuestion } from './input.ts'
import { enter } from './speech.ts'

/** An answer's id follows from its question, so that a recovery makes the same one. */
export const answerIdOf = (questionId: string): string => `a-${questionId}`
const instantIdOf = (questionId: string): string => `i-${questionId}`

export function setQuestion(
  draft: Draft,
  question: Question,
  status: QuestionStatus,
  change: Pick<EventData<'question'>, 'mergedInto' | 'reason'> = {},
): void {
  const { id, text, attendeeId, name, votes, slideIndex, isPrivate } = question
  const { mergedInto, reason } = change
  const { state } = draft
  const whole = {
    questionId: id,
    text,
    by: { attendeeId, name },
    status,
    ...(mergedInto === undefined ? {} : { mergedInto }),
    votes,
    ahead: status === 'queued' ? aheadOf(question, state) : 0,
    slideIndex,
    ...(reason === undefined ? {} : { reason }),
    ...(isPrivate ? { private: true as const } : {}),
  }
  // Nor does the room see the words of what was never let in, or was joined to words that are there already.
  const before = state.questions.get(id)
  const wasQueued = before?.status === 'queued'
  const isNews = wasQueued || (mergedInto === undefined && !(status === 'hidden' && before !== undefined && isUnseen(before)))
  const seenByRoom = !isPrivate && isNews && status !== 'pending' && status !== 'declined'
  draft.emit({ type: 'question', data: whole }, seenByRoom || draft.setting.mode === 'isolated' ? 'room' : attendeeId)
}

const isUnseen = ({ status, mergedInto }: Question): boolean => status === 'pending' || status === 'declined' || mergedInto !== null

function aheadOf({ id }: Question, { waiting, answer }: RunState): number {
  const place = waiting.indexOf(id)
  return (place === -1 ? waiting.length : place) + (answer === null ? 0 : 1)
}

/** A command may have left with a name that was erased meanwhile. */
export const nameIn = (state: RunState, { attendeeId, name }: { attendeeId: string; name: string | null }): string | null =>
  state.nameless.includes(attendeeId) ? null : name

export function questionOf(draft: Draft, asked: AskedQuestion): Question {
  const { id, text, attendeeId, isPrivate } = asked
  const name = nameIn(draft.state, asked)
  const slideIndex = asked.slideIndex ?? draft.state.slideIndex ?? 0
  // Let in again, it keeps the votes that it had.
  const { votes, voters } = draft.state.questions.get(id) ?? { votes: 0, voters: [] }
  const fresh = { status: 'queued', mergedInto: null, votes, voters, answer: null, instant: null, notice: null } as const
  return { id, text, attendeeId, name, ...fresh, slideIndex, isPrivate, askedAt: draft.now, order: draft.state.questionsCount }
}

/** The asker of a broadcast need not wait: a quoting answer at once, for them alone. */
export function answerAtOnce(draft: Draft, question: Question): void {
  if (draft.setting.mode !== 'broadcast') return
  const { id, attendeeId } = question
  draft.task({ type: 'answer', answerId: instantIdOf(id), questionId: id, instant: true, attendeeId })
}

/** After a change of the owner: private questions of a broadcast are answered beside the talk, where nothing else begins again. */
export function answerPrivateAgain(draft: Draft): void {
  for (const question of draft.state.questions.values())
    if (question.isPrivate && question.status === 'answering') answerAtOnce(draft, question)
}

/** Stops the talk for this question. The caller has cut what was being said. `ownWords` is the id of an answer that is there already. */
export function beginAnswer(draft: Draft, question: Question, returnTo: RunStatus, resumeAt: Place | null, ownWords?: string): void {
  if (draft.state.status !== 'answering') enter(draft, 'answering', 'attendee', { resumeAt, returnTo })
  setQuestion(draft, question, 'answering')
  const answerId = ownWords ?? answerIdOf(question.id)
  draft.emit({ type: 'answer', data: { answerId, questionId: question.id, phase: 'start' } })
  if (ownWords === undefined) draft.task({ type: 'answer', answerId, questionId: question.id, instant: false })
}

/** Answers the waiting question with most votes, the oldest of them first. False when none waits. */
export function answerNext(draft: Draft, returnTo: RunStatus, resumeAt: Place | null): boolean {
  const { questions, waiting } = draft.state
  const candidates = waiting.map((id) => questions.get(id)).filter((question) => question !== undefined)
  const best = candidates.reduce<Question | undefined>((top, one) => (top === undefined || one.votes > top.votes ? one : top), undefined)
  if (best === undefined) return false
  beginAnswer(draft, best, returnTo, resumeAt)
  return true
}

/** Says the rest of the open answer away: `end` when it is whole, `cut` when it was stopped, `error` when it never came. */
export function closeAnswer(draft: Draft, phase: 'end' | 'cut', whenNone: 'error' | 'answered' = 'answered'): void {
  const { answer } = draft.state
  if (answer === null) return
  const { answerId, questionId, sentences, composed } = answer
  const text = sentences.map((sentence) => sentence.text).join(' ')
  const failed = composed === null && (sentences.length === 0 || whenNone === 'error')
  const data: EventData<'answer'> = {
    answerId,
    questionId,
    phase,
    text,
    citations: composed?.citations ?? citationsOf(sentences),
    outcome: composed?.outcome ?? (failed ? 'error' : 'answered'),
    mode: composed?.mode ?? 'extractive',
    confidence: composed?.confidence ?? 0,
    suggestedActions: composed?.suggestedActions ?? [],
  }
  if (composed === null) draft.task({ type: 'abort_answer', answerId })
  draft.emit({ type: 'answer', data })
  const question = draft.state.questions.get(questionId)
  if (question === undefined) return
  setQuestion(draft, question, 'answered')
  settleMerged(draft, questionId)
  if (data.outcome === 'unknown' || data.outcome === 'near') {
    draft.emit({ type: 'intent', data: { attendeeId: question.attendeeId, signal: 'unanswered' } }, 'host')
  }
  if (signalOf(question.text) !== undefined) showByRule(draft, 'intent')
}

function citationsOf(sentences: readonly { citations: readonly Citation[] }[]): Citation[] {
  return sentences.flatMap((sentence) => sentence.citations)
}

/** What becomes of a question becomes of those that were joined to it. */
export function settleMerged(draft: Draft, id: string): void {
  for (const other of joinedTo([id], draft.state)) setQuestion(draft, other, 'answered', joinOf(other))
}

const joinOf = ({ mergedInto }: Question): { mergedInto?: string } => (mergedInto === null ? {} : { mergedInto })

const openStatuses: ReadonlySet<QuestionStatus> = new Set(['pending', 'queued', 'answering', 'merged'])

/** At the end nothing is left open for who asked. What the room was not shown stays unseen. */
export function expireOpen(draft: Draft): void {
  const open = [...draft.state.questions.values()].filter(({ status }) => openStatuses.has(status))
  for (const question of open.toSorted((a, b) => a.order - b.order)) {
    const shown = question.status === 'pending' ? { ...question, isPrivate: true } : question
    setQuestion(draft, shown, 'expired', joinOf(question))
  }
}
