// Folds the comings and goings of attendees into the state of a run.
import type { EventData } from '../../contract/room.ts'
import { activeMs, type Attendance, heardAfterMs, type RunState } from './run-state.ts'

export function foldVisit(state: RunState, data: EventData<'visit'>, at: number): RunState {
  return data.phase === 'opened' ? opened(state, data, at) : closed(state, data)
}

function opened(state: RunState, data: EventData<'visit'>, at: number): RunState {
  const before = state.attendees.get(data.attendeeId)
  if (before?.isPresent === true) return state
  const { attendeeId, name, kind, visit } = data
  const attendance: Attendance = {
    attendeeId,
    name,
    kind,
    visit,
    isPresent: true,
    firstAt: before?.firstAt ?? at,
    openedAt: at,
    engagedMs: before?.engagedMs ?? 0,
    handRaised: false,
  }
  const occupied = state.occupied ?? { at, activeMs: activeMs(state, at) }
  return { ...state, attendees: state.attendees.put(attendeeId, attendance), present: state.present + 1, emptySince: null, occupied }
}

function closed(state: RunState, data: EventData<'visit'>): RunState {
  const before = state.attendees.get(data.attendeeId)
  if (before === undefined || !before.isPresent) return state
  const engagedMs = before.engagedMs + engagedBetween(state, before.openedAt, data.since)
  const present = state.present - 1
  const { occupied, heardFromMs } = state
  const isHeard = present === 0 && occupied !== null && data.since - occupied.at >= heardAfterMs
  return {
    ...state,
    attendees: state.attendees.put(data.attendeeId, { ...before, isPresent: false, engagedMs, handRaised: false }),
    present,
    occupied: present === 0 ? null : occupied,
    heardFromMs: heardFromMs ?? (isHeard ? occupied.activeMs : null),
    hands: state.hands - (before.handRaised ? 1 : 0),
    emptySince: present === 0 ? data.since : null,
  }
}

/** What was logged before is without the name already; this is for those who have it in memory. */
export function foldErased(state: RunState, { attendeeId }: EventData<'erased'>): RunState {
  const attendance = state.attendees.get(attendeeId)
  let { questions } = state
  for (const question of state.questions.values())
    if (question.attendeeId === attendeeId) questions = questions.put(question.id, { ...question, name: null })
  return {
    ...state,
    nameless: state.nameless.includes(attendeeId) ? state.nameless : [...state.nameless, attendeeId],
    attendees: attendance === undefined ? state.attendees : state.attendees.put(attendeeId, { ...attendance, name: null }),
    questions,
  }
}

/** Milliseconds of [from, to] between the start and the end of the run. */
export function engagedBetween(state: Pick<RunState, 'startedAt' | 'endedAt'>, from: number, to: number): number {
  if (state.startedAt === null) return 0
  return Math.max(0, Math.min(to, state.endedAt ?? to) - Math.max(from, state.startedAt))
}
