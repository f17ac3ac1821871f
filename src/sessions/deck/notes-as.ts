// Whether the notes of a deck are private instructions or what the presenter says (`notesAs`). Adopting copies their words into
// `narration`, which is public; the notes stay what they were. It is never guessed.
import { z } from 'zod'
import { limits } from '../../contract/fields.ts'
import { withoutDirectives } from '../script/compile/directives.ts'
import { cutBefore } from '../../contract/spoken.ts'
import type { Slide } from './deck-rows.ts'

export const notesAs = z.enum(['private', 'narration'])
export type NotesAs = z.output<typeof notesAs>

/** The words of notes as they would be said: directives act and are no words. */
function wordsOf(notes: string): string {
  const words = withoutDirectives(notes)
  return words.length <= limits.narration ? words : words.slice(0, cutBefore(words, limits.narration)).trimEnd()
}

/** The slide under the setting: what its author wrote for the presenter stays either way. */
export function underNotesAs(slide: Slide, as: NotesAs): Slide {
  const words = wordsOf(slide.agent_notes)
  if (slide.is_silent === 1) return slide
  if (as === 'narration') return slide.narration === '' ? { ...slide, narration: words } : slide
  return words !== '' && slide.narration === words ? { ...slide, narration: '' } : slide
}

/** How many words would be said. */
export function countNotes(slides: readonly Slide[]): number {
  return slides.reduce((sum, { agent_notes }) => sum + wordsOf(agent_notes).split(/\s+/u).filter(Boolean).length, 0)
}
