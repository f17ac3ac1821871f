// Which decks use which blobs. A blob that nobody uses any more is removed an hour later: until then an equal upload, a page
// that is open somewhere, or a version under way may still want it.
import type { Store, Tx } from '../../storage/store.ts'
import type { Blobs } from './blobs.ts'

const keepMs = 3_600_000
const sweptAtOnce = 200

/** In the transaction that writes the keys. */
export async function useBlobs(tx: Tx, deckId: string, keys: readonly string[]): Promise<void> {
  const distinct = [...new Set(keys)]
  for (let from = 0; from < distinct.length; from += 400) {
    const some = distinct.slice(from, from + 400)
    const rows = some.map((blob_key) => ({ deck_id: deckId, blob_key }))
    await tx
      .insertInto('blob_uses')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['deck_id', 'blob_key']).doNothing())
      .execute()
    await tx.deleteFrom('loose_blobs').where('blob_key', 'in', some).execute()
  }
}

/** The deck no longer uses `keys`, or anything at all where none are named. */
export async function releaseBlobs(tx: Tx, deckId: string, now: number, keys?: readonly string[]): Promise<void> {
  if (keys?.length === 0) return
  const named = tx.deleteFrom('blob_uses').where('deck_id', '=', deckId)
  const released = await (keys === undefined ? named : named.where('blob_key', 'in', keys)).returning('blob_key').execute()
  for (let from = 0; from < released.length; from += 400) {
    const some = released.slice(from, from + 400).map(({ blob_key }) => blob_key)
    const used = await tx.selectFrom('blob_uses').select('blob_key').distinct().where('blob_key', 'in', some).execute()
    const stillUsed = new Set(used.map(({ blob_key }) => blob_key))
    const loose = some.filter((key) => !stillUsed.has(key)).map((blob_key) => ({ blob_key, since: now }))
    if (loose.length === 0) continue
    await tx
      .insertInto('loose_blobs')
      .values(loose)
      .onConflict((conflict) => conflict.column('blob_key').doUpdateSet({ since: now }))
      .execute()
  }
}

/** Removes what has been loose for an hour; returns how many. */
export async function sweepBlobs(store: Store, blobs: Blobs, now: number): Promise<number> {
  const unused = await store.write(async (tx) => {
    const old = tx
      .selectFrom('loose_blobs')
      .select('blob_key')
      .where('since', '<=', now - keepMs)
      .orderBy('since')
      .limit(sweptAtOnce)
    const taken = await tx.deleteFrom('loose_blobs').where('blob_key', 'in', old).returning('blob_key').execute()
    if (taken.length === 0) return []
    const keys = taken.map(({ blob_key }) => blob_key)
    const used = await tx.selectFrom('blob_uses').select('blob_key').distinct().where('blob_key', 'in', keys).execute()
    const stillUsed = new Set(used.map(({ blob_key }) => blob_key))
    return keys.filter((key) => !stillUsed.has(key))
  })
  for (const key of unused) await blobs.remove(key)
  return unused.length
}
