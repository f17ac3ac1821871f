// What the owner should know about a deck: what was lost, guessed or cut while it was read, with the slide that it concerns.
import { z } from 'zod'

const warning = z.object({
  /** Of the slide, from 0; 0 also where the deck as a whole is meant. */
  index: z.number(),
  /** Stable. */
  code: z.string().default('unreadable'),
  /** A sentence for the host. */
  detail: z.string(),
  /** What would help. */
  fix: z.string().optional(),
  /** It concerns no slide of its own. */
  isOfDeck: z.literal(true).optional(),
})

const list = z.array(warning)
export type DeckWarning = z.input<typeof warning>

/** Reads the column; only JSON of this shape is ever written to it. */
export function readWarnings(column: string): z.output<typeof warning>[] {
  return list.parse(JSON.parse(column))
}

export const warningView = z.object({
  index: z.number(),
  slideIndex: z.number().optional().describe('The slide it concerns, from 0; absent where it is the whole deck.'),
  code: z.string(),
  detail: z.string(),
  fix: z.string().optional().describe('What would help.'),
})

export function showWarnings(column: string): z.output<typeof warningView>[] {
  return readWarnings(column).map(({ isOfDeck, ...shown }) => (isOfDeck ? shown : { ...shown, slideIndex: shown.index }))
}
