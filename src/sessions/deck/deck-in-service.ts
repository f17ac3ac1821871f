// What a deck says in public, for the room, retrieval, answering and tools. Reads no private column, and its types have
// none: code that starts here cannot say what the notes hold (Spec 2.3).
import type { Reader } from '../../platform/db/store.ts'
import type { DeckContent, Passage, SlideText } from './content.ts'
import { readReading, slidesInPieces } from './deck-rows.ts'
import { readImages, showImage, type SlideImage } from './slide-image.ts'

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
  return {
    deckId: deck.id,
    version: deck.version,
    title: deck.title,
    language: deck.language,
    slides,
    passages: await passagesOf(read, sessionId),
  }
}

export async function passagesOf(read: Reader, sessionId: string): Promise<Passage[]> {
  const rows = await read
    .selectFrom('passages')
    .select(['id', 'position', 'title', 'content'])
    .where('session_id', '=', sessionId)
    .orderBy('position')
    .execute()
  return rows.map(({ id, position, title, content }) => ({ id, index: position, content, ...(title === null ? {} : { title }) }))
}
