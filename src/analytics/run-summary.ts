// What one run says about its attendees and questions: a fold of its log that later runs can be added to (spec 2.5).
import { z } from 'zod'

// The run events that figures are made of, as the log holds them. Analytics reads the log's bytes, not the room's code, so
// this file says what it relies on; test/contract/analytics.test.ts holds it against real runs.

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

const rating = z.object({ type: z.literal('rating'), data: z.object({ attendeeId: z.string(), rating: z.number() }) })

const fact = z.discriminatedUnion('type', [visit, slide, state, question, answer, cta, lead, rating])
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

// What is kept of a run.

/** Half-open, epoch ms. */
const stretch = z.object({ from: z.number(), to: z.number() })
export type Stretch = z.output<typeof stretch>

const attendeeSummary = z.object({
  attendeeId: z.string(),
  /** With an open stream. */
  present: z.array(stretch),
  /** Of `present`, within the talk. */
  engagedMs: z.number(),
  /** Milliseconds on each slide, by index; only slides that were on screen while they were there. */
  slidesMs: z.record(z.string(), z.number()),
  started: z.boolean(),
  half: z.boolean(),
  completed: z.boolean(),
  clicked: z.boolean(),
  /** When first; unknown to summaries that were kept before it was counted. */
  clickedAt: z.number().optional(),
  lead: z.boolean(),
  /** Of the talk, 1 to 5. */
  rating: z.number().optional(),
  /** The slide on screen when they left for good before the closing. */
  leftAtSlide: z.number().nullable(),
})
export type AttendeeSummary = z.output<typeof attendeeSummary>

const questionSummary = z.object({
  questionId: z.string(),
  text: z.string(),
  /** The attendee, and when; absent where a personal agent asked. */
  askedBy: z.string().optional(),
  at: z.number().optional(),
  /** Absent where a personal agent asked, who sees no slide. */
  slideIndex: z.number().optional(),
  outcome: z.string().nullable(),
})
export type QuestionSummary = z.output<typeof questionSummary>

export const runSummary = z.object({ attendees: z.array(attendeeSummary), questions: z.array(questionSummary), leads: z.number() })
export type RunSummary = z.output<typeof runSummary>

interface Timeline {
  /** The talk: from the first `presenting` to its end, or to now. */
  talk: Stretch | null
  /** When the closing began. */
  closingAt: number | null
  slides: (Stretch & { index: number })[]
}

const overlap = (a: Stretch, b: Stretch): number => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from))
const touches = (a: Stretch, at: number): boolean => a.from <= at && at < a.to
const isOver = (status: string): boolean => status === 'completed' || status === 'failed'

function timelineOf(facts: readonly Fact[], now: number): Timeline {
  let startedAt: number | null = null
  let endedAt: number | null = null
  let closingAt: number | null = null
  const slides: (Stretch & { index: number })[] = []
  for (const fact of facts) {
    if (fact.type === 'state') {
      if (fact.data.status === 'presenting') startedAt ??= fact.at
      if (fact.data.status === 'closing') closingAt ??= fact.at
      endedAt = isOver(fact.data.status) ? fact.at : null
    } else if (fact.type === 'slide') {
      const before = slides.at(-1)
      if (before !== undefined) before.to = fact.at
      slides.push({ index: fact.data.index, from: fact.at, to: now })
    }
  }
  const end = endedAt ?? now
  const talk = startedAt === null ? null : { from: startedAt, to: end }
  return { talk, closingAt, slides: slides.map((slide) => ({ ...slide, to: Math.min(slide.to, end) })) }
}

/** The stretches with an open stream of every attendee; a visit that is not closed lasts until `now`. */
function visitsOf(facts: readonly Fact[], now: number): Map<string, Stretch[]> {
  const visits = new Map<string, Stretch[]>()
  for (const fact of facts) {
    if (fact.type !== 'visit') continue
    const stretches = visits.get(fact.data.attendeeId) ?? []
    visits.set(fact.data.attendeeId, stretches)
    const last = stretches.at(-1)
    if (fact.data.phase === 'opened') stretches.push({ from: fact.at, to: now })
    else if (last !== undefined) last.to = Math.max(last.from, Math.min(fact.data.since, fact.at))
  }
  return visits
}

