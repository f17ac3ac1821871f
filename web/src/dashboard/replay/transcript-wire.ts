// What the transcript of a run and the search over transcripts answer.
import type { OutputOf } from '../../../../client/operations.ts'

export type Transcript = OutputOf<'get_transcript'>
export type TranscriptEntry = Transcript['entries'][number]
/** A line that holds the words looked for, and where it holds them. */
export type TranscriptMatch = OutputOf<'search_transcripts'>['matches'][number]
