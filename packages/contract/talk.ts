// What a run needs to know of its session and deck version: public text only, pinned when the run begins. Private notes have no
// member here, so nothing downstream of this port can say them (Spec 2.3).
import type { z } from 'zod'
import type { Beat } from './beat.ts'
import type { Brand } from './brand.ts'
import type { PlaceOnSlide, shownSlide } from './deck.ts'
import type { Cta, Source } from './room.ts'
import type { OpenRunSetting, TalkSettings } from './session.ts'

/** As people in a room see it. */
export type TalkSlide = z.output<typeof shownSlide>

/** One sentence of the script, for who says it: nothing of how it was made. `index` counts within its slide. */
export interface TalkBeat extends Omit<Beat, 'sources' | 'region' | 'isAuthored' | 'pace' | 'emphasis' | 'pauseMs'> {
  sources: readonly Source[]
  /** In a broadcast; in an isolated talk the attendee's client keeps its own breath. */
  pauseMs?: number
  /** Where on the slide it stands, to be lit while it is said. */
  at?: PlaceOnSlide
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

/** A sentence in the server's voice. */
export interface SpokenClip {
  url: string
  /** At speed 1. */
  ms: number
}

/** What the session says of its runs; read when a run is opened and pinned with it, but for its `RunSettings`. */
export interface TalkSession extends TalkSettings {
  sessionId: string
  accountId: string
  /** The version in service, with which a run begins. */
  deckId: string | null
  slug: string
  status: 'draft' | 'published'
  /** As the host presents it; absent where there is neither name nor portrait, or nobody vouches for the session. */
  presenter?: { name: string | null; imageUrl: string | null }
  /** Of the talk and its account; absent where there is none, or nobody vouches for the session. */
  brand?: Brand
  cta: Cta | null
  /** Nobody vouches for the agent that made it. */
  unverified?: { ctaUrl: string | null }
  consentVersion: number
  /** Epoch ms. */
  startsAt: number | null
}

/** What a change of the session changes in its open runs too. */
export type RunSettings = Pick<TalkSession, OpenRunSetting>
