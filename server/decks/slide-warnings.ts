// What a slide itself tells its host: that it has no text, that its words come from a picture, that its title is a guess, that it is too
// long to say. Nobody stores it, so what is mended is gone.
import type { Reader } from '../platform/db/store.ts'
import { estimateMs } from '@rostrum/telling/spoken-words'
import { confidenceOf, piecesOf, readReading } from '@rostrum/deck/block'
import type { Slide } from './deck-rows.ts'
import { type DeckWarning, readWarnings, type WarningCode } from '@rostrum/deck/warnings'

/** Below it a good part of the words is wrong. */
const unsureBelow = 0.8
/** As long as a rehearsal takes for too long. */
const longMs = 90_000
const wpm = 150

type Seen = Pick<Slide, 'position' | 'title' | 'text_content' | 'state' | 'images' | 'reading'>

export function slideWarnings(slide: Seen, language: string): DeckWarning[] {
  const { position, title, state, images } = slide
  const reading = readReading(slide.reading)
  const found: DeckWarning[] = []
  const add = (code: DeckWarning['code'], detail: string, fix?: string) =>
    found.push({ index: position, code, detail, ...(fix !== undefined && { fix }) })
  const confidence = confidenceOf(reading)
  if (state === 'no_text')
    add(
      'no_text',
      images === '[]'
        ? 'The slide has no text.'
        : reading.furniture.some((line) => /\p{L}{2}/u.test(line))
          ? 'The words of the slide stand on other slides too and were set apart: nothing on it can be said or asked.'
          : 'The slide is a picture in which no words were found: nothing on it can be said or asked.',
    )
  if (confidence !== undefined) {
    const sure = confidence < unsureBelow ? ', and some of them are unsure' : ''
    add(
      'recognised',
      `Words of this slide were read from its picture${sure}. They answer questions; where the whole page is a picture, lines that were read surely are said too.`,
    )
  }
  if (title !== '' && !reading.isTitleSure) add('title_guessed', `The title is a guess: “${title}”.`, 'Correct the title if it is another.')
  if (title === '' && state === 'ok') add('title_guessed', 'No title was found on the slide.')
  const seconds = Math.round(spokenMs(reading.blocks, language) / 1_000)
  if (seconds * 1_000 > longMs) add('too_long', `The text of the slide takes about ${seconds} s to say.`)
  return found
}

function spokenMs(blocks: ReturnType<typeof readReading>['blocks'], language: string): number {
  const spoken = blocks.filter(({ kind }) => kind === 'paragraph' || kind === 'list' || kind === 'quote')
  const text = spoken
    .flatMap((block) => piecesOf(block).flatMap((piece) => (piece.confidence === undefined ? [piece.text] : [])))
    .join('. ')
  return text === '' ? 0 : estimateMs(text, language, wpm)
}

// Decks in service that hold something for their host to look at, for `rostrum doctor`: which, and how often what.

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
