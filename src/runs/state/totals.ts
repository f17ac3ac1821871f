// The figures of one run, read from its state: who came, how long they stayed, what they asked and clicked (Spec 2.5).
import { engagedBetween } from './fold-visit.ts'
import type { RunState } from './run-state.ts'

export interface RunTotals {
  totalAttendees: number
  /** Mean seconds with an open stream between start and end of the run, rounded to 0.1. */
  averageEngagementSec: number
  questionsCount: number
  ctaClicks: number
}

/** `at` ends the visits that are still open. */
export function totalsOf(state: RunState, at: number): RunTotals {
  let engagedMs = 0
  for (const { isPresent, openedAt, engagedMs: closed } of state.attendees.values()) {
    engagedMs += closed + (isPresent ? engagedBetween(state, openedAt, at) : 0)
  }
  const totalAttendees = state.attendees.size
  const averageEngagementSec = totalAttendees === 0 ? 0 : Math.round(engagedMs / totalAttendees / 100) / 10
  return { totalAttendees, averageEngagementSec, questionsCount: state.questionsCount, ctaClicks: state.ctaClicks }
}
