// Questions and answers: a question is refused, held for the host, merged with one that waits, or queued; one answer is given at a time, and
// each that began ends exactly once.
import type { Citation, QuestionStatus } from '@rostrum/contract/answer'
import type { EventData, Place, RunStatus } from '@rostrum/contract/room'
import { aheadOf, type Question, type RunState } from '../run-state.ts'
import { type AskedQuestion, type Draft, enter, noteIntent, showByRule } from './draft.ts'
import { pollEvent } from './polls.ts'

/** The words of a question, whatever their order, capitals and accents. */
export function wordsOf(text: string): string {
  const folded = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return [...new Set(folded.match(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu))].toSorted().join(' ')
}

/** The waiting public question that asks the same, as `isSame` judges who knows the content of the talk: votes add up and one answer serves all who asked. */
export function mergeTarget(text: string, state: RunState, isSame?: (a: string, b: string) => boolean): Question | null {
  const words = wordsOf(text)
  for (const id of words === '' ? [] : state.waiting) {
    const question = state.questions.get(id)
    if (question === undefined || question.isPrivate) continue
    if (words === wordsOf(question.text) || isSame?.(text, question.text) === true) return question
  }
  return null
}

/** The question that stands for this one, answered or not: itself, or the one that it was joined to in the end. */
export function standsFor(id: string, state: RunState): Question | undefined {
  const question = state.questions.get(id)
  return question === undefined || question.mergedInto === null ? question : standsFor(question.mergedInto, state)
}

/** Those that were joined to one of these and still wait for what becomes of it. */
export function joinedTo(ids: readonly string[], { questions }: RunState): Question[] {
  const targets = new Set(ids)
  return [...questions.values()].filter(({ status, mergedInto }) => status === 'merged' && mergedInto !== null && targets.has(mergedInto))
}

// Questions and answers: queueing, giving one answer at a time, and ending each answer that began exactly once.

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
    ahead: aheadOf(id, status, state),
    slideIndex,
    ...(reason === undefined ? {} : { reason }),
    ...(isPrivate ? { private: true as const } : {}),
  }
  // Nor does the room see the words of what was never let in, or was joined to words that are there already.
  const before = state.questions.get(id)
  const wasQueued = before?.status === 'queued'
  const isNews = wasQueued || (mergedInto === undefined && !(status === 'hidden' && before !== undefined && isUnseen(before)))
  const seenByRoom = !isPrivate && isNews && status !== 'pending' && status !== 'declined'
  draft.emit({ type: 'question', data: whole }, seenByRoom || (draft.setting.mode === 'isolated' && !state.closed) ? 'room' : attendeeId)
}

const isUnseen = ({ status, mergedInto }: Question): boolean => status === 'pending' || status === 'declined' || mergedInto !== null

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

/** The asker of a broadcast need not wait, nor who asks after the end: a quoting answer at once, for them alone. */
export function answerAtOnce(draft: Draft, question: Question): void {
  if (draft.setting.mode !== 'broadcast' && !draft.state.closed) return
  const { id, attendeeId } = question
  draft.task({ type: 'answer', answerId: instantIdOf(id), questionId: id, instant: true, attendeeId })
}

/** After the end nothing is said any more: to the asker alone, in words from the deck, and the run stays over. */
export function answerInWriting(draft: Draft, asked: AskedQuestion): void {
  const question = { ...questionOf(draft, asked), isPrivate: true }
  noteIntent(draft, question)
  setQuestion(draft, question, 'answering')
  answerAtOnce(draft, question)
}

/** After a change of the owner: private questions are answered beside the talk, or after it, where nothing else begins again. */
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
  if (draft.setting.showsInterest(question.text)) showByRule(draft, 'intent')
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
  for (const poll of draft.state.polls) if (poll.open) draft.emit(pollEvent({ ...poll, open: false }, 'system'))
}

const accepted: Verdict = { accepted: true }

