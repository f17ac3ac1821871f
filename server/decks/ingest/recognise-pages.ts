// Reads the pictures of slides that say more than their text tells, and stores what was found.
import type { Store, Tx } from '../../platform/db/store.ts'
import { readImages } from '../slide-images.ts'
import type { Written } from '@rostrum/deck/block-text'
import { readReading } from '@rostrum/deck/block'
import { type ReadSlide, wantsRecognition, withoutRepeated, withRecognised } from '@rostrum/deck/recognition/found'
import type { Clock } from '@rostrum/base/clock'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import type { Deck, Slide } from '../deck-rows.ts'
import { languageOfSlides } from '@rostrum/deck/language'
import type { ReadOptions } from '@rostrum/deck/render/read-document'
import { languageOfGarbled, readPictures } from '@rostrum/deck/render/read-pictures'

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
  deps: { store: Store; clock: Clock; blobs: Pick<Blobs, 'find'> },
  options: ReadOptions,
  isWanted = isToRecognise,
): Promise<void> {
  const slides = await deps.store.read.selectFrom('slides').select(columns).where('deck_id', '=', deck.id).orderBy('position').execute()
  const wanted = slides.filter(isWanted)
  const isStrange = slides.filter(({ reading }) => readReading(reading).isGarbled).length * 2 > slides.length
  await readPictures(
    {
      total: wanted.length,
      picture: async (at) => (await deps.blobs.find(readImages(wanted[at]?.images ?? '[]')[0]?.key ?? '')) ?? new Uint8Array(),
      language: isStrange ? undefined : languageOfSlides(slides),
      likely: (await namedLanguage(deck.session_id, deps)) ?? (isStrange ? languageOfGarbled : undefined),
    },
    async (at, draft) => {
      const slide = wanted[at]
      if (slide !== undefined) await store({ slide, written: draft && withRecognised(readSlide(slide), draft) })
    },
    deps.clock,
    options,
  )
}

/** The host may have named the language; a talk may also be given in another one than its slides. */
async function namedLanguage(sessionId: string, { store }: { store: Store }): Promise<string | undefined> {
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
