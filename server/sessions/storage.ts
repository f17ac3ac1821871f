// What the decks of an account store: pictures, sound, portraits and uploaded files that it uses, each of them once. Where that is
// as much as an account may, what would store more is refused; what is in service stays as it is.
import { ServiceError, unclaimedError } from '@rostrum/base/errors'
import type { SizedBlob } from '../platform/blobs/blob-uses.ts'
import { holdWord } from '../platform/db/statements.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import type { BodyHead, Call } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { ownSession } from './session.ts'

/** What an account may store; null: no limit, here or for all. */
export type StorageLimit = ((db: Reader | Tx, accountId: string) => Promise<StoragePlan>) | null

export interface StoragePlan {
  bytes: number | null
  /** Of an agent that nobody has claimed: where a person does. */
  claimUri?: () => Promise<string | undefined>
}

const unlimited: StoragePlan = { bytes: null }
export const storageOf = async (db: Reader | Tx, limit: StorageLimit, accountId: string): Promise<StoragePlan> =>
  limit === null ? unlimited : limit(db, accountId)

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
  const plan = await storageOf(tx, limit, accountId)
  if (plan.bytes === null) return
  await holdWord(tx, `bytes of ${accountId}`)
  const used = await storedBytes(tx, accountId)
  const keys = wanted.map(({ key }) => key)
  const known = keys.length === 0 ? [] : await usedBy(tx, accountId).where('blob_uses.blob_key', 'in', keys).execute()
  const isKnown = new Set(known.map(({ blob_key }) => blob_key))
  const fresh = new Map(wanted.filter(({ key }) => !isKnown.has(key)).map(({ key, sizeBytes }) => [key, sizeBytes]))
  const added = fresh.values().reduce((sum, sizeBytes) => sum + sizeBytes, 0)
  if (wanted.length === 0 ? used >= plan.bytes : added > 0 && used + added > plan.bytes) throw await refused(used, plan, added)
}

/** By the head of an upload of `sizeBytes`, before it comes: whether the account has that much left. Throws `limit_reached`. */
export async function roomFor(db: Reader, limit: StorageLimit, accountId: string, sizeBytes: number): Promise<void> {
  const plan = await storageOf(db, limit, accountId)
  if (plan.bytes === null) return
  const used = await storedBytes(db, accountId)
  // What is around the file in a form, and what is stored already, is not known yet.
  const added = Math.max(0, sizeBytes - formBytes)
  if (used >= plan.bytes || used + added > plan.bytes) throw await refused(used, plan, added)
}

const formBytes = 64 * 1024

async function refused(used: number, { bytes, claimUri }: StoragePlan, added: number): Promise<ServiceError> {
  const more = added === 0 ? '' : `, and this needs ${mebibytes(added)} more`
  const limit = bytes ?? 0
  if (claimUri !== undefined)
    return unclaimedError(
      'limit_reached',
      `An unclaimed agent may store ${mebibytes(limit)}: it has ${mebibytes(used)}${more}. Delete sessions, or send a smaller file.`,
      await claimUri(),
    )
  return new ServiceError(
    'limit_reached',
    `Your decks store ${mebibytes(used)} of ${mebibytes(limit)}${more}. Delete sessions that you no longer need, or send a smaller file.`,
  )
}

const mebibytes = (bytes: number) => `${(Math.ceil((bytes / 1_048_576) * 10) / 10).toLocaleString('en')} MiB`

/** The session is the caller's, and the account may store as much. JSON is no file, and counts as none. */
export async function fileWanted(
  wanted: { sessionId: string },
  call: Call<AccountPrincipal>,
  deps: { store: Store; storageLimit: StorageLimit },
  head: BodyHead,
): Promise<void> {
  const { accountId } = call.principal
  await ownSession(deps.store.read, accountId, wanted.sessionId)
  if (head.type !== 'application/json') await roomFor(deps.store.read, deps.storageLimit, accountId, head.sizeBytes ?? 0)
}
