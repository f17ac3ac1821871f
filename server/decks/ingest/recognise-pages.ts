// Which slides say more than their text tells, and what becomes of them when their picture is read. Pure.
import type { Box } from '@rostrum/contract/deck'
import type { Tx } from '../../platform/db/store.ts'
import { readImages } from '../blobs/blobs.ts'
import { writeBlocks, type Written } from '@rostrum/deck/block-text'
import { lettersOf, type PageDraft, piecesOf, type Reading, readReading, withWords } from '@rostrum/deck/block'
import type { Block, Draft, Words } from '@rostrum/contract/block'
import type { DecksDeps } from '../create-decks.ts'
import type { Deck, Slide } from '../deck-rows.ts'
import { languageOfSlides } from '@rostrum/deck/language'
import type { RenderedPage } from '@rostrum/deck/render/protocol'
import { readDocument, readLimits, type ReadOptions } from '@rostrum/deck/render/read-document'

export interface ReadSlide {
  title: string
  text: string
  reading: Reading
}

/** With fewer letters a page counts as a picture. */
const textMin = 20
/** With fewer letters below the title, what a picture on the slide says is its content. */
const shortText = 200
const largeShare = 1 / 3
/** Hardly more than its title: what else is on the slide is drawn. */
const titleAlone = 40

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Whether its picture is to be read. */
export function wantsRecognition(slide: ReadSlide): boolean {
  const { text, title, reading } = slide
  if (reading.isCorrected) return false
  if (lettersOf(text) < textMin) return true
  const below = lettersOf(text) - lettersOf(title)
  return below < titleAlone || (below < shortText && pictureShare(reading.blocks) >= largeShare)
}

function pictureShare(blocks: readonly Block[]): number {
  const boxes = blocks.flatMap((block) => (block.kind === 'figure' && block.data === undefined ? (block.boxes ?? []) : []))
  return boxes.reduce((sum, [, , width, height]: Box) => sum + width * height, 0)
}

/** The slide with what its picture says; undefined where that is nothing new. */
export function withRecognised({ title, text, reading }: ReadSlide, seen: PageDraft): Written | undefined {
  const isPicture = lettersOf(text) < textMin || reading.isGarbled === true
  const known = plain(`${title}\n${text}\n${reading.furniture.join('\n')}`)
  const found = unknownOf(seen.blocks, known)
  const ownTitle = isOwnTitle(title, reading.isTitleSure)
  const isTitled = !ownTitle && seen.title !== ''
  if (found.length === 0 && !isTitled) return undefined
  const head = isTitled
    ? { title: seen.title, titleFrom: seen.titleFrom, isTitleSure: seen.isTitleSure }
    : ownTitle
      ? { title, titleFrom: reading.titleFrom, isTitleSure: reading.isTitleSure }
      : { title: '', titleFrom: 'none' as const, isTitleSure: false }
  const own = reading.blocks.filter((block) => piecesOf(block).some((piece) => lettersOf(piece.text) > 1))
  const blocks = isPicture ? [...own, ...found] : besideText(reading.blocks, found)
  return writeBlocks({ ...head, blocks, furniture: reading.furniture })
}

/** A sure title may be two letters of Chinese on a page whose other signs say nothing. */
const isOwnTitle = (title: string, isSure: boolean) => (isSure ? /\p{L}/u.test(title) : lettersOf(title) >= 3)

/** Pieces that the slide's own text does not hold. */
function unknownOf(blocks: readonly Draft[], known: string): Draft[] {
  const isNew = ({ text }: Words) => plain(text) !== '' && !known.includes(plain(text)) && !isMisread(text, known)
  return blocks.flatMap((block) => withWords(block, isNew) ?? [])
}

/** Most of its words are on the slide: it is a line of the text, with a letter read wrong. */
function isMisread(text: string, known: string): boolean {
  const words = (text.match(/[\p{L}\p{N}]{3,}/gu) ?? []).map(plain)
  return words.length > 0 && words.filter((word) => known.includes(word)).length >= 0.7 * words.length
}

/** What stands in a picture beside text are the labels of that picture. */
function besideText(own: readonly Block[], found: readonly Draft[]): Draft[] {
  const labels = found
    .flatMap((block) => piecesOf(block))
    .map(({ text, boxes, confidence }) => ({ text, ...(boxes && { boxes }), ...(confidence !== undefined && { confidence }) }))
  const at = own.findIndex((block) => block.kind === 'figure' && block.labels.length === 0 && block.data === undefined)
  const figure = own[at]
  return figure?.kind === 'figure'
    ? own
        .toSpliced(at, 1, { ...figure, labels: [] })
        .map((block, place): Draft => (place === at && block.kind === 'figure' ? { ...block, labels } : block))
    : [...own, { kind: 'figure', shows: 'picture', labels }]
}

// Words that stand in one place on many recognised pages: the brand line of a template that is a picture. They are furniture. Pure.

const pagesMin = 3
const shareMin = 0.4
/** In parts of the page, either way. */
const slack = 0.03

