// What a talk asks its room: a choice (a quiz where one is right), a rating, a word each. What its author sets, what is shown of it, and
// what comes of it. Zod alone, and one count that everybody makes alike.
import { z } from 'zod'

export const pollLimits = {
  question: 160,
  options: 8,
  option: 80,
  word: 30,
  perSlide: 5,
  /** Seconds that a broadcast waits for answers. */
  secondsLeast: 5,
  seconds: 20,
  secondsMost: 300,
} as const

export const pollKind = z.enum(['choice', 'rating', 'words'])
export type PollKind = z.output<typeof pollKind>

/** It stands in a directive of the notes, whose signs it cannot hold. */
const plain = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/[[\]|\n\p{Cc}]/u.test(text) && text.isWellFormed(), 'must be one line without [, ] and |.')

/** As its author sets it. */
export const pollSpec = z
  .strictObject({
    kind: pollKind,
    question: plain(pollLimits.question).describe('What is asked, and said aloud. Public.'),
    options: z
      .array(plain(pollLimits.option).refine((text) => !text.startsWith('*'), 'must not begin with *: name the right one in `right`.'))
      .min(2)
      .max(pollLimits.options)
      .exactOptional()
      .describe('Of a `choice`: 2 to 8.'),
    right: z.int().min(0).exactOptional().describe('Of a quiz: the right option, from 0. Told with the results, not before.'),
    seconds: z
      .int()
      .min(pollLimits.secondsLeast)
      .max(pollLimits.secondsMost)
      .exactOptional()
      .describe('How long a broadcast waits for answers after the question, 5 to 300; 20 where it is left out.'),
  })
  .superRefine(({ kind, options, right }, { addIssue }) => {
    const refuse = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message })
    if (kind === 'choice' && options === undefined) refuse('options', 'send 2 to 8 options for a `choice`.')
    if (kind !== 'choice' && options !== undefined) refuse('options', `leave it out for \`${kind}\`.`)
    if (right !== undefined && right >= (options?.length ?? 0)) refuse('right', 'send the place of one of the options, from 0.')
    if (new Set(options).size < (options?.length ?? 0)) refuse('options', 'send each option once.')
  })
export type PollSpec = z.output<typeof pollSpec>

/** As the room is asked. */
export const pollAsked = {
  pollId: z.string(),
  slideIndex: z.int().min(0),
  kind: pollKind,
  question: z.string(),
  options: z.array(z.string()).readonly().describe('Of a `choice`; empty for others.'),
  quiz: z.literal(true).exactOptional().describe('One option is right: which, is told with the results.'),
}

/** What came of it so far. */
export const pollResults = {
  answers: z.int().describe('How many attendees have answered.'),
  counts: z.array(z.int()).readonly().exactOptional().describe('Of a `choice` by option; of a `rating` of 1, 2, 3, 4 and 5.'),
  words: z
    .array(z.strictObject({ word: z.string(), count: z.int() }))
    .readonly()
    .exactOptional()
    .describe('Of `words`: the most given first.'),
}
const results = z.strictObject(pollResults)
export type PollResults = z.output<typeof results>

/** What one attendee answers: the member that the kind asks for. */
export const pollAnswer = {
  choice: z
    .int()
    .min(0)
    .max(pollLimits.options - 1)
    .exactOptional()
    .describe('Of a `choice`: the option, from 0.'),
  rating: z.int().min(1).max(5).exactOptional().describe('Of a `rating`.'),
  word: z.string().trim().min(1).max(pollLimits.word).exactOptional().describe('Of `words`: one, or a short term.'),
}
export type PollAnswer = { choice?: number; rating?: number; word?: string }

/** Words that differ in capitals, accents or spaces are one. */
export const wordKey = (word: string): string => word.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/gu, ' ').trim().toLowerCase()

const wordsMost = 60

interface Answered {
  kind: PollKind
  options: readonly string[]
  /** Words that are left out, by their keys. */
  hidden: readonly string[]
}

/** A poll in its run. */
export const pollSoFar = z.strictObject({
  ...pollAsked,
  open: z.boolean().describe('Answers are taken, and may be changed.'),
  until: z.number().exactOptional().describe('Unix milliseconds: when the presenter of a broadcast goes on; absent where nobody knows.'),
  shown: z.boolean().describe('The results are for all to see.'),
  results: z
    .strictObject(pollResults)
    .exactOptional()
    .describe('Once they are shown; of one that is still open, `presence` tells them on.'),
  right: z.int().exactOptional().describe('Of a quiz, with the results: the right option.'),
})
export type PollSoFar = z.output<typeof pollSoFar>
export const ownAnswer = z.strictObject({
  pollId: z.string(),
  ...pollAnswer,
  right: z.boolean().exactOptional().describe('Of a quiz whose results are shown.'),
})

/** Counted over the last answer of each. */
export function resultsOf({ kind, options, hidden }: Answered, all: Iterable<PollAnswer>): PollResults {
  const given = [...all]
  const answers = given.length
  switch (kind) {
    case 'choice':
      return {
        answers,
        counts: countsOf(
          given.map(({ choice = -1 }) => choice),
          options.length,
        ),
      }
    case 'rating':
      return {
        answers,
        counts: countsOf(
          given.map(({ rating = 0 }) => rating - 1),
          5,
        ),
      }
    case 'words': {
      const words = new Map<string, { word: string; count: number }>()
      for (const { word = '' } of given) {
        const key = wordKey(word)
        if (hidden.includes(key)) continue
        const known = words.get(key)
        // Of ways to write it one is shown, the same whoever counts.
        words.set(key, { word: known === undefined || word < known.word ? word : known.word, count: (known?.count ?? 0) + 1 })
      }
      const order = [...words.values()].toSorted((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
      return { answers, words: order.slice(0, wordsMost) }
    }
  }
}

function countsOf(places: readonly number[], size: number): number[] {
  const counts = Array.from({ length: size }, () => 0)
  for (const place of places) if (counts[place] !== undefined) counts[place]++
  return counts
}
