// The room's wire as the browser reads it (the room API of docs: stream, posts). Unknown members are ignored; optional ones may be absent.
import type { OutputOf } from '../../../../client/operations.ts'
import type { PlaceOnSlide as Place } from '../../../../src/contract/deck.ts'

export type RunStatus = 'lobby' | 'presenting' | 'answering' | 'paused' | 'handed_over' | 'closing' | 'completed' | 'failed'
export type Mode = 'isolated' | 'broadcast'
export type RunKind = 'live' | 'rehearsal'

export interface Slide {
  id: string
  index: number
  title: string | null
  text: string | null
  imageUrl: string | null
  width?: number | null
  height?: number | null
  srcset?: string | null
}

/** `GET /api/v1/rooms/{key}`. */
export type RoomView = OutputOf<'view_room'>
export type Joined = Pick<OutputOf<'join_room'>, 'attendeeId' | 'attendeeToken' | 'runId' | 'stream'>

/** What is said or quoted: parts of the picture, or of the text of a slide that has no picture. */
export type PlaceOnSlide = { [Member in keyof Place]?: Place[Member] | undefined }

export interface Citation extends Pick<PlaceOnSlide, 'region'> {
  n?: number
  type: 'slide' | 'knowledge' | 'host'
  id: string
  index: number
  title?: string | null
  quote?: string
  /** In the text of the slide. */
  start?: number
  end?: number
}

export type QuestionStatus = 'pending' | 'queued' | 'answering' | 'answered' | 'merged' | 'hidden' | 'declined' | 'expired'

export interface QuestionData {
  questionId: string
  text: string
  by?: { attendeeId: string; name?: string | null } | null
  status: QuestionStatus
  mergedInto?: string | null
  votes?: number
  ahead?: number | null
  slideIndex?: number | null
  reason?: string | null
  private?: boolean
  /** In a snapshot: what was answered, or the sentences so far. */
  answer?: AnswerRecord | null
  /** In the snapshot of its asker: words for them alone, beside the answer. */
  instant?: AnswerRecord | null
  /** In the snapshot of its asker: words of the service, which stay when the answer comes. */
  notice?: AnswerRecord | null
}

export interface AnswerRecord {
  answerId: string
  outcome?: string | null
  mode?: string | null
  /** Of an answer that has ended. */
  text?: string
  /** Of one that is being given. */
  sentences?: readonly { index: number; text: string; estMs?: number; citations?: readonly Citation[] }[]
  citations?: readonly Citation[]
}

export interface BeatData extends PlaceOnSlide {
  beatId: string
  slideIndex: number
  index?: number
  kind?: string
  phase: 'start' | 'end' | 'cut' | 'unheard'
  /** Always on `start`. */
  text?: string
  estMs?: number
  startedAt?: number | null
  /** Number of the clause to start from; 0 is the beginning. */
  clause?: number | null
  audioUrl?: string | null
  audioMs?: number | null
  audioFromMs?: number | null
  nextAudioUrl?: string | null
  spokenChars?: number
}

export interface AnswerData {
  answerId: string
  questionId: string | null
  phase: 'start' | 'sentence' | 'end' | 'cut'
  index?: number
  text?: string
  citations?: readonly Citation[]
  outcome?: string
  mode?: string
  private?: boolean
  /** Words aside, for their asker alone: they are not said. */
  instant?: boolean
  /** Of these, words of the service itself. */
  notice?: boolean
  estMs?: number
  audioUrl?: string | null
  audioMs?: number | null
}

export interface CtaData {
  state: 'hidden' | 'shown' | 'clicked' | 'dismissed'
  text?: string | null
  url?: string | null
  kind?: string
  host?: string
  private?: boolean
}

export interface StateData {
  status: RunStatus
  previous?: RunStatus
  by?: 'script' | 'attendee' | 'host' | 'system'
  reason?: string
  speed?: number
  /** Unix ms at which the closing question window ends. */
  windowUntil?: number | null
  /** In the lobby: unix ms at which the talk begins, null where no time is set any more. */
  startsAt?: number | null
}

export interface SnapshotData {
  resumed: boolean
  run?: {
    id: string
    kind: RunKind
    mode: Mode
    status: RunStatus
    speed?: number
    windowUntil?: number
    startsAt?: number | null
    pausedBy?: StateData['by']
  }
  slides?: readonly Slide[]
  position?: { slideIndex: number; slideId?: string; beat?: BeatData | null } | null
  recap?: readonly { slideIndex: number; title: string; line: string }[]
  captions?: readonly BeatData[]
  questions?: readonly QuestionData[]
  cta?: CtaData | null
  presence?: { count: number }
  you?: {
    attendeeId: string
    name?: string | null
    questions?: readonly QuestionData[]
    cta?: CtaData['state'] | null
    lead?: { consentText?: string | null } | null
    handRaised?: boolean
    recapUrl?: string
    allowed?: readonly string[]
  }
  at?: number
}

export type ClosedReason = 'completed' | 'ended' | 'left' | 'unpublished' | 'deleted' | 'superseded' | 'revoked' | 'failed'

interface Ordered {
  seq: number
  prev?: number
  at?: number
}

/** One message of the stream, parsed. */
export type RoomMessage =
  | { event: 'snapshot'; id?: string | undefined; data: SnapshotData }
  | { event: 'slide'; id?: string | undefined; data: Ordered & { slideId: string; index: number; reason?: string } }
  | { event: 'beat'; id?: string | undefined; data: Ordered & BeatData }
  | { event: 'question'; id?: string | undefined; data: Ordered & QuestionData }
  | { event: 'answer'; id?: string | undefined; data: Ordered & AnswerData }
  | { event: 'cta'; id?: string | undefined; data: Ordered & CtaData }
  | { event: 'state'; id?: string | undefined; data: Ordered & StateData }
  | { event: 'presence'; id?: string | undefined; data: { count: number; hands?: number } }
  | { event: 'closed'; id?: string | undefined; data: { reason: ClosedReason; summary?: unknown } }

export const messageNames = ['snapshot', 'slide', 'beat', 'question', 'answer', 'cta', 'state', 'presence', 'closed'] as const

/** What an attendee may ask of the run. */
export type ControlAction =
  | 'start'
  | 'pause'
  | 'resume'
  | 'next'
  | 'previous'
  | 'goto'
  | 'repeat'
  | 'speed'
  | 'skip_answer'
  | 'finish'
  | 'raise_hand'
  | 'lower_hand'
