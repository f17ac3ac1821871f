// The run events that figures are made of, as the log holds them. Analytics reads the log's bytes, not the room's code, so
// this file says what it relies on; test/contract/analytics.test.ts holds it against real runs.
import { z } from 'zod'

/** One row of a run's log. */
export interface LoggedEvent {
  at: number
  audience: string
  type: string
  /** JSON text. */
  data: string
}

const visit = z.object({
  type: z.literal('visit'),
  data: z.object({ attendeeId: z.string(), phase: z.enum(['opened', 'closed']), since: z.number() }),
})
const slide = z.object({ type: z.literal('slide'), data: z.object({ index: z.number() }) })
const state = z.object({ type: z.literal('state'), data: z.object({ status: z.string(), reason: z.string().optional() }) })
const question = z.object({
  type: z.literal('question'),
  data: z.object({
    questionId: z.string(),
    text: z.string(),
    status: z.string(),
    slideIndex: z.number(),
    mergedInto: z.string().optional(),
    by: z.object({ attendeeId: z.string() }),
  }),
})
const answer = z.object({
  type: z.literal('answer'),
  data: z.object({ questionId: z.string(), phase: z.string(), outcome: z.string().optional() }),
})
const cta = z.object({ type: z.literal('cta'), data: z.object({ state: z.string() }) })
const lead = z.object({ type: z.literal('lead'), data: z.object({ leadId: z.string(), attendeeId: z.string() }) })

const fact = z.discriminatedUnion('type', [visit, slide, state, question, answer, cta, lead])
const used: ReadonlySet<string> = new Set(fact.options.map((option) => option.shape.type.value))

export type Fact = z.output<typeof fact> & { at: number; audience: string }

/** The facts among `events`, in their order; other events say nothing about figures. */
export function factsOf(events: readonly LoggedEvent[]): Fact[] {
  return events
    .filter(({ type }) => used.has(type))
    .map(({ at, audience, type, data }) => {
      const parsed: unknown = JSON.parse(data)
      return { ...fact.parse({ type, data: parsed }), at, audience }
    })
}
