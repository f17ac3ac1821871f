// What the documented operations answer, as far as the dashboard reads it (Spec 2; wire names as they are sent).
import type { AnswerTrace } from './trace-wire.ts'

export type Role = 'owner' | 'admin' | 'member'

export interface AccountRef {
  id: string
  name: string
  role: Role
}

export interface Account {
  user: { id: string; email: string; name: string }
  account: AccountRef
  role: Role
  accounts: AccountRef[]
  /** Whether the service mails links, or people hand them over. */
  sendsMail: boolean
  csrf: string
}

export type SessionStatus = 'draft' | 'published'
export type Mode = 'isolated' | 'broadcast'
export type StartPolicy = 'first_attendee' | 'scheduled' | 'host'
export type CtaKind = 'link' | 'checkout'

export interface SessionRecord {
  id: string
  slug: string
  title: string
  description?: string
  mode: Mode
  status: SessionStatus
  isLive: boolean
  slidesCount: number
  shareLink: string
  createdAt: string
  updatedAt: string
  /** Present while a run of it is going on. */
  attendeesOnline?: number
  slideIndex?: number
}

export interface SessionDetail extends SessionRecord {
  language: string
  languageFrom: 'host' | 'deck' | 'default'
  voice?: string
  pronunciations?: Record<string, string>
  presenterName?: string
  presenterImageUrl?: string
  discoverable: boolean
  tags: string[]
  ctaText?: string
  ctaUrl?: string
  ctaKind: CtaKind
  ctaRules: string[]
  consentText?: string
  startPolicy: StartPolicy
  startsAt?: string
  moderation: 'auto' | 'manual'
  embedOrigins?: string[]
  targetSeconds?: number
  minutesMax?: number
  /** Of `minutesMax`. */
  minutesUsed?: number
  rehearsalUrl?: string
  publishedAt?: string
  deckState: DeckState
}

/** The members `PATCH` takes; absent ones stay as they are, null clears one. */
export interface SessionChange {
  title?: string
  status?: SessionStatus
  description?: string | null
  mode?: Mode
  language?: string | null
  ctaText?: string | null
  ctaUrl?: string | null
  startPolicy?: StartPolicy
  startsAt?: string | null
  discoverable?: boolean
  moderation?: 'auto' | 'manual'
  consentText?: string | null
  presenterName?: string | null
  voice?: string | null
  pronunciations?: Record<string, string> | null
  embedOrigins?: string[] | null
  minutesMax?: number | null
  targetSeconds?: number | null
}

export type DeckState = 'none' | 'pending' | 'processing' | 'ready' | 'failed'

export interface Slide {
  id: string
  index: number
  title: string
  textContent: string
  agentNotes: string
  /** What the presenter says here, word for word; absent where the talk is compiled. */
  narration?: string
  imageUrl?: string
  srcset?: string
  width?: number
  height?: number
  state: 'ok' | 'placeholder' | 'no_text'
  /** Of the picture; `pending` while it is fetched. */
  imageState: 'none' | 'pending' | 'ready' | 'failed'
  textFrom?: 'document' | 'picture' | 'host'
  /** Of words that were read from the picture, 0..1. */
  confidence?: number
}

/** The newest version, which may not be the one in service. */
export interface Deck {
  deckId: string | null
  version: number
  state: DeckState
  progress: { done: number; total: number }
  reason?: string
  /** The version the room shows. */
  inService?: { deckId: string; version: number } | null
  /** `slideIndex` is absent where the whole deck is meant. */
  warnings: { index: number; slideIndex?: number; code: string; detail: string; fix?: string }[]
  notesAs?: 'private' | 'narration'
  /** Of notes that would be said. */
  notesWords?: number
  slides: Slide[]
}

/** Left, top, width and height, in fractions of the picture. */
export type Box = readonly [left: number, top: number, width: number, height: number]

export interface BeatSource {
  type: 'slide' | 'knowledge'
  id: string
  index: number
}

export interface Beat {
  beatId: string
  slideId: string | null
  slideIndex: number
  index: number
  kind: 'opening' | 'title' | 'narration' | 'bridge' | 'cta' | 'closing'
  text: string
  sources: BeatSource[]
  /** Where it stands on the slide. */
  region?: Box[]
  estMs: number
  /** When the host put it in words of their own, or a model wrote it. */
  editedAt?: string
  author?: 'host' | 'model'
}

/** The script being put into words by a model; `off` where none is configured. */
export interface Writing {
  state: 'off' | 'idle' | 'writing'
  slides?: { done: number; total: number }
  written?: number
  failed?: number
  stopped?: 'budget'
}

export interface ScriptSentence {
  beatId: string
  text: string
  sources: BeatSource[]
  from: 'rules' | 'host' | 'model'
  /** Of the presenter's own: it keeps its place. */
  fixed?: true
  opening?: true
}

export interface ScriptSlideView {
  slideId: string
  index: number
  title: string
  seconds: number
  silent?: true
  skipped?: true
  written?: true
  sentences: ScriptSentence[]
}

