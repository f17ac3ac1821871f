// What one run says about its attendees and questions, a fold of its log, and the figures of a session: those added up (spec 2.5).
import { z } from 'zod'
import type { RunEvent, RunEventType } from '@rostrum/contract/room'
import { iso } from '@rostrum/base/clock'
import { wordsOf } from '@rostrum/stage/decide/questions'
import { answerTo, fold } from '@rostrum/stage/fold'
import { initialState, type RunState } from '@rostrum/stage/run-state'
import { pollFigure, pollFigures, pollsOf, pollSummary } from './polls.ts'

/** The run events that figures are made of. */
export const counted = [
  'visit',
  'slide',
  'state',
  'question',
  'answer',
  'cta',
  'lead',
  'rating',
  'poll',
  'poll_answer',
  'poll_word',
] as const satisfies readonly RunEventType[]

/** Half-open, epoch ms. */
const stretch = z.object({ from: z.number(), to: z.number() })
type Stretch = z.output<typeof stretch>

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

export const runSummary = z.object({
  attendees: z.array(attendeeSummary),
  questions: z.array(questionSummary),
  /** Absent from summaries that were kept before there were any. */
  polls: z.array(pollSummary).optional(),
})
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

function timelineOf(facts: readonly RunEvent[], now: number): Timeline {
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
function visitsOf(facts: readonly RunEvent[], now: number): Map<string, Stretch[]> {
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

function questionsOf(state: RunState): QuestionSummary[] {
  return state.questions.values().map((question) => {
    const { id: questionId, text, attendeeId: askedBy, askedAt: at, slideIndex, instant } = question
    return { questionId, text, askedBy, at, slideIndex, outcome: (answerTo(question, state) ?? instant)?.outcome ?? null }
  })
}

function attendeeOf(
  attendeeId: string,
  present: Stretch[],
  line: Timeline,
  slidesCount: number,
  now: number,
): Omit<AttendeeSummary, 'clicked' | 'lead'> {
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
    leftAtSlide: leftEarly && lastSlide !== undefined ? lastSlide.index : null,
  }
}

/** What the events of one run, those that count, say. `now` bounds what is still going on; `slidesCount` is the length of the deck it shows. */
export function summariseRun(events: readonly RunEvent[], slidesCount: number, now: number): RunSummary {
  const line = timelineOf(events, now)
  const state = events.reduce(fold, initialState(0))
  const clicks = new Map<string, number>()
  for (const { type, data, audience, at } of events)
    if (type === 'cta' && data.state === 'clicked' && !clicks.has(audience)) clicks.set(audience, at)
  const leads = new Set(state.leadOf)
  const attendees = [...visitsOf(events, now)].map(([id, present]) => {
    const [clickedAt, rating] = [clicks.get(id), state.ratingOf.get(id)]
    return {
      ...attendeeOf(id, present, line, slidesCount, now),
      clicked: clickedAt !== undefined,
      ...(clickedAt !== undefined && { clickedAt }),
      lead: leads.has(id),
      ...(rating !== undefined && { rating }),
    }
  })
  return { attendees, questions: questionsOf(state), polls: pollsOf(state) }
}

const slideFigures = z.object({ index: z.number(), views: z.number(), avgSeconds: z.number(), leftHere: z.number(), questions: z.number() })
const cluster = z.object({
  text: z.string(),
  count: z.number(),
  /** `unknown` or `near`. */
  outcome: z.string(),
  /** Where it was asked first; absent where only personal agents have asked. */
  slideIndex: z.number().optional(),
})
export type UnansweredCluster = z.output<typeof cluster>

export const figures = z.object({
  totalAttendees: z.number(),
  averageEngagementSec: z.number(),
  questionsCount: z.number(),
  ctaClicks: z.number(),
  leads: z.number(),
  rating: z
    .object({ mean: z.number(), count: z.number() })
    .optional()
    .describe('What attendees gave the talk, 1 to 5; absent until one has.'),
  slides: z.array(slideFigures),
  funnel: z.object({
    opened: z.number(),
    started: z.number(),
    half: z.number(),
    completed: z.number(),
    cta: z.number(),
    lead: z.number(),
  }),
  attendance: z.array(z.object({ at: z.string(), count: z.number() })),
  unanswered: z.array(cluster),
  polls: pollFigure.optional(),
})
export type Figures = z.output<typeof figures>

const tenth = (value: number): number => Math.round(value * 10) / 10
const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

/** Beside the log: `leads` is the number of leads kept for the session, `ofAgents` what personal agents have asked of it. */
export function figuresOf(
  runs: readonly RunSummary[],
  slidesCount: number,
  { leads, ofAgents }: { leads: number; ofAgents: readonly QuestionSummary[] },
): Figures {
  const attendees = runs.flatMap((run) => run.attendees)
  const questions = [...runs.flatMap((run) => run.questions), ...ofAgents]
  const ratings = attendees.flatMap(({ rating }) => rating ?? [])
  const count = (is: (attendee: AttendeeSummary) => boolean) => attendees.filter(is).length
  return {
    totalAttendees: attendees.length,
    averageEngagementSec: tenth(mean(attendees.map((attendee) => attendee.engagedMs)) / 1_000),
    questionsCount: questions.length,
    ctaClicks: count((attendee) => attendee.clicked),
    leads,
    ...(ratings.length > 0 && { rating: { mean: tenth(mean(ratings)), count: ratings.length } }),
    slides: Array.from({ length: slidesCount }, (_, index) => figuresOfSlide(index, attendees, questions)),
    funnel: {
      opened: attendees.length,
      started: count((attendee) => attendee.started),
      half: count((attendee) => attendee.half),
      completed: count((attendee) => attendee.completed),
      cta: count((attendee) => attendee.clicked),
      lead: count((attendee) => attendee.lead),
    },
    attendance: attendanceOf(attendees),
    unanswered: clustersOf(questions),
    ...pollFigures(runs.flatMap(({ polls = [] }) => polls)),
  }
}

function figuresOfSlide(
  index: number,
  attendees: readonly AttendeeSummary[],
  questions: readonly QuestionSummary[],
): z.output<typeof slideFigures> {
  const times = attendees.flatMap((attendee) => attendee.slidesMs[index] ?? [])
  return {
    index,
    views: times.length,
    avgSeconds: tenth(mean(times) / 1_000),
    leftHere: attendees.filter((attendee) => attendee.leftAtSlide === index).length,
    questions: questions.filter((question) => question.slideIndex === index).length,
  }
}

const stepMs = 30_000
const pointsMax = 200

/** Distinct attendees with an open stream in each step: 30 s, or as many as keep it to 200 points. */
export function attendanceOf(attendees: readonly { present: readonly Stretch[] }[]): { at: string; count: number }[] {
  const stretches = attendees.flatMap((attendee) => attendee.present)
  if (stretches.length === 0) return []
  const first = stretches.reduce((earliest, { from }) => Math.min(earliest, from), Infinity)
  const last = stretches.reduce((latest, { to }) => Math.max(latest, to), -Infinity)
  const step = stepMs * Math.max(1, Math.ceil((last - first) / stepMs / (pointsMax - 1)))
  const start = Math.floor(first / step) * step
  const counts: number[] = Array.from({ length: Math.floor((last - start) / step) + 1 }, () => 0)
  for (const { present } of attendees) {
    const steps = new Set<number>()
    for (const { from, to } of present) {
      for (let i = Math.floor((from - start) / step); start + i * step < Math.max(to, from + 1); i++) steps.add(i)
    }
    for (const i of steps) counts[i] = (counts[i] ?? 0) + 1
  }
  return counts.map((count, i) => ({ at: iso(start + i * step), count }))
}

/** Questions with the same words in any order are one. */
function clustersOf(questions: readonly QuestionSummary[]): UnansweredCluster[] {
  const clusters = new Map<string, UnansweredCluster>()
  for (const { text, outcome, slideIndex } of questions) {
    if (outcome !== 'unknown' && outcome !== 'near') continue
    const key = wordsOf(text)
    const known = clusters.get(key)
    if (known === undefined) clusters.set(key, { text, count: 1, outcome, slideIndex })
    else {
      known.count += 1
      if (outcome === 'unknown') known.outcome = 'unknown'
    }
  }
  return [...clusters.values()].toSorted((a, b) => b.count - a.count)
}

/** Only the most asked are compared with each other; the pairs grow with the square. */
const comparedMax = 100

/** Clusters that ask the same in other words, added up under the most asked of them; the order is by count again. */
export function* joinAlike(
  clusters: readonly UnansweredCluster[],
  isSame: (a: string, b: string) => boolean,
): Generator<undefined, UnansweredCluster[]> {
  const joined: UnansweredCluster[] = []
  for (const [index, each] of clusters.entries()) {
    let alike: UnansweredCluster | undefined
    for (const other of index < comparedMax ? joined : []) {
      if (isSame(each.text, other.text)) {
        alike = other
        break
      }
      yield
    }
    if (alike === undefined) joined.push({ ...each })
    else {
      alike.count += each.count
      if (each.outcome === 'unknown') alike.outcome = 'unknown'
    }
  }
  return joined.toSorted((a, b) => b.count - a.count)
}
