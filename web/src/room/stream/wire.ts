// The room's wire as the browser reads it: types of the contract by the names that the page uses. Unknown members are ignored.
import type { InputOf, OutputOf } from '../../../../client/operations.ts'
import type { PollAnswer } from '@rostrum/contract/poll'
import type { PollSoFar } from '@rostrum/contract/poll'
import type { EventData, Snapshot } from '@rostrum/contract/room'

export type { Citation } from '@rostrum/contract/answer'
export type { PlaceOnSlide } from '@rostrum/contract/deck'
export type { RunStatus, StreamMessage as RoomMessage } from '@rostrum/contract/room'

/** `GET /api/v1/rooms/{key}`. */
export type RoomView = OutputOf<'view_room'>
export type Slide = RoomView['slides'][number]
export type Joined = Pick<OutputOf<'join_room'>, 'attendeeId' | 'attendeeToken' | 'runId' | 'stream'>

export type { PollAnswer, PollSoFar }
export type SnapshotData = Snapshot
export type Presence = Snapshot['presence']
export type WholeRoom = Extract<Snapshot, { resumed: false }>
/** In a snapshot: what was asked, and answered so far. */
export type AskedQuestion = WholeRoom['you']['questions'][number]
export type AnswerSoFar = NonNullable<AskedQuestion['answer']>

export type BeatData = EventData<'beat'>
export type QuestionData = EventData<'question'>
export type AnswerData = EventData<'answer'>
export type CtaData = EventData<'cta'>
export type StateData = EventData<'state'>
export type ClosedReason = EventData<'closed'>['reason']

/** What an attendee may ask of the run. */
export type ControlAction = InputOf<'control_run'>['action']
