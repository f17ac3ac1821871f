// One sentence of the compiled narration of a deck.
import type { Box } from './deck.ts'
import type { PollSpec } from './poll.ts'
import type { BeatKind, Source } from './room.ts'

/** A place in the public content, with the offsets in the slide's text that a sentence rests on. */
export interface BeatSource extends Source {
  spans?: readonly (readonly [start: number, end: number])[]
}

export interface Beat {
  /** Stable while the slide and the sentence stay: `<slideId>.<position on the slide>`. */
  beatId: string
  slideId: string
  slideIndex: number
  /** Position in the script, from 0. */
  index: number
  kind: BeatKind
  /** One sentence, at most 240 characters. */
  text: string
  sources: readonly BeatSource[]
  /** Where on the slide it stands, to be lit while it is said. */
  region?: readonly Box[]
  /** Somebody's own words, said as they are written. */
  isAuthored?: true
  /** How long speaking it takes at the script's pace. */
  estMs: number
  /** Silence after it. */
  pauseMs: number
  /** Offsets at which a clause begins; the first is 0, and no clause is longer than 180 characters. */
  clauses: readonly number[]
  pace?: 'slow' | 'fast'
  /** Words of `text` to stress. */
  emphasis?: readonly string[]
  /** A question to the audience: how long to wait for an answer. */
  waitMs?: number
  /** The room is asked this: the beat says the question, and `waitMs` is how long a broadcast waits. */
  poll?: ScriptPoll
  /** What came of a poll is said here; `text` stands for it where nobody was asked. */
  resultOf?: string
  /** The call to action appears with this beat. */
  showsCta?: true
}

/** The same id while it asks the same on its slide. */
export interface ScriptPoll extends Omit<PollSpec, 'seconds'> {
  pollId: string
}
