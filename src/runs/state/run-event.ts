// Run events: the facts of one run, in the shape in which a room stream carries them (docs/room, wire table). What is stored in
// the log is what is sent, so the stream, a late joiner, the transcript and the analytics are all reads of the same bytes.
import type { AnswerMode, AnswerOutcome, Citation, QuestionStatus } from '../../contract/answer.ts'
import type { PlaceOnSlide } from '../../contract/deck.ts'
import type { BeatKind, Source } from '../talk.ts'

export const runStatuses = ['lobby', 'presenting', 'answering', 'paused', 'handed_over', 'closing', 'completed', 'failed'] as const
export type RunStatus = (typeof runStatuses)[number]

/** A place in the talk: speech is taken up again at this clause of this beat. */
export interface Place {
  slideIndex: number
  beatId: string
  clause: number
  /** How far into its clip, where it was cut in one. */
  audioFromMs?: number
}

export type Actor = 'script' | 'attendee' | 'host' | 'system'

/** A wish about the talk itself, found in a question. */
export type TalkControl =
  | { action: 'goto'; slideIndex: number }
  | { action: 'repeat' | 'slower' | 'faster' | 'shorter' | 'longer' | 'pause' | 'resume' | 'next' | 'previous' }

export interface SuggestedAction {
  type: 'open_link' | 'ask' | 'goto_slide' | 'submit_lead' | 'contact_host'
  label: string
  url?: string
  text?: string
  slideIndex?: number
}

export interface SlideShown {
  type: 'slide'
  data: {
    slideId: string
    index: number
    title: string
    text: string
    imageUrl: string | null
    reason: 'script' | 'host' | 'attendee' | 'answer'
  }
}

export interface BeatSpoken {
  type: 'beat'
  data: {
    beatId: string
    slideIndex: number
    index: number
    kind: BeatKind
    phase: 'start' | 'end' | 'cut' | 'unheard'
    /** On `start`. */
    text?: string
    sources?: readonly Source[]
    /** On `start`: where on the slide it stands, to be lit; `spans` where the slide has no picture. */
    region?: PlaceOnSlide['region']
    spans?: PlaceOnSlide['spans']
    /** On `start`: at the speed of the run. */
    estMs?: number
    startedAt?: number
    clause?: number
    /** The sentence in the server's voice, its length at speed 1, and where in it to begin. */
    audioUrl?: string
    audioMs?: number
    audioFromMs?: number
    /** The clip of the sentence that is likely to come next. */
    nextAudioUrl?: string
    /** On `end` and `cut`. */
    spokenChars?: number
    /** On `cut`: how far into its clip. */
    spokenMs?: number
  }
}

export interface QuestionChanged {
  type: 'question'
  data: {
    questionId: string
    text: string
    by: { attendeeId: string; name: string | null }
    status: QuestionStatus
    mergedInto?: string
    votes: number
    ahead: number
    slideIndex: number
    /** Why it was declined: `words`, `link`, `length`, `flood`, `repeat`. */
    reason?: string
    private?: true
  }
}

export interface AnswerGiven {
  type: 'answer'
  data: {
    answerId: string
    questionId: string
    phase: 'start' | 'sentence' | 'end' | 'cut'
    /** On `sentence`: its place, its text and how long it takes at the speed of the run. On `end` and `cut`: the whole text. */
    index?: number
    text?: string
    estMs?: number
    /** On `sentence`: in the server's voice. */
    audioUrl?: string
    audioMs?: number
    citations?: readonly Citation[]
    outcome?: AnswerOutcome
    mode?: AnswerMode
    confidence?: number
    suggestedActions?: readonly SuggestedAction[]
    private?: true
    /** A copy for the asker alone, given at once while the question waits in the queue of a broadcast. */
    instant?: true
    /** With `instant`: no answer from the deck, but words of the service, such as whether contact details may be sent. */
    notice?: true
  }
}

