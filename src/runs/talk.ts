// What a run needs to know of its session and deck version: public text only, pinned when the run begins. Private notes have no
// member here, so nothing downstream of this port can say them (Spec 2.3).
import type { PlaceOnSlide } from '../contract/deck.ts'
import type { BeatKind, Cta, Source } from '../contract/room.ts'
import type { Guest, OpenRunSetting, TalkSettings } from '../contract/session.ts'

export interface TalkSlide {
  id: string
  /** From 0. */
  index: number
  title: string
  text: string
  imageUrl: string | null
  width: number | null
  height: number | null
  srcset?: string
  lowText?: true
}

/** One sentence of the script. */
export interface TalkBeat {
  beatId: string
  slideId: string
  slideIndex: number
  /** Place among the beats of its slide, from 0. */
  index: number
  kind: BeatKind
  text: string
  sources: readonly Source[]
  /** Where on the slide it stands, to be lit while it is said. */
  at?: PlaceOnSlide
  /** At speed 1. */
  estMs: number
  /** Offsets in `text` where speech may be taken up again; the first is 0. */
  clauses: readonly number[]
  /** Silence after it in a broadcast; in an isolated talk the attendee's client keeps its own breath. */
  pauseMs?: number
  /** A question to the audience: wait this long for an answer. */
  waitMs?: number
  /** A directive that shows the call to action with this beat. */
  showsCta?: boolean
}

/** One deck version of one session, as a run speaks and shows it. */
export interface Talk {
  deckId: string | null
  deckVersion: number
  slides: readonly TalkSlide[]
  beats: readonly TalkBeat[]
  /** The beat in the server's voice, if it is there by now; asked when the beat begins. Absent where the server has no voice. */
  clipOf?(beatId: string): SpokenClip | undefined
}

/** A sentence in the server's voice; `ms` at speed 1. */
export interface SpokenClip {
  url: string
  ms: number
}

/** What the session says of its runs; read when a run is opened and pinned with it, but for its `RunSettings`. */
export interface TalkSession extends TalkSettings {
  sessionId: string
  accountId: string
  slug: string
  status: 'draft' | 'published'
  /** As the host presents it; absent where there is neither name nor portrait, or nobody vouches for the session. */
  presenter?: { name: string | null; imageUrl: string | null }
  cta: Cta | null
  /** Nobody vouches for the agent that made it. */
  unverified?: { ctaUrl: string | null }
  consentVersion: number
  /** Epoch ms. */
  startsAt: number | null
}

/** What a change of the session changes in its open runs too. */
export type RunSettings = Pick<TalkSession, OpenRunSetting>

export interface FoundSession {
  session: TalkSession
  kind: 'live' | 'rehearsal'
  /** Where its host has named who may join: whom of them the key names, or null. */
  guest?: Guest | null
}

export interface ContentPort {
  /** The session whose slug or rehearsal token is `key`; null when there is none. */
  findSession(key: string): Promise<FoundSession | null>
  getSession(sessionId: string): Promise<TalkSession | null>
  /** The deck version in service. A session without slides still has a talk of its title, with `deckId` null. */
  currentTalk(sessionId: string): Promise<Talk>
  /** The version a run began with, kept in memory by the implementation: it is asked for every run and every snapshot. */
  pinnedTalk(sessionId: string, deckId: string | null): Promise<Talk>
  /** Whether two questions ask the same of that version; where it is missing, questions are compared by their words alone. */
  sameQuestion?(sessionId: string, deckId: string | null): Promise<(a: string, b: string) => boolean>
}
