// What may happen to a run. Inputs of the state table carry the name of their row; the others never move the status.
import type { Citation } from '../../contract/answer.ts'
import type { Actor, EventData, LeaveReason, SaidClip } from '../../contract/room.ts'
import type { RunSettings } from '../talk.ts'

export type Destination = { type: 'goto'; slideIndex: number } | { type: 'next' } | { type: 'previous' } | { type: 'repeat' }

export interface AskedQuestion {
  id: string
  text: string
  attendeeId: string
  /** As the room may show it. */
  name: string | null
  interrupt: boolean
  isPrivate: boolean
  slideIndex: number | null
}

/** What its trace tells. */
export type ComposedAnswer = EventData<'trace'>

export type TableInput =
  | { type: 'start'; by: Actor }
  /** `utterance`: a beat's id, or `<answerId>:<index>`. */
  | { type: 'beat_done'; utterance: string; heard: boolean }
  | { type: 'finish'; by: Actor }
  | { type: 'ask'; question: AskedQuestion }
  | { type: 'answer_done' }
  | { type: 'answer_timeout' }
  | { type: 'pause'; by: Actor }
  | { type: 'resume'; by: Actor }
  | { type: 'move'; to: Destination; by: Actor }
  | { type: 'skip_answer'; by: Actor }
  | { type: 'take_over'; by: Actor }
  | { type: 'hand_back'; by: Actor; slideIndex?: number }
  | { type: 'end'; by: Actor }
  | { type: 'empty' }
  | { type: 'leave'; attendeeId: string }
  | { type: 'lease_gained' }
  | { type: 'fault' }

export type OtherInput =
  /** Time has passed: whatever is due happens. */
  | { type: 'tick' }
  | { type: 'beat_begun'; utterance: string; chars: number }
  /** `ms`: how far into its clip. */
  | { type: 'beat_cut'; utterance: string; chars: number; ms?: number }
  | {
      type: 'answer_sentence'
      answerId: string
      index: number
      text: string
      estMs: number
      citations: readonly Citation[]
      clip?: SaidClip
    }
  | { type: 'answer_composed'; answer: ComposedAnswer }
  | { type: 'instant_answer'; questionId: string; attendeeId: string; text: string; answer: ComposedAnswer }
  | {
      type: 'answer_text'
      questionId: string
      text: string
      sentences: readonly { text: string; clip?: SaidClip }[]
      isPrivate: boolean
      by: string
    }
  | { type: 'say'; id: string; sentences: readonly { text: string; clip?: SaidClip }[] }
  | { type: 'moderate'; action: 'hide_question' | 'approve_question'; questionId: string }
  | { type: 'merge'; questionId: string; intoId: string }
  | { type: 'vote'; attendeeId: string; questionId: string; value: 0 | 1 }
  | { type: 'hand'; attendeeId: string; raised: boolean }
  | { type: 'speed'; speed: number; by: Actor }
  | { type: 'visit_opened'; attendeeId: string; name: string | null; kind: 'human' | 'agent' }
  | { type: 'visit_closed'; attendeeId: string; since: number; reason: LeaveReason }
  | { type: 'cta'; attendeeId: string; action: 'click' | 'dismiss' }
  | { type: 'tell'; attendeeId: string; answerId: string; questionId: string; text: string; offersForm: boolean }
  | { type: 'lead'; attendeeId: string; leadId: string }
  | { type: 'erase'; attendeeId: string }
  | { type: 'audit'; audit: EventData<'audit'> }
  | { type: 'host_seen'; present: boolean; node: string }
  | { type: 'settings'; settings: RunSettings }
  /** The session is gone, or the run was ended from outside. */
  | { type: 'stop'; reason: 'deleted' | 'revoked' }

export type Input = TableInput | OtherInput

/** Work that a decision asks for; done after its events are durable. */
export type Task =
  | { type: 'answer'; answerId: string; questionId: string; instant: false }
  | { type: 'answer'; answerId: string; questionId: string; instant: true; attendeeId: string }
  | { type: 'abort_answer'; answerId: string }

export type Refusal = { code: 'run_state' | 'forbidden' | 'not_found' | 'invalid_request'; detail: string }
