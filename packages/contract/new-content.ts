// What an owner brings along for a talk: slides, with private notes where they have some, and background. Apart from the session, so that
// what answers has no way to the notes (Spec 2.3).
import { z } from 'zod'
import { limits, text, webUrl, words } from './fields.ts'

export const narration = text(limits.narration).describe('Said here, word for word. Public.')

export const newSlide = z.object({
  title: text(limits.title).describe('Default: its first line.').optional(),
  imageUrl: webUrl.describe('Address of its image (PNG, JPEG, WebP).').optional(),
  textContent: text(limits.slideText).describe('Key text, bullets one a line.').optional(),
  agentNotes: text(limits.agentNotes).describe('Private instructions, never shown or quoted.').optional(),
  narration: narration.optional(),
})

export const newPassage = z.object({
  title: text(limits.title).optional(),
  content: words(limits.passage).describe('Public: it is quoted.'),
})

export type NewSlide = z.output<typeof newSlide>
export type NewPassage = z.output<typeof newPassage>