/** The slides without such words, undefined where a slide has none of them. */
export function withoutRepeated(slides: readonly ReadSlide[]): (Written | undefined)[] {
  const seen = slides.map(({ reading }) => reading.blocks.flatMap((block) => piecesOf<Words>(block)).filter(isRecognised))
  const pages = seen.filter((pieces) => pieces.length > 0).length
  const atLeast = Math.max(pagesMin, shareMin * pages)
  const places = placesOf(seen)
  const repeated = (words: Words) => {
    const box = words.boxes?.[0]
    if (box === undefined || !isRecognised(words)) return false
    const there = places.get(plain(words.text))?.filter((place) => isNear(box, place.box)) ?? []
    return new Set(there.map(({ page }) => page)).size >= atLeast
  }
  return slides.map(({ title, reading }) => {
    const gone: string[] = []
    const keep = (words: Words) => {
      const isGone = repeated(words)
      if (isGone) gone.push(words.text)
      return !isGone
    }
    const blocks = reading.blocks.flatMap((block) => withWords(block, keep) ?? [])
    if (gone.length === 0) return undefined
    return writeBlocks({ ...reading, title, blocks, furniture: [...reading.furniture, ...gone] })
  })
}

const isRecognised = ({ confidence }: Words) => confidence !== undefined

interface Place {
  page: number
  box: Box
}

/** Where equal words stand. */
function placesOf(pages: readonly (readonly Words[])[]): Map<string, Place[]> {
  const places = new Map<string, Place[]>()
  for (const [page, pieces] of pages.entries())
    for (const { text, boxes } of pieces) {
      const box = boxes?.[0]
      if (box === undefined) continue
      const key = plain(text)
      const same = places.get(key)
      if (same === undefined) places.set(key, [{ page, box }])
      else same.push({ page, box })
    }
  return places
}

const isNear = ([x, y]: Box, [left, top]: Box) => Math.abs(x - left) < slack && Math.abs(y - top) < slack

/** Pictures sent to one process. */
const batchSize = 25
/** A crowded page takes 3 s of one core, five times that where its script is searched for. Together for a deck; what is not read by then keeps its picture and a warning. */
const limits = { ...readLimits, pageMs: 30_000, documentMs: 150_000 }

const columns = ['deck_id', 'position', 'title', 'text_content', 'reading', 'images', 'state'] as const
type Pictured = Pick<Slide, (typeof columns)[number]>

export interface RecognisedPage {
  slide: Pictured
  /** Undefined: nothing new was found. */
  written: Written | undefined
}

const readSlide = (slide: Pictured): ReadSlide => ({ title: slide.title, text: slide.text_content, reading: readReading(slide.reading) })

export const isToRecognise = (slide: Pictured): boolean => slide.images !== '[]' && wantsRecognition(readSlide(slide))

/** `store` gets each page in order, of those that `isWanted`. */
export async function recognisePages(
  deck: Pick<Deck, 'id' | 'session_id'>,
  store: (page: RecognisedPage) => Promise<void>,
  deps: DecksDeps,
  options: ReadOptions,
  isWanted = isToRecognise,
): Promise<void> {
  const slides = await deps.store.read.selectFrom('slides').select(columns).where('deck_id', '=', deck.id).orderBy('position').execute()
  const wanted = slides.filter(isWanted)
  // Where most fonts tell wrong letters the few words that are left say nothing of the language; such fonts are mostly Chinese.
  const isStrange = slides.filter(({ reading }) => readReading(reading).isGarbled).length * 2 > slides.length
  let language = isStrange ? undefined : languageOfSlides(slides)
  const likely = (await namedLanguage(deck.session_id, deps)) ?? (isStrange ? 'zh' : undefined)
  const deadline = deps.clock.elapsed() + limits.documentMs
  for (let from = 0; from < wanted.length && deps.clock.elapsed() < deadline; from += batchSize) {
    const batch = wanted.slice(from, from + batchSize)
    const files = await Promise.all(
      batch.map(async ({ images }) => (await deps.blobs.find(readImages(images)[0]?.key ?? '')) ?? new Uint8Array()),
    )
    const job = {
      kind: 'recognition',
      files,
      ...(language !== undefined && { language }),
      ...(likely !== undefined && { likely }),
    } as const
    const sink = {
      total: async () => {},
      async page({ index, recognised }: RenderedPage) {
        const slide = batch[index]
        if (slide === undefined) return
        language ??= recognised?.language
        await store({ slide, written: recognised && withRecognised(readSlide(slide), recognised.draft) })
      },
    }
    await readDocument(job, sink, deps.clock, { ...options, limits: { ...limits, documentMs: deadline - deps.clock.elapsed() } })
  }
}

/** The host may have named the language; a talk may also be given in another one than its slides. */
async function namedLanguage(sessionId: string, { store }: DecksDeps): Promise<string | undefined> {
  const session = await store.read
    .selectFrom('sessions')
    .select(['language', 'language_from'])
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return session?.language_from === 'host' ? session.language : undefined
}

/** What of a slide the recognised words change. */
export function changeOf({ slide, written }: RecognisedPage): Partial<Slide> {
  if (written === undefined) return {}
  const state = slide.state === 'no_text' ? 'ok' : slide.state
  return { title: written.title, text_content: written.text, reading: JSON.stringify(written.reading), state }
}

export async function storeRecognised(tx: Tx, page: RecognisedPage): Promise<void> {
  const change = changeOf(page)
  if (page.written !== undefined)
    await tx
      .updateTable('slides')
      .set(change)
      .where('deck_id', '=', page.slide.deck_id)
      .where('position', '=', page.slide.position)
      .execute()
}

/** Sets apart what was read at one place of many pages, once all have been read. */
export async function storeRepeated(tx: Tx, deckId: string): Promise<void> {
  const slides = await tx.selectFrom('slides').select(columns).where('deck_id', '=', deckId).orderBy('position').execute()
  for (const [at, written] of withoutRepeated(slides.map(readSlide)).entries()) {
    const slide = slides[at]
    if (slide !== undefined && written !== undefined) await storeRecognised(tx, { slide, written })
  }
}
