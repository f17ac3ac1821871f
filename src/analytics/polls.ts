// What rooms were asked and what they answered, read from the log of a run and added up over many.
import { z } from 'zod'
import { type PollAnswer, pollAnswer, pollAsked, pollResults, resultsOf } from '../contract/poll.ts'
import { runEvents } from '../contract/room.ts'

export const pollFacts = {
  poll: runEvents.poll.pick({ pollId: true, slideIndex: true, kind: true, question: true, options: true, quiz: true, right: true }).strip(),
  poll_answer: runEvents.poll_answer,
  poll_word: runEvents.poll_word,
}
type Facts = typeof pollFacts
type PollFact = { [Type in keyof Facts]: { type: Type; data: z.output<Facts[Type]> } }[keyof Facts]

export const pollSummary = z.object({
  ...pollAsked,
  right: z.number().optional(),
  hidden: z.array(z.string()),
  /** The last of each attendee. */
  answers: z.array(z.object({ attendeeId: z.string(), ...pollAnswer })),
})
export type PollSummary = z.output<typeof pollSummary>

export const pollFigure = z
  .array(z.object({ ...pollAsked, right: z.number().optional(), results: z.object(pollResults) }))
  .describe('What rooms were asked, over all runs; absent where nothing was.')

export function pollsOf(facts: readonly PollFact[]): PollSummary[] {
  const polls = new Map<string, PollSummary>()
  const given = new Map<string, Map<string, PollAnswer>>()
  for (const fact of facts) {
    if (fact.type === 'poll') {
      const { hidden = [] } = polls.get(fact.data.pollId) ?? {}
      polls.set(fact.data.pollId, { ...fact.data, hidden, answers: [] })
    } else if (fact.type === 'poll_answer') {
      const { pollId, attendeeId, ...answer } = fact.data
      given.set(pollId, (given.get(pollId) ?? new Map<string, PollAnswer>()).set(attendeeId, answer))
    } else if (fact.type === 'poll_word') polls.get(fact.data.pollId)?.hidden.push(fact.data.word)
  }
  return [...polls.values()].map((poll) => {
    const answers = [...(given.get(poll.pollId) ?? [])].map(([attendeeId, answer]) => ({ attendeeId, ...answer }))
    return { ...poll, answers }
  })
}

/** The same poll of several runs is one. */
export function pollFigures(polls: readonly PollSummary[]): { polls?: z.output<typeof pollFigure> } {
  if (polls.length === 0) return {}
  const byId = Map.groupBy(polls, ({ pollId }) => pollId)
  const all = [...byId.values()].flatMap((same) => {
    const last = same.at(-1)
    if (last === undefined) return []
    const { hidden: _, answers: _answers, right = same.find((each) => each.right !== undefined)?.right, ...asked } = last
    const given = { ...asked, hidden: same.flatMap(({ hidden }) => hidden) }
    const results = resultsOf(
      given,
      same.flatMap(({ answers }) => answers),
    )
    return [{ ...asked, ...(right !== undefined && { right }), results }]
  })
  return { polls: all.toSorted((a, b) => a.slideIndex - b.slideIndex) }
}
