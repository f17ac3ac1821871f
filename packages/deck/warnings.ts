// What the owner should know about a deck: what was lost, guessed or cut while it was read, with the slide that it concerns.
import { z } from 'zod'

/** Stable; each with what helps against it, unless a warning says it better. */
const usualFixes = {
  /** The page, its picture or the way it looks could not be read. */
  unreadable: 'Save this slide anew, or as a picture, and send the file again.',
  picture_failed: 'Check the address of the picture, or upload it.',
  no_text: 'Write the text of this slide, or notes for the presenter.',
  /** Its words were read from its picture. */
  recognised: 'Compare the text with the picture and correct it.',
  drawn_without_pictures: 'Save the presentation as a PDF and send that.',
  title_guessed: 'Give the slide a title.',
  fonts_replaced: 'Embed the fonts in the file, or save it as a PDF.',
  too_long: 'Shorten the text, or part the slide in two.',
  language_differs: undefined,
  /** Lines that a reader took for headers and footers. */
  set_apart: 'Put back what belongs to the talk.',
  /** Of the background. */
  knowledge_cut: 'Part the passage in several, at its paragraphs.',
  /** Text beyond the limit, or a comment that was never closed. */
  cut: 'Part the slide in two.',
} as const satisfies Record<string, string | undefined>

export type WarningCode = keyof typeof usualFixes
const codes = Object.keys(usualFixes) as [WarningCode, ...WarningCode[]]

/** As the reader of a page says it. */
export interface PageWarning {
  code: WarningCode
  /** A sentence for the host. */
  detail: string
  fix?: string
}

const warning = z.object({
  /** Of the slide, from 0; 0 also where the deck as a whole is meant. */
  index: z.number(),
  code: z.enum(codes),
  detail: z.string(),
  fix: z.string().optional(),
  /** It concerns no slide of its own. */
  isOfDeck: z.literal(true).optional(),
  lines: z.array(z.string()).optional(),
  isUsual: z.literal(true).optional(),
})

const list = z.array(warning)
export type DeckWarning = z.output<typeof warning>

/** Reads the column; only JSON of this shape is ever written to it. */
export function readWarnings(column: string): DeckWarning[] {
  return list.parse(JSON.parse(column))
}

export const warningView = z.object({
  index: z.number(),
  slideIndex: z.number().optional().describe('The slide it concerns, from 0; absent where it is the whole deck.'),
  code: z.enum(codes).describe('More may come.'),
  detail: z.string(),
  fix: z.string().optional().describe('What would help.'),
  lines: z
    .array(z.string())
    .optional()
    .describe('Of `set_apart`: the lines, one of those that differ in figures alone. `PATCH .../deck` with `putBack` puts them back.'),
  isUsual: z.literal(true).optional().describe('Told for your information: as in most decks, and nothing to mend.'),
})

export function showWarnings(warnings: readonly DeckWarning[]): z.output<typeof warningView>[] {
  return warnings.map(({ isOfDeck, ...warned }) => {
    const fix = warned.fix ?? usualFixes[warned.code]
    const shown = { ...warned, ...(fix !== undefined && { fix }) }
    return isOfDeck ? shown : { ...shown, slideIndex: shown.index }
  })
}
