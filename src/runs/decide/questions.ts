// A question on its way in: refused, held for the host, merged with one that already waits, or passed to the state table. What the
// host lets in is merged like what comes in by itself.
import { joinedTo, mergeTarget } from '../merge-questions.ts'
import { moderate, type Verdict } from '../moderation.ts'
import type { Question } from '../state/run-state.ts'
import { answerAtOnce, questionOf, setQuestion } from './answering.ts'
import { noteIntent } from './cta.ts'
import type { Draft } from './draft.ts'
import type { AskedQuestion } from './input.ts'

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
