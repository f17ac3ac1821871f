// What the owner should know about a deck: what was lost, guessed or cut while it was read, with the slide that it concerns.
import { z } from 'zod'
import type { Reader } from '../../platform/db/store.ts'
import { estimateMs } from '../script/compile/spoken-words.ts'
import { confidenceOf, piecesOf, readReading } from './block.ts'
import type { Slide } from './deck-rows.ts'

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

type WarningCode = keyof typeof usualFixes
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
})

export function showWarnings(warnings: readonly DeckWarning[]): z.output<typeof warningView>[] {
  return warnings.map(({ isOfDeck, ...warned }) => {
    const fix = warned.fix ?? usualFixes[warned.code]
    const shown = { ...warned, ...(fix !== undefined && { fix }) }
    return isOfDeck ? shown : { ...shown, slideIndex: shown.index }
  })
}

// What a slide itself tells its host: that it has no text, that its words come from a picture, that its title is a guess, that it is too
// long to say. Nobody stores it, so what is mended is gone.

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
