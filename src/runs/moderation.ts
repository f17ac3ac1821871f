// The automatic rules for questions that a broadcast shows to everybody: abuse, links, floods and repeats are declined.
import type { EventData } from '../contract/room.ts'
import { termsOf } from './merge-questions.ts'
import type { RunState } from './state/run-state.ts'

export type Verdict = { accepted: true } | { accepted: false; reason: NonNullable<EventData<'question'>['reason']> }

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
