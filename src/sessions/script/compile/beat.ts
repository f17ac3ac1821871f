// The compiled narration of a deck: one beat per sentence.
import type { Box } from '../../../contract/deck.ts'
import type { TitleFrom } from '../../deck/block.ts'
import type { Passage, SlideText } from '../../deck/content.ts'
import type { PollSpec } from '../../../contract/poll.ts'
import type { BeatKind, Source } from '../../../contract/room.ts'

/** A slide with what only the compiler may read. */
export interface ScriptSlide extends SlideText {
  /** Private (Spec 2.3). Of these, only directives act; nothing but the text of `[ask:]` is ever spoken. */
  agentNotes?: string
  /** What the host or the creating agent has the presenter say here, as it is to be said. */
  narration?: string
  /** What sentences of it rest on, where it is more than the slide; there once the slide was edited in the script. */
  cited?: readonly CitedSentence[]
  /** Its author has the presenter say nothing here. */
  isSilent?: true
  /** False: guessed from little. */
  isTitleSure?: boolean
  titleFrom?: TitleFrom
}

/** A place in the public content, with the offsets in the slide's text that a sentence rests on. */
export interface BeatSource extends Source {
  spans?: readonly (readonly [start: number, end: number])[]
}

/** A sentence that was compiled, or written, before others of its slide were changed. */
export interface CitedSentence {
  text: string
  sources: readonly BeatSource[]
  region?: readonly Box[]
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

export interface ScriptInput {
  title: string
  language: string
  slides: readonly ScriptSlide[]
  /** The background material, which slides are explained from. */
  passages?: readonly Passage[]
  ctaText?: string
  /** Words a minute, 60..60,000; 150 where left out. */
  speechWpm?: number
  /** Wished length of the talk. */
  targetSeconds?: number
}

export interface Script {
  compilerVersion: number
  language: string
  beats: readonly Beat[]
  /** Speech, pauses and waits together. */
  totalMs: number
  /** Sentences left out to keep to the time budget. */
  droppedBeats: number
  warnings: readonly string[]
}
