// Has the words of pictures read: of pages without text, with little of it beside a picture, or with text that is none. It is a second
// look, at the pictures that were made of the pages, in a reader process of its own: it serves every kind of file and costs no page.
import type { Tx } from '../../../platform/db/store.ts'
import type { Written } from '../blocks/write-blocks.ts'
import { languageOf } from '../deck-language.ts'
import { type Deck, readReading, type Slide } from '../deck-rows.ts'
import type { DecksDeps } from '../deps.ts'
import { withoutRepeated } from '../recognition/repeated.ts'
import { type ReadSlide, wantsRecognition, withRecognised } from '../recognition/wanted.ts'
import type { RenderedPage } from '../render/protocol.ts'
import { readDocument, readLimits, type ReadOptions } from '../render/read-document.ts'
import { readImages } from '../slide-image.ts'

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
  let language = languageOf(slides)
  const likely = await namedLanguage(deck.session_id, deps)
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
