// What a deck says in public: the types that retrieval, answering and the room share. Private notes are not among them, so code
// that is given these types cannot say what the notes hold (Spec 2.3: `agentNotes` are private).
import { setImmediate } from 'node:timers/promises'
import type { DeckContent, SlideText } from '@rostrum/contract/content'
import { prepared } from '../platform/db/statements.ts'
import type { Reader } from '../platform/db/store.ts'
import { readImages, showImage, type SlideImage } from './slide-images.ts'
import { readReading } from '@rostrum/deck/block'
import { passagesOf } from '../knowledge/passage-rows.ts'

// What a deck says in public, for the room, retrieval, answering and tools. Reads no private column, and its types have
// none: code that starts here cannot say what the notes hold (Spec 2.3).

export interface ShownSlide extends SlideText {
  image: SlideImage | null
}

export interface ShownDeck extends DeckContent {
  deckId: string
  version: number
  slides: readonly ShownSlide[]
}

/** The version the room shows; null for a session without one (or without a row). */
export async function deckInService(read: Reader, sessionId: string, mediaBase: string): Promise<ShownDeck | null> {
  const session = await read.selectFrom('sessions').select('deck_id').where('id', '=', sessionId).executeTakeFirst()
  return session?.deck_id ? shownDeck(read, sessionId, session.deck_id, mediaBase) : null
}

/** A slide and its notes take up to some 200 kB. */
const pieceSlides = 10

/** Slides of a version piece by piece, with whatever else there is to do between: a deck may hold tens of megabytes. */
export async function slidesInPieces<Row>(piece: (from: number, to: number) => Promise<readonly Row[]>): Promise<Row[]> {
  const slides: Row[] = []
  for (;;) {
    const found = await piece(slides.length, slides.length + pieceSlides)
    slides.push(...found)
    if (found.length < pieceSlides) return slides
    await setImmediate()
  }
}

/** The version a run began with. Knowledge has no versions: it is the session's as it is now. */
export async function shownDeck(read: Reader, sessionId: string, deckId: string, mediaBase: string): Promise<ShownDeck | null> {
  const deck = await read
    .selectFrom('decks')
    .innerJoin('sessions', 'sessions.id', 'decks.session_id')
    .select(['decks.id', 'decks.version', 'sessions.title', 'sessions.language'])
    .where('decks.id', '=', deckId)
    .where('decks.session_id', '=', sessionId)
    .executeTakeFirst()
  if (deck === undefined) return null
  const slides = await slidesInPieces(async (from, to) => {
    const rows = await read
      .selectFrom('slides')
      .select(['id', 'position', 'title', 'text_content', 'images', 'reading'])
      .where('deck_id', '=', deckId)
      .where('position', '>=', from)
      .where('position', '<', to)
      .orderBy('position')
      .execute()
    return rows.map((slide) => ({
      id: slide.id,
      index: slide.position,
      title: slide.title,
      text: slide.text_content,
      blocks: readReading(slide.reading).blocks,
      image: showImage(readImages(slide.images), mediaBase),
    }))
  })
  await setImmediate()
  return {
    deckId: deck.id,
    version: deck.version,
    title: deck.title,
    language: deck.language,
    slides,
    passages: await passagesOf(read, sessionId),
  }
}

/** Of the version in service; no text is read. */
const shownTitles = prepared((db, of: { sessionId: string }) =>
  db
    .selectFrom('slides')
    .innerJoin('sessions', 'sessions.deck_id', 'slides.deck_id')
    .select(['slides.position', 'slides.title', 'slides.images'])
    .where('sessions.id', '=', of.sessionId)
    .orderBy('slides.position'),
)

/** Titles and pictures of the deck in service. */
export async function titlesOf(read: Reader, sessionId: string, mediaBase: string) {
  const slides = await shownTitles(read, { sessionId })
  return slides.map(({ position, title, images }) => ({
    index: position,
    title,
    imageUrl: showImage(readImages(images), mediaBase)?.imageUrl ?? null,
  }))
}