/** True when the question still has to be played by the state table. A repeated id changes nothing. */
export function takeIn(draft: Draft, asked: AskedQuestion): boolean {
  const { state, setting } = draft
  if (state.questions.get(asked.id) !== undefined) return false
  if (state.status === 'completed' || state.status === 'failed') return true
  const question = questionOf(draft, asked)
  if (setting.mode === 'isolated') {
    noteIntent(draft, question)
    return true
  }
  const verdict = setting.session.moderation === 'auto' ? moderate(asked, state, draft.now) : accepted
  if (!verdict.accepted) {
    setQuestion(draft, question, 'declined', { reason: verdict.reason })
    return false
  }
  noteIntent(draft, question)
  if (asked.isPrivate) {
    setQuestion(draft, question, 'answering')
    answerAtOnce(draft, question)
    return false
  }
  if (joinTwin(draft, question)) return false
  if (setting.session.moderation === 'manual') {
    setQuestion(draft, question, 'pending')
    return false
  }
  return true
}

/** Joins a repeat to the waiting question that asks the same, with its votes and with all that was joined to it. False where none does. */
export function joinTwin(draft: Draft, question: Question): boolean {
  const target = mergeTarget(question.text, draft.state, draft.setting.isSame)
  if (target === null) return false
  joinTo(draft, question, target)
  answerAtOnce(draft, question)
  return true
}

/** Its votes, and all that was joined to it, go to the other, which keeps its place. */
export function joinTo(draft: Draft, question: Question, target: Question): void {
  const joined = [question, ...joinedTo([question.id], draft.state)]
  for (const each of joined) setQuestion(draft, each, 'merged', { mergedInto: target.id })
  const supporters = new Set([question.attendeeId, ...question.voters])
  for (const attendeeId of supporters) {
    if (attendeeId === target.attendeeId || target.voters.includes(attendeeId)) continue
    draft.emit({ type: 'vote', data: { questionId: target.id, attendeeId, value: 1 } }, 'log')
  }
  const voted = draft.state.questions.get(target.id)
  if (voted !== undefined) setQuestion(draft, voted, voted.status)
}

// The automatic rules for questions that a broadcast shows to everybody: abuse, links, floods and repeats are declined.

type Verdict = { accepted: true } | { accepted: false; reason: NonNullable<EventData<'question'>['reason']> }

/** Longer questions are not read out to a room. */
const publicCharsMax = 600
const perMinuteMax = 6
const queueMax = 500

// Slurs and plain abuse, matched as whole words after marks and doubled letters are folded.
const abuse =
  /\b(?:f+u+c+k+\w*|s+h+i+t+\w*|c+u+n+t+s?|b+i+t+c+h+\w*|a+s{2,}h+o+l+e+s?|w+h+o+r+e+s?|n+i+gg\w+|f+a+g+o*t*s?|r+e+t+a+r+d+s?|k+y+s)\b/i
const link = /\b(?:https?:\/\/|www\.)\S+|(?<![a-z0-9-])[a-z0-9-]+\.(?:com|net|org|io|ru|cn|xyz|info|biz|top)\b/i

/** What no room is shown, or undefined. */
export function unfit(text: string): 'words' | 'link' | undefined {
  const folded = text.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return abuse.test(folded) ? 'words' : link.test(folded) ? 'link' : undefined
}

export function moderate(asked: { text: string; attendeeId: string }, state: RunState, now: number): Verdict {
  const reason = unfit(asked.text)
  if (reason !== undefined) return { accepted: false, reason }
  if (asked.text.length > publicCharsMax) return { accepted: false, reason: 'length' }
  if (state.waiting.length >= queueMax) return { accepted: false, reason: 'flood' }
  let recent = 0
  const words = wordsOf(asked.text)
  for (const question of state.questions.values()) {
    if (question.attendeeId !== asked.attendeeId) continue
    if (question.askedAt > now - 60_000) recent++
    if (question.status === 'queued' && words !== '' && wordsOf(question.text) === words) return { accepted: false, reason: 'repeat' }
  }
  return recent >= perMinuteMax ? { accepted: false, reason: 'flood' } : { accepted: true }
}