function questionsOf(facts: readonly Fact[]): QuestionSummary[] {
  const questions = new Map<string, QuestionSummary>()
  const joinedWith = new Map<string, string>()
  for (const fact of facts) {
    if (fact.type === 'question') {
      const { questionId, text, slideIndex, mergedInto, by } = fact.data
      if (!questions.has(questionId))
        questions.set(questionId, { questionId, text, askedBy: by.attendeeId, at: fact.at, slideIndex, outcome: null })
      if (mergedInto !== undefined) joinedWith.set(questionId, mergedInto)
    } else if (fact.type === 'answer' && fact.data.phase === 'end') {
      const asked = questions.get(fact.data.questionId)
      if (asked !== undefined) asked.outcome = fact.data.outcome ?? null
    }
  }
  // What was joined was answered with the question it was joined with.
  for (const [questionId, leader] of joinedWith) {
    const joined = questions.get(questionId)
    if (joined !== undefined) joined.outcome ??= questions.get(leader)?.outcome ?? null
  }
  return [...questions.values()]
}

function attendeeOf(attendeeId: string, present: Stretch[], line: Timeline, slidesCount: number, now: number): AttendeeSummary {
  const slidesMs: Record<string, number> = {}
  for (const slide of line.slides) {
    const ms = present.reduce((sum, stretch) => sum + overlap(stretch, slide), 0)
    if (ms > 0) slidesMs[slide.index] = (slidesMs[slide.index] ?? 0) + ms
  }
  const { talk, closingAt } = line
  const engagedMs = talk === null ? 0 : present.reduce((sum, stretch) => sum + overlap(stretch, talk), 0)
  const leftAt = present.at(-1)?.to ?? now
  const atClosing = closingAt !== null && present.some((stretch) => touches(stretch, closingAt))
  // A run that its only attendee leaves ends then, without a closing.
  const leftEarly = leftAt < now && (closingAt === null || leftAt < closingAt)
  const lastSlide = line.slides.findLast((slide) => slide.from <= leftAt)
  return {
    attendeeId,
    present,
    engagedMs,
    slidesMs,
    started: engagedMs > 0,
    half: Object.keys(slidesMs).some((index) => Number(index) + 1 > slidesCount / 2),
    completed: atClosing,
    clicked: false,
    lead: false,
    leftAtSlide: leftEarly && lastSlide !== undefined ? lastSlide.index : null,
  }
}

/** Folds the facts of one run. `now` bounds what is still going on; `slidesCount` is the length of the deck it shows. */
export function summariseRun(facts: readonly Fact[], slidesCount: number, now: number): RunSummary {
  const line = timelineOf(facts, now)
  const attendees = new Map<string, AttendeeSummary>()
  for (const [id, present] of visitsOf(facts, now)) attendees.set(id, attendeeOf(id, present, line, slidesCount, now))
  let leads = 0
  for (const fact of facts) {
    if (fact.type === 'cta' && fact.data.state === 'clicked') {
      const attendee = attendees.get(fact.audience)
      if (attendee !== undefined) Object.assign(attendee, { clicked: true, clickedAt: attendee.clickedAt ?? fact.at })
    } else if (fact.type === 'lead') {
      leads += 1
      const attendee = attendees.get(fact.data.attendeeId)
      if (attendee !== undefined) attendee.lead = true
    } else if (fact.type === 'rating') {
      const attendee = attendees.get(fact.data.attendeeId)
      if (attendee !== undefined) attendee.rating = fact.data.rating
    }
  }
  return { attendees: [...attendees.values()], questions: questionsOf(facts), leads }
}
