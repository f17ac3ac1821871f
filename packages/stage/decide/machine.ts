// The presenter's policy: `decide(state, input, now)` says which events follow, and which work they ask for. It is pure; the state
// table is read as data (`table.ts`), what no row names is decided beside it, and what falls due is read from the state.
import type { RoomCommand } from '@rostrum/contract/commands'
import type { RunState } from '../run-state.ts'
import { obey } from './commands.ts'
import { type Draft, draftOf, enter, type Input, resumePlace, type Setting, showByRule, silenceAround, type TableInput } from './draft.ts'
import { goOn, goOnClosing, moves } from './moves.ts'
import { playOther } from './others.ts'
import { answerPrivateAgain } from './questions.ts'
import { heldPoll } from './polls.ts'
import { type Cell, type Row, rows, table } from './table.ts'

// What happens by itself, and when: read from the state, so no timer is ever stored and a new owner knows all of them.

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

export interface Due {
  at: number
  /** A row of the table, or what no row names. */
  input: TableInput | ((draft: Draft) => void)
}

const goOnHere = (draft: Draft): void => (draft.state.status === 'closing' ? goOnClosing(draft) : goOn(draft))
const offerHandBack = (draft: Draft): void => enter(draft, 'handed_over', 'system', { reason: 'host_away', resumeAt: resumePlace(draft) })

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
        if (state.reason !== 'host_away') yield { at: state.hostSeenAt + times.hostAway, input: offerHandBack }
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
    } else if (streamOpen) {
      const reads = isReadByAgent(state)
      yield { at: startedAt + (reads ? estMs : 2 * estMs + 3_000), input: { type: 'beat_done', utterance: beatId, heard: reads } }
    }
  } else if (cursor !== null && state.windowUntil === null) {
    if (!cursor.done || setting.order.beat(cursor.beatId)?.poll === undefined) {
      const waitMs = cursor.done ? silenceAround(setting, cursor.beatId).after : times.cutWait
      yield { at: state.silentSince + waitMs, input: goOnHere }
    } else {
      // An answer in an isolated talk, or the host, ends the silence after a poll before its time.
      const poll = heldPoll(state, setting.mode, -Infinity)
      if (poll === undefined || setting.mode === 'broadcast') yield { at: poll?.until ?? state.silentSince, input: goOnHere }
    }
  }
}

/** The one attendee of an isolated talk is an agent: it reads, and a sentence was heard when its time is over, acknowledged or not. */
function isReadByAgent({ attendees }: RunState): boolean {
  for (const { isPresent, kind } of attendees.values()) if (isPresent && kind === 'agent') return true
  return false
}

function* answerDue(state: RunState, isolated: boolean): Generator<Due> {
  const { answer } = state
  if (answer === null) return
  if (answer.composed === null) yield { at: answer.startedAt + times.answerTimeout, input: { type: 'answer_timeout' } }
  const sentence = answer.sentences[answer.heard]
  if (sentence !== undefined) {
    const heard = !isolated || isReadByAgent(state)
    const at = answer.sentenceSince + sentence.estMs * (heard ? 1 : 2)
    yield { at, input: { type: 'beat_done', utterance: `${answer.answerId}:${answer.heard}`, heard } }
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
      yield { at: state.startedAt + Number(seconds) * 1_000, input: (draft) => showByRule(draft, rule) }
    }
  }
}

export interface Moment {
  now: number
  /** The lease under which the events will be written. */
  epoch: number
  /** Whether the attendee of an isolated run has an open stream. */
  streamOpen: boolean
}

/** Decides one input. A refusal leaves no events; an ignored input leaves none either. */
export function decide(state: RunState, input: Input, setting: Setting, { now, epoch, streamOpen }: Moment): Draft {
  const draft = draftOf(state, setting, epoch, now)
  play(draft, input, streamOpen)
  return draft
}

const isTableInput = (input: Exclude<Input, RoomCommand>): input is TableInput => (rows as readonly string[]).includes(input.type)

function play(draft: Draft, input: Input, streamOpen: boolean): void {
  const row = (inner: TableInput) => playTable(draft, inner)
  if ('kind' in input) return obey(draft, input, row)
  if (input.type === 'tick') return playDue(draft, streamOpen)
  if (!isTableInput(input)) return playOther(draft, input, row)
  if (input.type === 'lease_gained') answerPrivateAgain(draft)
  playTable(draft, input)
}

function playTable(draft: Draft, input: TableInput): void {
  const row: Row = input.type
  const cell = cellOf(draft, row)
  if (cell === '=') return
  if (cell === 'x')
    return draft.refuse({
      code: 'run_state',
      detail: `The talk is ${draft.state.status.replace('_', ' ')}; ${row.replace('_', ' ')} is not possible now.`,
    })
  if (isForAnotherMode(draft, row)) return
  moves[cell](draft, input)
}

/**
 * Without minutes a question costs none: it waits, and the host finds it among those that nobody has answered. After the end it costs
 * none either, and is answered where the talk was the asker's own.
 */
function cellOf({ state, setting }: Draft, row: Row): Cell {
  const cell = table[row][state.status]
  if (cell === 'answer_written') return setting.mode === 'isolated' ? cell : 'x'
  return row === 'ask' && cell !== 'x' && setting.isOutOfMinutes === true ? 'queue' : cell
}

/** `empty` and `leave` end or pause the talk of one attendee only; a broadcast goes on by its clock, unless it stands still. */
function isForAnotherMode({ setting, state }: Draft, row: Row): boolean {
  return setting.mode === 'broadcast' && (row === 'leave' || (row === 'empty' && state.status !== 'paused'))
}

/** Plays everything that is due, each on the state the one before has left; bounded, so that a fault cannot spin. */
function playDue(draft: Draft, streamOpen: boolean): void {
  for (let turn = 0; turn < 64; turn++) {
    const due = nextDue(draft.state, draft.setting, streamOpen)
    if (due === null || due.at > draft.now) return
    const before = draft.state.seq
    if (typeof due.input === 'function') due.input(draft)
    else playTable(draft, due.input)
    if (draft.state.seq === before) return
  }
}
