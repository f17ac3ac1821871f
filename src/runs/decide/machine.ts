// The presenter's policy: `decide(state, input, now)` says which events follow, and which work they ask for. It is pure; the state
// table is read as data (`table.ts`), and what no row names is decided beside it.
import type { RunState } from '../state/run-state.ts'
import { answerPrivateAgain } from './answering.ts'
import { showByRule } from './cta.ts'
import { type Draft, draftOf } from './draft.ts'
import { type DueInput, nextDue } from './due.ts'
import type { Input, TableInput } from './input.ts'
import { moves } from './moves.ts'
import { playOther } from './others.ts'
import { takeIn } from './questions.ts'
import type { Setting } from './setting.ts'
import { enter, resumePlace } from './speech.ts'
import { type Cell, type Row, rows, table } from './table.ts'
import { goOn, goOnClosing } from './talking.ts'

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

const isTableInput = (input: Input | DueInput): input is TableInput => (rows as readonly string[]).includes(input.type)

function play(draft: Draft, input: Input, streamOpen: boolean): void {
  if (input.type === 'tick') return playDue(draft, streamOpen)
  if (!isTableInput(input)) return playOther(draft, input, (inner) => playTable(draft, inner))
  if (input.type === 'ask' && !takeIn(draft, input.question)) return
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

/** Without minutes a question costs none: it waits, and the host finds it among those that nobody has answered. */
function cellOf({ state, setting }: Draft, row: Row): Cell {
  const cell = table[row][state.status]
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
    playDueInput(draft, due.input)
    if (draft.state.seq === before) return
  }
}

function playDueInput(draft: Draft, input: DueInput): void {
  switch (input.type) {
    case 'go_on':
      return draft.state.status === 'closing' ? goOnClosing(draft) : goOn(draft)
    case 'cta_rule':
      return showByRule(draft, input.rule)
    case 'offer_hand_back':
      return enter(draft, 'handed_over', 'system', { reason: 'host_away', resumeAt: resumePlace(draft) })
    case 'tick':
      return
    default:
      playTable(draft, input)
  }
}
