// A deck that is being worked on, under the lease of its job. Every write of the work goes through here, so a process that lost its
// lease changes nothing, nor does one whose deck another has taken the place of.
import { type Job, LostLease } from '../../platform/db/jobs.ts'
import type { Store, Tx } from '../../platform/db/store.ts'
import type { SlideImages } from '../slide-images.ts'
import type { RenderedPage } from '@rostrum/deck/protocol'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import type { Deck } from '../deck-rows.ts'

export interface Claimed extends Deck, Pick<Job, 'hold'> {}

/** Of a job that has just begun: a file that is to be read, or a finished deck with pictures to be fetched; null where there is neither. */
export function claimDeck(store: Store, { key, hold }: Pick<Job, 'key' | 'hold'>): Promise<Claimed | null> {
  return store.write(async (tx) => {
    const waiting = tx.updateTable('decks').set({ state: 'processing', progress_done: 0 }).where('id', '=', key)
    const document = await waiting.where('state', 'in', ['pending', 'processing']).returningAll().executeTakeFirst()
    const ready = tx.selectFrom('decks').selectAll().where('id', '=', key).where('state', '=', 'ready')
    const deck = document ?? (await ready.executeTakeFirst())
    return deck === undefined ? null : { ...deck, hold }
  })
}

/** Changes the deck and renews the lease. Throws `LostLease`. */
export async function updateClaimed(tx: Tx, { id, state, hold }: Claimed, change: Partial<Deck> = {}): Promise<void> {
  await hold(tx)
  const updated = await tx
    .updateTable('decks')
    .set({ state, ...change })
    .where('id', '=', id)
    .where('state', '=', state)
    .returning('id')
    .executeTakeFirst()
  if (updated === undefined) throw new LostLease()
}

/** The pictures of a page as they are kept, and what they take. */
export async function putImages(images: RenderedPage['images'], { blobs }: { blobs: Pick<Blobs, 'put'> }) {
  const put = images.map(async ({ bytes, extension, width, height }) => ({ key: await blobs.put(bytes, extension), width, height }))
  const kept: SlideImages = await Promise.all(put)
  return { images: kept, sized: kept.map(({ key }, at) => ({ key, sizeBytes: images[at]?.bytes.length ?? 0 })) }
}
