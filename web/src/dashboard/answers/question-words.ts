// The states of a question and the outcomes of its answer, in words.
import type { AskedQuestion, Outcome, QuestionStatus, Tried } from '../data/wire.ts'
import { plural } from '../parts/format.ts'

export const questionWords: Record<QuestionStatus, string> = {
  pending: 'Waits for you',
  queued: 'Queued',
  answering: 'Being answered',
  answered: 'Answered',
  merged: 'Joined to a like one',
  hidden: 'Hidden',
  declined: 'Declined',
  expired: 'Not reached',
}

/** Why it was answered so, or not. */
export const outcomeWords: Record<Outcome, string> = {
  answered: 'Answered from the deck or the background.',
  near: 'Not certain: the nearest passage was quoted.',
  unknown: 'Neither the deck nor the background says.',
  declined: 'Refused: it asked for what the presenter keeps to itself.',
  handoff: 'Left to you.',
  error: 'The answer failed.',
}

/** Of the questions that were made from the slides. */
export function triedWords(tried: Tried | undefined): string {
  if (tried === undefined) return 'Asking questions'
  if (tried.answers.length === 0) return 'No words on the slides to ask about'
  const answered = tried.answers.filter(({ outcome }) => outcome === 'answered').length
  return `${answered} of ${plural(tried.answers.length, 'question')} answered from the deck`
}

/** Whether the host can help the next asker by adding to the knowledge. */
export const needsKnowledge = (outcome: Outcome | null | undefined): boolean => outcome === 'unknown' || outcome === 'near'

/** Where a question that was left open came from: a slide of the room, or personal agents, who see none. */
export const askedWords = ({ count, slideIndex }: { count: number; slideIndex?: number | undefined }): string =>
  `Asked ${count === 1 ? 'once' : plural(count, 'time')}, ${slideIndex === undefined ? 'through a personal agent' : `on slide ${slideIndex + 1}`}`

/** A question that was joined with another one has that one's outcome, and its text in `joinedWith`. */
export function withLeaders(questions: readonly AskedQuestion[]): (AskedQuestion & { joinedWith?: string })[] {
  const byId = new Map(questions.map((question) => [question.questionId, question]))
  return questions.map((question) => {
    const leader = question.mergedInto === undefined ? undefined : byId.get(question.mergedInto)
    if (leader === undefined) return question
    return { ...question, joinedWith: leader.text, ...(leader.outcome !== undefined && { outcome: leader.outcome }) }
  })
}

/** Whether the deck and the knowledge left it without an answer; one that was joined is as its leader is. */
export const isUnanswered = ({ outcome, mergedInto }: AskedQuestion): boolean =>
  outcome === undefined ? mergedInto === undefined : needsKnowledge(outcome)