export interface CtaChanged {
  type: 'cta'
  data: {
    state: 'hidden' | 'shown' | 'clicked' | 'dismissed'
    text: string
    url: string
    kind: 'link' | 'checkout'
    /** Where `url` is a page of ours that names the host to which the link leads. */
    host?: string
    rule: string | null
    private?: true
  }
}

export interface StateChanged {
  type: 'state'
  data: {
    status: RunStatus
    previous: RunStatus
    by: Actor
    reason?: string
    resumeAt?: Place | null
    /** Where `answering` or `paused` returns to. */
    returnTo?: RunStatus
    speed?: number
    /** From here on the first statement of each slide alone is said, or everything again. */
    brief?: boolean
    /** The question window of `closing` is open until then. */
    windowUntil?: number
    /** Of a lobby whose time was changed: when the talk begins, or null where no time is set any more. */
    startsAt?: number | null
  }
}

export interface Closed {
  type: 'closed'
  data: { reason: 'completed' | 'ended' | 'left' | 'unpublished' | 'deleted' | 'superseded' | 'revoked' | 'failed'; summary?: string }
}

/** For hosts: who did what. */
export interface Audited {
  type: 'audit'
  data: { action: string; by: string; slideIndex?: number; questionId?: string }
}

/** For hosts: a hand, a request for the host, a sign of interest. */
export interface Signalled {
  type: 'intent'
  data: { attendeeId: string; signal: 'hand_raised' | 'hand_lowered' | 'high_intent' | 'unanswered' }
}

/** For hosts: how an answer came about. It also marks that the answer is composed: no more sentences will come. */
export interface Traced {
  type: 'trace'
  data: {
    answerId: string
    outcome: AnswerOutcome
    mode: AnswerMode
    confidence: number
    citations: readonly Citation[]
    suggestedActions: readonly SuggestedAction[]
    /** What the asker seems to want besides an answer. */
    signal?: string
    control?: TalkControl
    detail?: unknown
  }
}

/** For the log alone: an attendee came or went. `since` is when the last stream closed. */
export interface Visited {
  type: 'visit'
  data: {
    attendeeId: string
    visit: number
    phase: 'opened' | 'closed'
    name: string | null
    kind: 'human' | 'agent'
    since: number
    reason?: 'left' | 'disconnected' | 'removed' | 'ended'
  }
}

/** For the log alone: a sentence of an answer was heard, by acknowledgement or because its time was over. */
export interface Heard {
  type: 'heard'
  data: { answerId: string; index: number; acked: boolean }
}

export interface Voted {
  type: 'vote'
  data: { questionId: string; attendeeId: string; value: 0 | 1 }
}

/** For the log alone: a lead was taken in this run. */
export interface LeadTaken {
  type: 'lead'
  data: { leadId: string; attendeeId: string }
}

/** For the log alone: the name of this attendee was erased, from the log so far and from everything that comes. */
export interface NameErased {
  type: 'erased'
  data: { attendeeId: string }
}

/** For the log alone: the first stream of a host opened in a process, or the last one closed. */
export interface HostSeen {
  type: 'host'
  data: { present: boolean; node?: string }
}

export type RunEventBody =
  | SlideShown
  | BeatSpoken
  | QuestionChanged
  | AnswerGiven
  | CtaChanged
  | StateChanged
  | Closed
  | Audited
  | Signalled
  | Traced
  | Visited
  | Heard
  | Voted
  | LeadTaken
  | NameErased
  | HostSeen

/** `room`: everybody in the run; `host`: its owner; `log`: nobody; anything else is the id of the one attendee who sees it. */
export type Audience = string

export type NewRunEvent = RunEventBody & { audience: Audience }
/** An event in its place. `prev` is the `seq` of the room event before it; only room events have one. */
export type RunEvent = NewRunEvent & { seq: number; epoch: number; at: number; prev?: number }
