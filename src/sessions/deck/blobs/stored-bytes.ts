// What the decks of an account store: pictures, sound, portraits and uploaded files that it uses, each of them once. Where that is
// as much as an account may, what would store more is refused; what is in service stays as it is.
import { holdWord } from '../../../platform/db/row-locks.ts'
import type { Reader, Tx } from '../../../platform/db/store.ts'
import { ServiceError } from '../../../platform/errors.ts'

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
    // A session uses its portrait as a deck its pictures.
    .where('blob_uses.deck_id', 'in', (row) =>
      row
        .selectFrom('decks')
        .select('decks.id')
        .where('decks.account_id', '=', accountId)
        .unionAll(row.selectFrom('sessions').select('sessions.id').where('sessions.account_id', '=', accountId)),
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
