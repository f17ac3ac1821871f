// The room's wire as the browser reads it: types of the contract by the names that the page uses. Unknown members are ignored.
import type { InputOf, OutputOf } from '../../../../client/operations.ts'
import type { PollAnswer } from '../../../../src/contract/poll.ts'
import type { PollSoFar } from '../../../../src/contract/poll.ts'
import type { EventData, Snapshot } from '../../../../src/contract/room.ts'

export type { Citation } from '../../../../src/contract/answer.ts'
export type { PlaceOnSlide } from '../../../../src/contract/deck.ts'
export type { RunStatus, StreamMessage as RoomMessage } from '../../../../src/contract/room.ts'

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
