// A question on its way in: refused, held for the host, merged with one that already waits, or passed to the state table.
import { mergeTarget } from '../room/merge-questions.ts'
import { moderate } from '../room/moderation.ts'
import type { Verdict } from '../room/moderation.ts'
import { answerAtOnce, questionOf, setQuestion } from './answering.ts'
import type { Draft } from './draft.ts'
import type { AskedQuestion } from './input.ts'

const accepted: Verdict = { accepted: true }

/** True when the question still has to be played by the state table. A repeated id changes nothing. */
export function takeIn(draft: Draft, asked: AskedQuestion): boolean {
  const { state, setting } = draft
  if (state.questions.get(asked.id) !== undefined) return false
  if (state.status === 'completed' || state.status === 'failed') return true
  const question = questionOf(draft, asked)
  if (setting.mode === 'isolated') return true
  const verdict = setting.session.moderation === 'auto' ? moderate(asked, state, draft.now) : accepted
  if (!verdict.accepted) {
    setQuestion(draft, question, 'declined', { reason: verdict.reason })
    return false
  }
  if (asked.isPrivate) {
    setQuestion(draft, question, 'answering')
    answerAtOnce(draft, question)
    return false
  }
  const target = mergeTarget(asked.text, state, setting.isSame)
  if (target !== null) {
    setQuestion(draft, question, 'merged', { mergedInto: target.id })
    draft.emit({ type: 'vote', data: { questionId: target.id, attendeeId: asked.attendeeId, value: 1 } }, 'log')
    const voted = draft.state.questions.get(target.id)
    if (voted !== undefined) setQuestion(draft, voted, voted.status)
    return false
  }
  if (setting.session.moderation === 'manual') {
    setQuestion(draft, question, 'pending')
    return false
  }
  return true
}
