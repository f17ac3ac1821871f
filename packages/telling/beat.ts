// What the narration of a deck is compiled from, and what it becomes.
import type { Box } from '@rostrum/contract/deck'
import type { TitleFrom } from '@rostrum/contract/block'
import type { Passage, SlideText } from '@rostrum/contract/content'
import type { Beat, BeatSource } from '@rostrum/contract/beat'

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

/** A sentence that was compiled, or written, before others of its slide were changed. */
export interface CitedSentence {
  text: string
  sources: readonly BeatSource[]
  region?: readonly Box[]
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