/** What a listener would stumble over; `fix: null`: may be left out, a text: may be said instead, a sentence a line. */
export interface ScriptFinding {
  code: string
  slideIndex: number
  beatId?: string
  text?: string
  detail: string
  fix?: string | null
}

export interface ScriptAnswer {
  /** Its `ETag`. */
  tag: string
  language: string
  totalMs: number
  targetSeconds?: number
  slides: ScriptSlideView[]
  findings: ScriptFinding[]
  beats: Beat[]
  writing: Writing
}

export interface ScriptVersion {
  version: number
  reason: 'before' | 'saved' | 'mended' | 'restored'
  changedSlides: number
  savedAt: string
}

/** A sentence in the words of a model, to be taken or left. */
export interface Proposal {
  beatId: string
  was: string
  text: string
}

export interface Passage {
  id: string
  title?: string | null
  content: string
  cited?: number
}

export interface Citation {
  n: number
  type: 'slide' | 'knowledge'
  id: string
  index: number
  title: string | null
  quote: string
}

export type QuestionStatus = 'pending' | 'queued' | 'answering' | 'answered' | 'merged' | 'hidden' | 'declined' | 'expired'
export type Outcome = 'answered' | 'near' | 'unknown' | 'declined' | 'handoff' | 'error'

export interface AskedQuestion {
  questionId: string
  source?: 'room' | 'personal_agent'
  /** Absent where a personal agent asked, as are the attendee and the slide. */
  runId?: string
  text: string
  by: { attendeeId?: string; name: string | null }
  status: QuestionStatus
  slideIndex?: number
  votes: number
  askedAt: string
  mergedInto?: string
  /** Present once it was answered. */
  outcome?: Outcome
  mode?: 'extractive' | 'model' | 'human'
  answer?: string
  citations?: Citation[]
  trace?: AnswerTrace
}

export type RunStatus = 'lobby' | 'presenting' | 'answering' | 'paused' | 'handed_over' | 'closing' | 'completed' | 'failed'

export interface Run {
  runId: string
  kind: 'live' | 'rehearsal'
  mode: Mode
  status: RunStatus
  createdAt?: string
  startedAt: string | null
  endedAt: string | null
  attendees: number
  questions: number
}

export interface SlideFigures {
  index: number
  views: number
  avgSeconds: number
  leftHere: number
  questions: number
}

export interface Analytics {
  sessionId: string
  totalAttendees: number
  averageEngagementSec: number
  questionsCount: number
  ctaClicks: number
  slides?: SlideFigures[]
  funnel?: { opened: number; started: number; half: number; completed: number; cta: number; lead: number }
  attendance?: { at: string; count: number }[]
  /** `slideIndex` is absent where only personal agents have asked. */
  unanswered?: { text: string; count: number; outcome: string; slideIndex?: number }[]
  leads?: number
}

export interface Lead {
  id: string
  name: string
  email: string
  company: string
  phone?: string
  notes?: string
  ctaClicked: boolean
  created_at: string
  consentAt?: string
  consentText?: string
  source?: 'form' | 'conversation' | 'personal_agent'
  sessionId?: string
  /** The first lead of this address; this one came from somebody else. */
  repeatOf?: string
  /** Each time that the details were given, the first time first. */
  consents?: { at: string; source: NonNullable<Lead['source']>; text: string; version: number }[]
}

export interface ApiKey {
  id: string
  name: string
  prefix?: string
  last4: string
  scopes: string[]
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
  /** The key made in its place; this one works until `expiresAt`. */
  replacedBy: string | null
}

export interface Meter {
  /** null: no limit. */
  limit: number | null
  used: number
}

export interface Usage {
  period: string
  resetsAt?: string | null
  sessions: Meter
  minutes: Meter
  /** Bytes. */
  storedBytes: Meter
  today: { resetsAt: string; modelCalls: Meter; spokenCharacters: Meter; recognisedSeconds: Meter }
}

/** The report of a talk given to a synthetic audience, or to people over the rehearsal link. */
export interface Rehearsal {
  rehearsalId: string
  createdAt?: string
  status: 'running' | 'completed' | 'failed'
  seconds: number
  /** `answerable` ones are made from the slides and `asked` ones come from people; the others must not be answered. */
  questions: { text: string; kind: string; outcome: string; slideIndex?: number; isMet?: boolean }[]
  /** `heard`, 0 to 100: what is left of what is said for who listens; of the questions made from the slide, those answered from it. */
  slides?: { index: number; estSeconds: number; heard?: number; asked?: number; met?: number }[]
  /** Questions that the deck was meant to answer and did not. */
  unanswered: string[]
  leaks: string[]
  warnings: { code: string; detail: string; slideIndex?: number }[]
  /** What a listener would stumble over, in the order of the talk. */
  findings?: { code: string; slideIndex: number; beatId?: string; text?: string; detail: string }[]
  /** Of 40, 40 and 20. */
  parts?: { script: number; answers: number; safety: number }
  /** 0 to 100. */
  score: number
}
