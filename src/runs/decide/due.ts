// What happens by itself, and when: read from the state, so no timer is ever stored and a new owner knows all of them.
import type { RunState } from '../state/run-state.ts'
import type { OtherInput, TableInput } from './input.ts'
import { type Setting, silenceAround } from './setting.ts'

/** Times that the state table and the room wire fix, in milliseconds. */
export const times = {
  answerTimeout: 25_000,
  emptyRoom: 30_000,
  /** A talk of one attendee that they joined and never came to, or left before it began. */
  unattended: 10 * 60_000,
  abandoned: 30 * 60_000,
  /** A paused broadcast that everybody has left, while a page of its host is still open somewhere. */
  abandonedHosted: 4 * 3_600_000,
  /** An attendee who stopped the voice and then neither asked nor went on. */
  cutWait: 60_000,
  hostAway: 60_000,
  hostGone: 180_000,
  lobby: 24 * 3_600_000,
} as const

export type DueInput =
  | TableInput
  | { type: 'go_on' }
  | { type: 'cta_rule'; rule: string }
  | { type: 'offer_hand_back' }
  | (OtherInput & { type: 'tick' })

export interface Due {
  at: number
  input: DueInput
}

/**
 * The next thing that falls due, the earliest first; null when only an input can move the run. `streamOpen` says whether the
 * attendee of an isolated run can hear: without a stream no beat counts as unheard, the room merely becomes empty.
 */
export function nextDue(state: RunState, setting: Setting, streamOpen: boolean): Due | null {
  let best: Due | null = null
  for (const due of candidates(state, setting, streamOpen)) if (best === null || due.at < best.at) best = due
  return best
}

function* candidates(state: RunState, setting: Setting, streamOpen: boolean): Generator<Due> {
  const isolated = setting.mode === 'isolated'
  yield* ctaDue(state, setting)
  if (isolated) yield* emptyDue(state)
  else yield* forgottenDue(state)
  switch (state.status) {
    case 'lobby':
      if (setting.kind === 'live' && setting.session.startPolicy === 'scheduled' && setting.session.startsAt !== null && !isolated) {
        yield { at: setting.session.startsAt, input: { type: 'start', by: 'system' } }
      }
      return
    case 'presenting':
    case 'closing':
      yield* speechDue(state, setting, streamOpen)
      if (state.windowUntil !== null) yield { at: state.windowUntil, input: { type: 'finish', by: 'system' } }
      return
    case 'answering':
      yield* answerDue(state, isolated)
      return
    case 'handed_over':
      if (state.hostNodes.length === 0) {
        if (state.reason !== 'host_away') yield { at: state.hostSeenAt + times.hostAway, input: { type: 'offer_hand_back' } }
        yield { at: state.hostSeenAt + times.hostGone, input: { type: 'hand_back', by: 'system' } }
      }
      return
    case 'paused':
    case 'completed':
    case 'failed':
  }
}

function* speechDue(state: RunState, setting: Setting, streamOpen: boolean): Generator<Due> {
  const { speaking, cursor } = state
  if (speaking !== null) {
    const { startedAt, estMs, beatId } = speaking
    if (setting.mode === 'broadcast') {
      const at = startedAt + estMs + silenceAround(setting, beatId).before
      yield { at, input: { type: 'beat_done', utterance: beatId, heard: true } }
    } else if (streamOpen) yield { at: startedAt + 2 * estMs + 3_000, input: { type: 'beat_done', utterance: beatId, heard: false } }
  } else if (cursor !== null && state.windowUntil === null) {
    const waitMs = cursor.done ? silenceAround(setting, cursor.beatId).after : times.cutWait
    yield { at: state.silentSince + waitMs, input: { type: 'go_on' } }
  }
}

function* answerDue(state: RunState, isolated: boolean): Generator<Due> {
  const { answer } = state
  if (answer === null) return
  if (answer.composed === null) yield { at: answer.startedAt + times.answerTimeout, input: { type: 'answer_timeout' } }
  const sentence = answer.sentences[answer.heard]
  if (sentence !== undefined) {
    const at = answer.sentenceSince + sentence.estMs * (isolated ? 2 : 1)
    yield { at, input: { type: 'beat_done', utterance: `${answer.answerId}:${answer.heard}`, heard: !isolated } }
  }
}

function* emptyDue(state: RunState): Generator<Due> {
  if (state.emptySince === null) return
  const { status } = state
  if (status === 'presenting' || status === 'answering' || status === 'closing') {
    yield { at: Math.max(state.emptySince, state.startedAt ?? 0) + times.emptyRoom, input: { type: 'empty' } }
  } else if (status === 'lobby') {
    yield { at: state.emptySince + times.unattended, input: { type: 'empty' } }
  } else if (status === 'paused') {
    yield { at: Math.max(state.emptySince, state.statusSince) + times.abandoned, input: { type: 'empty' } }
  }
}

/** A broadcast goes on by its clock without anybody; paused and left by all, it ends. */
function* forgottenDue({ status, emptySince, statusSince, hostNodes, hostSeenAt }: RunState): Generator<Due> {
  if (status !== 'paused' || emptySince === null) return
  const waitMs = hostNodes.length > 0 ? times.abandonedHosted : times.abandoned
  yield { at: Math.max(emptySince, statusSince, hostSeenAt) + waitMs, input: { type: 'empty' } }
}

function* ctaDue(state: RunState, setting: Setting): Generator<Due> {
  if (state.startedAt === null || state.endedAt !== null || setting.session.cta === null) return
  for (const rule of setting.session.ctaRules) {
    const seconds = /^seconds:(\d{1,6})$/.exec(rule)?.[1]
    if (seconds !== undefined && !state.ctaRulesUsed.includes(rule)) {
      yield { at: state.startedAt + Number(seconds) * 1_000, input: { type: 'cta_rule', rule } }
    }
  }
}
