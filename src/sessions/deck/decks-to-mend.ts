// Decks in service that hold something for their host to look at, for `rostrum doctor`: which, and how often what.
import type { Reader } from '../../platform/db/store.ts'
import { slideWarnings } from './slide-warnings.ts'
import { readWarnings, type WarningCode } from './warnings.ts'

export interface DeckToMend {
  title: string
  /** How many slides, or parts of the deck, each code stands for. */
  codes: ReadonlyMap<WarningCode, number>
}

/** Of the decks that changed last. */
export async function decksToMend(read: Reader, decksMax = 50): Promise<{ looked: number; found: DeckToMend[] }> {
  const decks = await read
    .selectFrom('sessions')
    .innerJoin('decks', 'decks.id', 'sessions.deck_id')
    .select(['decks.id', 'decks.warnings', 'sessions.title', 'sessions.language'])
    .orderBy('sessions.updated_at', 'desc')
    .limit(decksMax)
    .execute()
  const found: DeckToMend[] = []
  for (const { id, warnings, title, language } of decks) {
    const slides = await read
      .selectFrom('slides')
      .select(['position', 'title', 'text_content', 'state', 'images', 'reading'])
      .where('deck_id', '=', id)
      .execute()
    const all = [...readWarnings(warnings), ...slides.flatMap((slide) => slideWarnings(slide, language))]
    const codes = new Map([...Map.groupBy(all, ({ code }) => code)].map(([code, of]) => [code, of.length]))
    if (codes.size > 0) found.push({ title, codes })
  }
  return { looked: decks.length, found }
}
