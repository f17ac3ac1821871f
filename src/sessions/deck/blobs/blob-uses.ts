// Which decks use which blobs. A blob that was put, or that a deck uses no longer, is looked at an hour later and removed where nobody
// uses it: until then an equal upload, a page that is open somewhere, or a version under way may still want it.
import { heldUnlessTaken, holdWord } from '../../../platform/db/statements.ts'
import type { Reader, Store, Tx } from '../../../platform/db/store.ts'
import { ServiceError } from '../../../platform/errors.ts'
import type { Blobs } from './blobs.ts'

const keepMs = 3_600_000
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
  if (keys?.length === 0) return
  const named = tx.deleteFrom('blob_uses').where('deck_id', '=', deckId)
  const released = await (keys === undefined ? named : named.where('blob_key', 'in', keys)).returning('blob_key').execute()
  // Whether another deck uses them is asked when the hour is over: two that go at once would each see the other.
  await loosen(
    tx,
    released.map(({ blob_key }) => blob_key),
    now,
  )
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
      if (gone.length > 0) await tx.deleteFrom('blob_sizes').where('blob_key', 'in', gone).execute()
      // In here: whoever puts one of them again waits for this transaction, and then writes it anew.
      await blobs.remove(tx, keys, stillUsed)
      return { looked: keys.length, removed: gone.length }
    })
    looked = swept.looked
    removed += swept.removed
  }
  return removed
}

function chunked(keys: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(keys.length / 400) }, (_, at) => keys.slice(at * 400, at * 400 + 400))
}

// What the decks of an account store: pictures, sound, portraits and uploaded files that it uses, each of them once. Where that is
// as much as an account may, what would store more is refused; what is in service stays as it is.

/** Null: no limit. */
export type StorageLimit = number | null

export interface SizedBlob {
  key: string
  sizeBytes: number
}

/** Beside the blob itself, wherever that is kept. */
export async function noteSize(tx: Tx, { key, sizeBytes }: SizedBlob): Promise<void> {
  await tx
    .insertInto('blob_sizes')
    .values({ blob_key: key, size_bytes: sizeBytes })
    .onConflict((conflict) => conflict.column('blob_key').doNothing())
    .execute()
}

const usedBy = (db: Reader | Tx, accountId: string) =>
  db
    .selectFrom('blob_uses')
    .select('blob_uses.blob_key')
    // A session uses its portrait and its logo as a deck its pictures, and so does an account.
    .where('blob_uses.deck_id', 'in', (row) =>
      row
        .selectFrom('decks')
        .select('decks.id')
        .where('decks.account_id', '=', accountId)
        .unionAll(row.selectFrom('sessions').select('sessions.id').where('sessions.account_id', '=', accountId))
        .unionAll(row.selectFrom('accounts').select('accounts.id').where('accounts.id', '=', accountId)),
    )

export async function storedBytes(db: Reader | Tx, accountId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('blob_sizes')
    .select((row) => row.fn.sum<number | null>('size_bytes').as('bytes'))
    .where('blob_key', 'in', usedBy(db, accountId))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/**
 * Throws `limit_reached`, with words for the owner, where the account has not that much left. In the transaction that takes the blobs
 * into use, and before it holds a deck: of two at once the second sees the first. None at all: whether anything may still be stored.
 */
export async function holdStorage(tx: Tx, limit: StorageLimit, accountId: string, wanted: readonly SizedBlob[]): Promise<void> {
  if (limit === null) return
  await holdWord(tx, `bytes of ${accountId}`)
  const used = await storedBytes(tx, accountId)
  const keys = wanted.map(({ key }) => key)
  const known = keys.length === 0 ? [] : await usedBy(tx, accountId).where('blob_uses.blob_key', 'in', keys).execute()
  const isKnown = new Set(known.map(({ blob_key }) => blob_key))
  const fresh = new Map(wanted.filter(({ key }) => !isKnown.has(key)).map(({ key, sizeBytes }) => [key, sizeBytes]))
  const added = fresh.values().reduce((sum, sizeBytes) => sum + sizeBytes, 0)
  if (wanted.length === 0 ? used >= limit : added > 0 && used + added > limit) throw refused(used, limit, added)
}

function refused(used: number, limit: number, added: number): ServiceError {
  const more = added === 0 ? '' : `, and this needs ${mebibytes(added)} more`
  return new ServiceError(
    'limit_reached',
    `Your decks store ${mebibytes(used)} of ${mebibytes(limit)}${more}. Delete sessions that you no longer need, or send a smaller file.`,
  )
}

const mebibytes = (bytes: number) => `${(Math.ceil((bytes / 1_048_576) * 10) / 10).toLocaleString('en')} MiB`
