// The state table of a run as data: what each input does in each status. The compiler holds it total, the machine looks moves up in
// it, and tests walk it. `=` is ignored without an event; `x` is refused with `run_state`.
import type { RunStatus } from '@rostrum/contract/room'

/** What each move does. */
interface Moves {
  present: 'presenting'
  present_at: 'presenting(n)'
  resume: 'resumeAt'
  resume_host: 'host: presenting'
  retry: 'presenting at last beat'
  next_beat: 'next beat; last: closing'
  next_sentence: 'next sentence'
  next_closing: 'next; last: question window'
  complete_window: 'in the window: completed'
  answer: 'answering(here)'
  queue_or_interrupt: 'queue; with `interrupt`: cut, answering(beat)'
  queue: 'queue'
  answer_closing: 'answering(closing)'
  answer_written: 'isolated: answer in writing'
  after_answer: 'next in queue or resumeAt'
  fail_answer: 'close answer `error`, resumeAt'
  cut_pause: 'cut, paused'
  cut_present_at: 'cut, presenting(n)'
  pause_at: 'paused at n'
  host_slide: 'host only: slide n'
  skip_answer: 'cut answer, resumeAt'
  hand_over: 'cut, handed_over'
  close: 'cut, closing (farewell only)'
  complete: 'completed'
  abandon: 'cut, completed(abandoned)'
  pause_empty: 'cut, paused(system)'
  pause_answered: 'finish text, paused'
  abandon_late: 'in time: completed(abandoned)'
  complete_empty: 'finish text, completed'
  recover: 'same'
  recover_beat: 'resume at cut clause'
  recover_answer: 'restart answer, same ids'
  fail: 'cut, failed'
  answer_fallback: 'fallback answer'
}

export type Move = keyof Moves
export type Cell = Move | '=' | 'x'

type Cells = Readonly<Record<RunStatus, Cell>>
type Eight<T> = readonly [T, T, T, T, T, T, T, T]

function row(...cells: Eight<Cell>): Cells {
  const [lobby, presenting, answering, paused, handed_over, closing, completed, failed] = cells
  return { lobby, presenting, answering, paused, handed_over, closing, completed, failed }
}

/** Columns: lobby, presenting, answering, paused, handed_over, closing, completed, failed. */
export const table = {
  start: row('present', '=', '=', 'resume', 'x', '=', 'x', 'retry'),
  beat_done: row('=', 'next_beat', 'next_sentence', '=', '=', 'next_closing', '=', '='),
  finish: row('=', '=', '=', '=', '=', 'complete_window', '=', '='),
  ask: row('answer', 'queue_or_interrupt', 'queue', 'answer', 'queue', 'answer_closing', 'answer_written', 'x'),
  answer_done: row('=', '=', 'after_answer', '=', '=', '=', '=', '='),
  answer_timeout: row('=', '=', 'fail_answer', '=', '=', '=', '=', '='),
  pause: row('=', 'cut_pause', 'cut_pause', '=', '=', 'cut_pause', 'x', '='),
  resume: row('resume_host', '=', '=', 'resume', 'x', '=', 'x', '='),
  move: row('present_at', 'cut_present_at', 'cut_present_at', 'pause_at', 'host_slide', 'cut_present_at', 'x', 'x'),
  skip_answer: row('=', '=', 'skip_answer', '=', '=', '=', '=', '='),
  take_over: row('hand_over', 'hand_over', 'hand_over', 'hand_over', '=', 'hand_over', 'x', 'hand_over'),
  hand_back: row('x', '=', '=', '=', 'resume', '=', 'x', 'x'),
  end: row('complete', 'close', 'close', 'close', 'close', 'complete', '=', 'complete'),
  empty: row('abandon_late', 'pause_empty', 'pause_answered', 'abandon_late', '=', 'complete_empty', '=', '='),
  leave: row('abandon', 'abandon', 'abandon', 'abandon', 'abandon', 'abandon', '=', 'abandon'),
  lease_gained: row('=', 'recover_beat', 'recover_answer', 'recover', 'recover', 'recover_beat', '=', 'resume'),
  fault: row('fail', 'fail', 'answer_fallback', '=', '=', 'complete', '=', '='),
} as const

export type Row = keyof typeof table
/** By the names of its inputs. */
export const rows = Object.keys(table) as Row[]
