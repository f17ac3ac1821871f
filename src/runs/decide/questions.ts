// A question on its way in: refused, held for the host, merged with one that already waits, or passed to the state table. What the
// host lets in is merged like what comes in by itself.
import { joinedTo, mergeTarget, termsOf } from '../merge-questions.ts'
import type { Question, RunState } from '../state/run-state.ts'
import { answerAtOnce, questionOf, setQuestion } from './answering.ts'
import { noteIntent } from './cta.ts'
import type { Draft } from './draft.ts'
import type { AskedQuestion } from './input.ts'
import type { EventData } from '../../contract/room.ts'

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

export function moderate(asked: { text: string; attendeeId: string }, state: RunState, now: number): Verdict {
  const folded = asked.text.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  if (abuse.test(folded)) return { accepted: false, reason: 'words' }
  if (link.test(folded)) return { accepted: false, reason: 'link' }
  if (asked.text.length > publicCharsMax) return { accepted: false, reason: 'length' }
  if (state.waiting.length >= queueMax) return { accepted: false, reason: 'flood' }
  let recent = 0
  const terms = termsOf(asked.text).join(' ')
  for (const question of state.questions.values()) {
    if (question.attendeeId !== asked.attendeeId) continue
    if (question.askedAt > now - 60_000) recent++
    if (question.status === 'queued' && terms !== '' && termsOf(question.text).join(' ') === terms)
      return { accepted: false, reason: 'repeat' }
  }
  return recent >= perMinuteMax ? { accepted: false, reason: 'flood' } : { accepted: true }
}
