// What people in a room, and its host, ask of a run; and the port through which any process hands it to the owner of the run.
// Every command has an id made by the caller, so a repeat is answered as the first time.
import type { ErrorCode } from '../platform/errors.ts'
import type { SaidClip } from './state/run-state.ts'

export const attendeeActions = [
  'start',
  'pause',
  'resume',
  'next',
  'previous',
  'goto',
  'repeat',
  'speed',
  'skip_answer',
  'finish',
  'raise_hand',
  'lower_hand',
] as const
export type AttendeeAction = (typeof attendeeActions)[number]
/** What an attendee of a broadcast may do: the talk belongs to the room. */
export const broadcastActions: readonly AttendeeAction[] = ['raise_hand', 'lower_hand', 'finish']

export const hostActions = [
  'start',
  'pause',
  'resume',
  'goto',
  'next',
  'previous',
  'hide_question',
  'approve_question',
  'answer_text',
  'take_over',
  'hand_back',
  'end',
] as const
export type HostAction = (typeof hostActions)[number]

export interface Ack {
  beatId: string
  phase: 'started' | 'ended' | 'cut'
  chars?: number
  ms?: number
}

interface ByAttendee {
  id: string
  attendeeId: string
}

export type RoomCommand =
  | (ByAttendee & {
      kind: 'questions'
      text: string
      name: string | null
      interrupt: boolean
      isPrivate: boolean
      slideIndex: number | null
    })
  | (ByAttendee & { kind: 'acks'; acks: readonly Ack[] })
  | (ByAttendee & { kind: 'control'; action: AttendeeAction; slideIndex?: number; speed?: number })
  | (ByAttendee & { kind: 'cta'; action: 'click' | 'dismiss' })
  | (ByAttendee & { kind: 'votes'; questionId: string; value: 0 | 1 })
  | (ByAttendee & { kind: 'lead'; leadId: string })
  /** A private word of the presenter to one attendee, beside their question. */
  | (ByAttendee & { kind: 'tell'; questionId: string; text: string; offersForm: boolean })
  | (ByAttendee & { kind: 'leave' })
  /** Their name was erased: whoever has it in memory forgets it. */
  | (ByAttendee & { kind: 'erase' })
  | (ByAttendee & { kind: 'visit'; phase: 'opened'; name: string | null; attendeeKind: 'human' | 'agent' })
  | (ByAttendee & { kind: 'visit'; phase: 'closed'; since: number; reason: 'left' | 'disconnected' | 'removed' | 'ended' })
  | {
      kind: 'host'
      id: string
      attendeeId: null
      action: HostAction
      by: string
      slideIndex?: number
      questionId?: string
      text?: string
      /** The text by sentence with their clips, which the owner of the run adds. */
      sentences?: readonly { text: string; clip?: SaidClip }[]
      isPrivate?: boolean
    }
  | { kind: 'host_stream'; id: string; attendeeId: null; present: boolean; node: string }
  /** The session was changed: its run reads the settings anew. */
  | { kind: 'settings'; id: string; attendeeId: null }
  /** The session was unpublished or deleted, or the run is to end for another reason of its owner. */
  | { kind: 'stop'; id: string; attendeeId: null; reason: 'deleted' | 'revoked' }

export type CommandAnswer = { ok: true; data: Readonly<Record<string, unknown>> } | { ok: false; code: ErrorCode; detail: string }

export interface RunDesk {
  /** Resolves once what follows from the command is durable. Throws `temporarily_unavailable` when no owner answers in time. */
  submit(runId: string, command: RoomCommand): Promise<CommandAnswer>
  /** Resolves once the command is durable, with its run or written down for whoever presents it; nobody waits for an answer. */
  note(runId: string, command: RoomCommand): Promise<void>
  /** The lease to write into the row of a new run, so that this process owns it from the first; null where it presents nothing. */
  firstLease(now: number): { lease_owner: string; epoch: number; lease_until: number } | null
  /** A run was created: this process takes it up at once if it holds the first lease, else whoever presents. */
  adopt(runId: string): Promise<void>
}
