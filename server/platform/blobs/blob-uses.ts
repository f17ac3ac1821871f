// Who uses which blobs: a deck its pictures, a session its portrait and its logo. A blob that was put, or that is used no longer, is looked
// at an hour later and removed where nobody uses it: until then an equal upload, a page that is open somewhere, or a version under way may
// still want it.
import type { ExpressionBuilder } from 'kysely'
import { heldUnlessTaken } from '../db/statements.ts'
import type { Store, Tx } from '../db/store.ts'
import type { Tables } from '../db/tables.ts'
import type { Blobs } from './blobs.ts'

const keepMs = 3_600_000
/** So long the address of what was deleted says that it was. */
const toldGoneMs = 30 * 86_400_000
/** The embedded store waits while files are removed. */
const sweptAtOnce = 20

/** In the transaction that writes the keys, and within the hour after they were put. */
export async function useBlobs(tx: Tx, deckId: string, keys: readonly string[]): Promise<void> {
  for (const some of chunked([...new Set(keys)])) {
    const rows = some.map((blob_key) => ({ deck_id: deckId, blob_key }))
    await tx
      .insertInto('blob_uses')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['deck_id', 'blob_key']).doNothing())
      .execute()
  }
}

/** The deck no longer uses `keys`, or anything at all where none are named. */
export async function releaseBlobs(tx: Tx, deckId: string, now: number, keys?: readonly string[]): Promise<void> {
  await release(tx, { deckId, keys }, now, null)
}

/** As well, and what nobody else uses is served no longer: their owner has deleted what they were of. */
export async function endBlobs(tx: Tx, deckId: string, now: number, keys?: readonly string[]): Promise<void> {
  await release(tx, { deckId, keys }, now, now)
}

async function release(
  tx: Tx,
  { deckId, keys }: { deckId: string; keys: readonly string[] | undefined },
  now: number,
  gone_at: number | null,
): Promise<void> {
  if (keys?.length === 0) return
  const named = tx.deleteFrom('blob_uses').where('deck_id', '=', deckId)
  const rows = await (keys === undefined ? named : named.where('blob_key', 'in', keys)).returning('blob_key').execute()
  const released = rows.map(({ blob_key }) => blob_key)
  // Whether another deck uses them is asked when the hour is over: two that go at once would each see the other.
  await loosen(tx, released, now)
  // The last of its owners decides.
  for (const some of chunked(released.toSorted())) {
    const marked = tx.updateTable('blob_sizes').set({ gone_at }).where('blob_key', 'in', some)
    await (gone_at === null ? marked.where('gone_at', 'is not', null) : marked).execute()
  }
}

/** Has `keys` looked at an hour from now, and not before. */
export async function loosen(tx: Tx, keys: readonly string[], now: number): Promise<void> {
  // In one order for all, so that nobody waits in a ring.
  for (const some of chunked(keys.toSorted())) {
    await tx
      .insertInto('loose_blobs')
      .values(some.map((blob_key) => ({ blob_key, since: now })))
      .onConflict((conflict) => conflict.column('blob_key').doUpdateSet({ since: now }))
      .execute()
  }
}

/** Removes what nobody has used for an hour; returns how many. */
export async function sweepBlobs(store: Store, blobs: Blobs, now: number): Promise<number> {
  let removed = 0
  for (let looked = sweptAtOnce; looked === sweptAtOnce;) {
    const swept = await store.write(async (tx) => {
      const old = tx
        .selectFrom('loose_blobs')
        .select('blob_key')
        .where('since', '<=', now - keepMs)
        .orderBy('since')
        .limit(sweptAtOnce)
      const keys = (await heldUnlessTaken(tx, old).execute()).map(({ blob_key }) => blob_key)
      if (keys.length === 0) return { looked: 0, removed: 0 }
      await tx.deleteFrom('loose_blobs').where('blob_key', 'in', keys).execute()
      const used = await tx.selectFrom('blob_uses').select('blob_key').distinct().where('blob_key', 'in', keys).execute()
      const stillUsed = new Set(used.map(({ blob_key }) => blob_key))
      const gone = keys.filter((key) => !stillUsed.has(key))
      // That it was deleted is told for longer than it is there.
      if (gone.length > 0) await tx.deleteFrom('blob_sizes').where('blob_key', 'in', gone).where('gone_at', 'is', null).execute()
      // In here: whoever puts one of them again waits for this transaction, and then writes it anew.
      await blobs.remove(tx, keys, stillUsed)
      return { looked: keys.length, removed: gone.length }
    })
    looked = swept.looked
    removed += swept.removed
  }
  const isUsed = (row: ExpressionBuilder<Tables, 'blob_sizes'>) =>
    row.exists(row.selectFrom('blob_uses').select('deck_id').whereRef('blob_uses.blob_key', '=', 'blob_sizes.blob_key'))
  const forgotten = (tx: Tx) =>
    tx
      .deleteFrom('blob_sizes')
      .where('gone_at', '<=', now - toldGoneMs)
      .where((row) => row.not(isUsed(row)))
  await store.write((tx) => forgotten(tx).execute())
  return removed
}

function chunked(keys: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(keys.length / 400) }, (_, at) => keys.slice(at * 400, at * 400 + 400))
}

export interface SizedBlob {
  key: string
  sizeBytes: number
}

/** Beside the blob itself, wherever that is kept. */
export async function noteSize(tx: Tx, { key, sizeBytes }: SizedBlob): Promise<void> {
  await tx
    .insertInto('blob_sizes')
    .values({ blob_key: key, size_bytes: sizeBytes, gone_at: null })
    // Put again after it was deleted, it is there again.
    .onConflict((conflict) => conflict.column('blob_key').doUpdateSet({ gone_at: null }))
    .execute()
}
