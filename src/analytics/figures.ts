// The figures of a session, added up over its live runs (spec 2.5 and the additions of the interface).
import { z } from 'zod'
import { iso } from '../platform/clock.ts'
import type { AttendeeSummary, QuestionSummary, RunSummary, Stretch } from './run-summary.ts'

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
function clusterKey(text: string): string {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words)].toSorted().join(' ')
}

function clustersOf(questions: readonly QuestionSummary[]): UnansweredCluster[] {
  const clusters = new Map<string, UnansweredCluster>()
  for (const { text, outcome, slideIndex } of questions) {
    if (outcome !== 'unknown' && outcome !== 'near') continue
    const key = clusterKey(text)
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
