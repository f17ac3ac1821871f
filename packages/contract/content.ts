// What a deck says in public: the types that retrieval, answering and the room share. Private notes are not among them, so code
// that is given these types cannot say what the notes hold (Spec 2.3: `agentNotes` are private).
import type { Block } from './block.ts'

export interface SlideText {
  id: string
  /** From 0. */
  index: number
  title: string
  /** The whole public text, title line included, as it was given (Spec 2.3 `textContent`). */
  text: string
  /** What the text says below the title; the offsets of its pieces are places in `text`. */
  blocks: readonly Block[]
}

export interface Passage {
  id: string
  /** From 0, in the order of `knowledgeBase`. */
  index: number
  title?: string
  content: string
}

export interface DeckContent {
  title: string
  /** BCP 47 tag of the talk. */
  language: string
  slides: readonly SlideText[]
  passages: readonly Passage[]
}
