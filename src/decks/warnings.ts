// What the owner should know about single slides of a deck: pages that could not be drawn, pictures that did not come.
import { z } from 'zod'

const list = z.array(z.object({ index: z.number(), detail: z.string() }))
export type DeckWarning = z.output<typeof list>[number]

/** Reads the column; only JSON of this shape is ever written to it. */
export function readWarnings(column: string): DeckWarning[] {
  return list.parse(JSON.parse(column))
}
