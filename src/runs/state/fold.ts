// The pure reducer of a run: `fold(state, event)` is the state after the event. It never reads the clock and never decides; the
// room at `seq` n is the fold of the first n events, on every node and after every restart.
import { clipIn } from '../clip-in.ts'
import { foldAnswer, foldHeard, foldTrace } from './fold-answer.ts'
import { foldQuestion, foldVote } from './fold-question.ts'
import { foldErased, foldVisit } from './fold-visit.ts'
import { emptyRegister } from './register.ts'
import type { BeatSpoken, CtaChanged, HostSeen, NewRunEvent, RunEvent, Signalled, StateChanged } from './run-event.ts'
import { isActive, type RunState } from './run-state.ts'

const captionsMax = 20

export function fold(state: RunState, event: RunEvent): RunState {
  const next = apply(state, event)
  const roomSeq = event.audience === 'room' ? event.seq : state.roomSeq
  return { ...next, seq: event.seq, epoch: event.epoch, roomSeq }
}

function apply(state: RunState, event: NewRunEvent & { at: number }): RunState {
  switch (event.type) {
    case 'slide': {
      const { index } = event.data
      const slidesPassed = state.slidesPassed.includes(index) ? state.slidesPassed : [...state.slidesPassed, index]
      return { ...state, slideIndex: index, slidesPassed }
    }
    case 'beat':
      return foldBeat(state, event.data, event.at)
    case 'state':
      return foldState(state, event.data, event.at)
    case 'question':
      return foldQuestion(state, event.data, event.at)
    case 'answer':
      return foldAnswer(state, event.data, event.at)
    case 'trace':
      return foldTrace(state, event.data)
    case 'heard':
      return foldHeard(state, event.data, event.at)
    case 'cta':
      return foldCta(state, event.data, event.audience, event.at)
    case 'visit':
      return foldVisit(state, event.data, event.at)
    case 'intent':
      return foldSignal(state, event.data)
    case 'vote':
      return foldVote(state, event.data)
    case 'lead':
      return state.leadOf.includes(event.data.attendeeId) ? state : { ...state, leadOf: [...state.leadOf, event.data.attendeeId] }
    case 'erased':
      return foldErased(state, event.data)
    case 'audit':
      return { ...state, hostSeenAt: event.at }
    case 'host':
      return foldHost(state, event.data, event.at)
    case 'closed':
      // Told to one attendee alone, it is they who have left; the room goes on.
      return event.audience === 'room' ? { ...state, closed: true } : state
  }
}

function foldHost(state: RunState, { present, node = '' }: HostSeen['data'], at: number): RunState {
  const others = state.hostNodes.filter((each) => each !== node)
  return { ...state, hostNodes: present ? [...others, node] : others, hostSeenAt: at }
}

function foldBeat(state: RunState, data: BeatSpoken['data'], at: number): RunState {
  if (data.phase === 'start') {
    const { beatId, slideIndex, index, kind, clause = 0, startedAt = at, estMs = 0, text = '' } = data
    const clip = clipIn(data)
    const speaking = { beatId, slideIndex, index, kind, clause, startedAt, estMs, textLength: text.length, ...(clip && { clip }) }
    const captions = [...state.captions.filter((caption) => caption.beatId !== beatId), { beatId, slideIndex, text, at }].slice(
      -captionsMax,
    )
    const cursor = { beatId, slideIndex, clause, done: false }
    return { ...state, speaking, cursor, captions, answersInRow: 0, answeringSince: null }
  }
  const clause = data.phase === 'cut' ? (data.clause ?? 0) : 0
  const from = data.phase === 'cut' && data.spokenMs !== undefined ? { audioFromMs: data.spokenMs } : {}
  const cursor = { beatId: data.beatId, slideIndex: data.slideIndex, clause, ...from, done: data.phase !== 'cut' }
  return { ...state, speaking: null, cursor, silentSince: at }
}

function foldState(state: RunState, data: StateChanged['data'], at: number): RunState {
  const { status, resumeAt } = data
  const changed = status !== state.status
  const startedAt = state.startedAt ?? (status === 'presenting' ? at : null)
  const ended = status === 'completed' && state.endedAt === null
  const activeMs = state.activeMs + (state.activeSince === null ? 0 : Math.max(0, at - state.activeSince))
  return {
    ...state,
    status,
    startedAt,
    speed: data.speed ?? state.speed,
    isBrief: data.brief ?? state.isBrief,
    reason: data.reason ?? (changed ? null : state.reason),
    statusSince: changed ? at : state.statusSince,
    returnTo: data.returnTo ?? (status === 'answering' || status === 'paused' ? state.returnTo : null),
    pausedBy: status === 'paused' ? data.by : status === 'answering' ? state.pausedBy : null,
    isEndedEarly: state.isEndedEarly || (status === 'closing' && data.reason === 'ended'),
    windowUntil: status === 'closing' ? (data.windowUntil ?? null) : null,
    ...(data.startsAt === undefined ? {} : { startsAt: data.startsAt }),
    activeMs,
    activeSince: isActive(status) ? at : null,
    cursor: resumeAt === undefined || resumeAt === null ? state.cursor : { ...resumeAt, done: false },
    endedAt: ended ? at : state.endedAt,
    endReason: ended ? (data.reason ?? 'finished') : state.endReason,
    answeringSince: status === 'answering' ? (state.answeringSince ?? at) : state.answeringSince,
    silentSince: at,
  }
}

function foldCta(state: RunState, data: CtaChanged['data'], audience: string, at: number): RunState {
  if (data.state === 'clicked' || data.state === 'dismissed') {
    const before = state.ctaOf.get(audience)
    if (before === 'clicked') return state
    return {
      ...state,
      ctaOf: state.ctaOf.put(audience, data.state),
      ctaClicks: state.ctaClicks + (data.state === 'clicked' ? 1 : 0),
    }
  }
  const rule = data.rule
  const ctaOf = data.state === 'shown' ? withoutDismissals(state.ctaOf) : state.ctaOf
  return {
    ...state,
    ctaOf,
    ctaShown: data.state === 'shown',
    ctaShownAt: data.state === 'shown' ? (state.ctaShownAt ?? at) : state.ctaShownAt,
    ctaRulesUsed: rule === null || state.ctaRulesUsed.includes(rule) ? state.ctaRulesUsed : [...state.ctaRulesUsed, rule],
  }
}

/** A rule not yet used shows the call to action again to those who had dismissed it. */
function withoutDismissals(before: RunState['ctaOf']): RunState['ctaOf'] {
  let kept: RunState['ctaOf'] = emptyRegister()
  for (const [attendeeId, state] of before.entries()) if (state === 'clicked') kept = kept.put(attendeeId, state)
  return kept
}

function foldSignal(state: RunState, data: Signalled['data']): RunState {
  if (data.signal === 'high_intent') return { ...state, highIntent: [...state.highIntent, data.attendeeId] }
  const attendee = state.attendees.get(data.attendeeId)
  if (attendee === undefined || data.signal === 'unanswered') return state
  const handRaised = data.signal === 'hand_raised'
  if (attendee.handRaised === handRaised) return state
  return {
    ...state,
    attendees: state.attendees.put(data.attendeeId, { ...attendee, handRaised }),
    hands: state.hands + (handRaised ? 1 : -1),
  }
}
