// Pairs of a question and the one that goes on from it, on the committed decks: whether the second is answered with what it asks for when
// the first was asked before.
import { readFileSync } from 'node:fs'
import { quotedAnswer } from '@rostrum/answers/answer'
import type { Turn } from '@rostrum/answers/answer-part'
import { sessionOf } from './score.ts'
import type { Subject } from './sets.ts'

export interface FollowUp {
  first: string
  next: string
  reply: string
  /** The reply holds what was asked for. */
  isRight: boolean
  isRefused: boolean
}

/** One a line: deck, first question, next question, words that the answer holds. */
export function askFollowUps(subjects: readonly Subject[], path: string | URL = new URL('follow-ups.txt', import.meta.url)): FollowUp[] {
  const sessions = new Map(subjects.map((subject) => [subject.id, sessionOf(subject)]))
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [deck = '', first = '', next = '', answer = ''] = line.split('|')
      const session = sessions.get(deck)
      if (session === undefined || answer === '') throw new Error(`follow-ups.txt: no such deck, or no answer: ${line}`)
      const before = quotedAnswer(first, { session }).end
      const slides = before.citations.flatMap(({ type, index }) => (type === 'slide' ? [index] : []))
      const turn: Turn = { question: first, answer: before.text, slides }
      const { text, outcome } = quotedAnswer(next, { session, history: [turn] }).end
      return { first, next, reply: text, isRight: text.toLowerCase().includes(answer.toLowerCase()), isRefused: outcome === 'unknown' }
    })
}
