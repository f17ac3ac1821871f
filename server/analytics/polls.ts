// What rooms were asked and what they answered, read from the log of a run and added up over many.
import { z } from 'zod'
import { pollAnswer, pollAsked, pollResults, resultsOf } from '@rostrum/contract/poll'
import type { RunState } from '@rostrum/stage/run-state'

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

export function pollsOf({ polls }: Pick<RunState, 'polls'>): PollSummary[] {
  return polls.map(({ pollId, slideIndex, kind, question, options, quiz, right, hidden, answers }) => ({
    pollId,
    slideIndex,
    kind,
    question,
    options,
    ...(quiz && { quiz }),
    ...(right !== null && { right }),
    hidden: [...hidden],
    answers: [...answers.entries()].map(([attendeeId, answer]) => ({ attendeeId, ...answer })),
  }))
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
