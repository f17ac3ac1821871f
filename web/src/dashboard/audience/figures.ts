// Pure arithmetic of the analytics screens: medians, sums, and what may be said of few people.
/** Below this many attendees only counts are shown: a percentage of three people says nothing. */
export const fewAttendees = 5

export const statNames = ['totalAttendees', 'averageEngagementSec', 'questionsCount', 'ctaClicks'] as const
export type StatName = (typeof statNames)[number]
export type Stats = Record<StatName, number>

export function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** The median of each figure over the sessions that people came to; undefined until there are two to compare. */
export function medians(all: readonly Stats[]): Stats | undefined {
  const held = all.filter(({ totalAttendees }) => totalAttendees > 0)
  if (held.length < 2) return undefined
  const of = (name: StatName) => median(held.map((one) => one[name])) ?? 0
  return {
    totalAttendees: of('totalAttendees'),
    averageEngagementSec: of('averageEngagementSec'),
    questionsCount: of('questionsCount'),
    ctaClicks: of('ctaClicks'),
  }
}

/** "12 more than your median", in the words of `say`; "your median" when equal. */
export function difference(value: number, middle: number, say: (amount: number) => string): string {
  const off = value - middle
  const amount = say(Math.abs(off))
  // What is nothing in words is no difference either: "0 sec above".
  if (amount === say(0)) return 'Your median'
  return `${amount} ${off > 0 ? 'above' : 'below'} your median`
}

/** Sums over sessions; engagement is weighted by attendees. */
export function totals(all: readonly Stats[]): Stats {
  const sum = (of: (one: Stats) => number) => all.reduce((total, one) => total + of(one), 0)
  const totalAttendees = sum((one) => one.totalAttendees)
  const seconds = sum((one) => one.averageEngagementSec * one.totalAttendees)
  return {
    totalAttendees,
    averageEngagementSec: totalAttendees === 0 ? 0 : seconds / totalAttendees,
    questionsCount: sum((one) => one.questionsCount),
    ctaClicks: sum((one) => one.ctaClicks),
  }
}
