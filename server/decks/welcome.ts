// The deck of the welcome session: the product presents itself, so that the first talk needs no set-up. Its words, its pictures, and
// where each line stands on them, are kept beside it; `scripts/welcome-pictures.ts` draws them anew.
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { box } from '@rostrum/contract/deck'
import { ringAfter, type Store } from '../platform/db/store.ts'
import { writeImages } from './slide-images.ts'
import { useBlobs } from '../platform/blobs/blob-uses.ts'
import type { Reading } from '@rostrum/deck/block'
import type { Block, Piece } from '@rostrum/contract/block'
import { parsedReading, titleOf } from '@rostrum/deck/block-text'
import { deckTopic } from '../sessions/session.ts'
import { newestDeck } from './deck-rows.ts'
import words from './welcome/deck.json' with { type: 'json' }
import type { Blobs } from '../platform/blobs/blobs.ts'

/** The deck as `create_session` takes it; its link leads to the documentation of this very server. */
export const welcomeDeck = (baseUrl: string) => ({
  ...words,
  language: 'en' as const,
  ctaUrl: `${baseUrl.replace(/(?<!\/)\/+$/, '')}/docs`,
})

const folder = new URL('./welcome/', import.meta.url)
const places = z.array(z.array(box))

export interface WelcomePicture {
  bytes: Uint8Array
  reading: Reading
}

/** One for each slide, in order. */
export async function welcomePictures(): Promise<WelcomePicture[]> {
  const boxes = places.parse(JSON.parse(await readFile(new URL('places.json', folder), 'utf8')))
  return Promise.all(
    words.slides.map(async ({ textContent }, at) => ({
      bytes: await readFile(new URL(`${at + 1}.webp`, folder)),
      reading: placed(textContent, (line) => boxes[at]?.[line]),
    })),
  )
}

/** What the slide says, and where on its picture: one box for each line of the text. */
function placed(text: string, boxOf: (line: number) => z.output<typeof box> | undefined): Reading {
  const withBox = <P extends Piece>(piece: P): P => {
    const found = boxOf(text.slice(0, piece.start).split('\n').length - 1)
    return found === undefined ? piece : { ...piece, boxes: [found] }
  }
  const reading = parsedReading(text, titleOf(text), 'first_line')
  const blocks = reading.blocks.map((block): Block => {
    if (block.kind === 'list') return { ...block, items: block.items.map(withBox) }
    return block.kind === 'paragraph' ? withBox(block) : block
  })
  return { ...reading, blocks }
}

/** Gives the slides of the session their pictures, before anybody is let in. */
export async function pictureWelcome({ store, blobs }: { store: Store; blobs: Pick<Blobs, 'put'> }, sessionId: string): Promise<void> {
  const pictures = await welcomePictures()
  const keys = await Promise.all(pictures.map(({ bytes }) => blobs.put(bytes, 'webp')))
  await store.write(async (tx) => {
    const deck = await newestDeck(tx, sessionId)
    if (deck === undefined) return
    for (const [at, key] of keys.entries()) {
      await tx
        .updateTable('slides')
        .set({
          image_state: 'ready',
          images: writeImages([{ key, width: 1600, height: 900 }]),
          reading: JSON.stringify(pictures[at]?.reading),
        })
        .where('deck_id', '=', deck.id)
        .where('position', '=', at)
        .execute()
    }
    await useBlobs(tx, deck.id, keys)
    ringAfter(tx, deckTopic(sessionId))
  })
}
