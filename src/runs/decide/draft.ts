// A decision in the making: each event it emits is folded at once, so the next rule sees the room as it will be.
import { fold } from '../state/fold.ts'
import type { NewRunEvent, RunEvent, RunEventBody } from '../../contract/room.ts'
import type { RunState } from '../state/run-state.ts'
import type { Refusal, Task } from './input.ts'
import type { Setting } from './setting.ts'

/** The rules write to this; nothing else changes. */
export interface Draft {
  readonly setting: Setting
  readonly now: number
  readonly state: RunState
  readonly events: readonly RunEvent[]
  /** The state after each event. */
  readonly states: readonly RunState[]
  readonly tasks: readonly Task[]
  readonly refusal: Refusal | null
  /** Room events by default; an attendee's id makes it private. */
  emit(body: RunEventBody, audience?: string): void
  task(task: Task): void
  refuse(refusal: Refusal): void
}

/** `epoch` is the lease under which the events will be written. */
export function draftOf(start: RunState, setting: Setting, epoch: number, now: number): Draft {
  let state = start
  let refusal: Refusal | null = null
  const events: RunEvent[] = []
  const states: RunState[] = []
  const tasks: Task[] = []
  return {
    setting,
    now,
    events,
    states,
    tasks,
    get state() {
      return state
    },
    get refusal() {
      return refusal
    },
    emit(body, audience = 'room') {
      const placed: NewRunEvent = { ...body, audience }
      const prev = audience === 'room' ? { prev: state.roomSeq } : {}
      const event: RunEvent = { ...placed, seq: state.seq + 1, epoch, at: now, ...prev }
      events.push(event)
      state = fold(state, event)
      states.push(state)
    },
    task: (task) => void tasks.push(task),
    refuse(why) {
      refusal = why
    },
  }
}
