// What the transcript of a run and the search over transcripts answer, as far as the dashboard reads it.
import type { Citation as RoomCitation, PlaceOnSlide } from '../room/wire.ts'
import type { Citation } from './wire.ts'

export interface TranscriptEntry extends PlaceOnSlide {
  /** Its place in the log of the run. */
  seq: number
  at: string
  offsetMs: number
  endOffsetMs?: number
  type: 'narration' | 'question' | 'answer' | 'slide' | 'state'
  slideIndex: number | null
  speaker: string
  text: string
  citations?: Citation[]
  /** On `slide`: what it showed. */
  slide?: { id: string; text: string; imageUrl: string | null }
  questionId?: string
  /** On an answer that was spoken. */
  sentences?: { offsetMs: number; text: string; citations?: readonly RoomCitation[] }[]
  /** A written copy for the asker alone. */
  /** On narration that was heard whole, where the server said it. */
  audioUrl?: string
  audioMs?: number
  private?: boolean
}

/** A line that holds the words looked for, and where it holds them. */
export interface TranscriptMatch extends TranscriptEntry {
  runId: string
  startedAt: string | null
  start: number
  end: number
}

export interface Transcript {
  runId: string
  sessionId: string
  title: string
  startedAt: string | null
  entries: TranscriptEntry[]
}
