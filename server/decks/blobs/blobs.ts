// Content-addressed files: slide images, audio, uploads. A key is the SHA-256 of the bytes and an extension, so a blob never
// changes, may be cached for ever, and is stored once however often it is put.
import { createHash } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import { z } from 'zod'
import type { Clock } from '@rostrum/base/clock'
import type { Store, Tx, Reader } from '../../platform/db/store.ts'
import { heldUnlessTaken, holdWord } from '../../platform/db/statements.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { ServiceError, unclaimedError } from '@rostrum/base/errors'
import type { SentFile } from '../../platform/sent-file.ts'

export interface Blobs {
  /** Resolves with the key once the bytes are durable; those of a file are never all in memory. Who wants them kept notes a use within the hour. */
  put(content: Uint8Array | SentFile, extension: BlobExtension): Promise<string>
  /** Whole, for whoever works on it at once: what is served is read in parts. */
  find(key: string): Promise<Uint8Array | undefined>
  /** Fills `into` from `start` on, with less where the blob or a row of it ends; returns how many bytes, 0 where there is no such blob. */
  read(key: string, start: number, into: Uint8Array): Promise<number>
  /** All of `keys` but those `stillUsed`, and what killed processes have left of any. Removing what is not there is harmless. */
  remove(tx: Tx, keys: readonly string[], stillUsed: ReadonlySet<string>): Promise<void>
}

export interface BlobParts {
  store: Store
  clock: Clock
}

/** What may be served under `/media/`; uploads (`pdf`, `pptx`, ...) are kept for ingestion alone. */
export const mediaTypes = {
  jpg: 'image/jpeg',
  webp: 'image/webp',
  png: 'image/png',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  webm: 'video/webm',
  vtt: 'text/vtt',
  srt: 'application/x-subrip',
  html: 'text/html',
  zip: 'application/zip',
} as const

export type BlobExtension = keyof typeof mediaTypes | 'pdf' | 'pptx' | 'odp' | 'ppt' | 'bin'

const keyPattern = /^([0-9a-f]{64})\.([a-z0-9]{2,4})$/

export function blobKey(bytes: Uint8Array, extension: BlobExtension): string {
  return `${createHash('sha256').update(bytes).digest('hex')}.${extension}`
}

export const fileKey = async (file: SentFile, extension: BlobExtension): Promise<string> => `${await file.sha256()}.${extension}`

/** Anything but a key is refused, so that a name from an address never becomes a path. */
export function isBlobKey(text: string): boolean {
  return keyPattern.test(text)
}

/** The media type a key may be served with; undefined where it may not be served. */
export function mediaTypeOf(key: string): string | undefined {
  const extension = keyPattern.exec(key)?.[2] ?? ''
  return Object.entries(mediaTypes).find(([name]) => name === extension)?.[1]
}

// Finds what `/media/<sha256>.<ext>` names. Only what was made to be shown is ever served: an upload has a key too, but no route.

export interface MediaFile {
  type: string
  sizeBytes: number
  /** A recording: whoever has a copy asks each time whether it is still there. */
  isAskedFor: boolean
  read(start: number, into: Uint8Array): Promise<number>
}

const shownAgainAndAgain = /^(?:image|audio)\//

/** `gone`: its owner has deleted what it was of, and nobody else uses it. */
export async function findMedia(
  name: string,
  { store, blobs }: { store: Store; blobs: Pick<Blobs, 'read'> },
): Promise<MediaFile | 'gone' | undefined> {
  const type = mediaTypeOf(name)
  if (type === undefined) return undefined
  const sizes = store.read.selectFrom('blob_sizes').select(['size_bytes', 'gone_at']).where('blob_key', '=', name)
  const found = await sizes.executeTakeFirst()
  if (found === undefined) return undefined
  if (found.gone_at !== null) {
    const uses = store.read.selectFrom('blob_uses').select('blob_key').where('blob_key', '=', name).limit(1)
    if ((await uses.executeTakeFirst()) === undefined) return 'gone'
  }
  const read: MediaFile['read'] = (start, into) => blobs.read(name, start, into)
  return { type, sizeBytes: found.size_bytes, isAskedFor: !shownAgainAndAgain.test(type), read }
}

// Pictures of a slide as they are kept and as they are shown: three widths, each a blob of its own (`srcset`).

const kept = z.array(z.object({ key: z.string(), width: z.number(), height: z.number() }))
export type SlideImages = z.output<typeof kept>

/** Reads the column; it is written by `writeImages` alone. */
export function readImages(column: string): SlideImages {
  return kept.parse(JSON.parse(column))
}

export function writeImages(images: SlideImages): string {
  return JSON.stringify(images)
}

export interface SlideImage {
  imageUrl: string
  /** Of the widest. */
  width: number
  height: number
  srcset: string
}

/** `mediaBase` is the asset origin or the base URL, without a trailing slash. Null for a slide without a picture. */
export function showImage(images: SlideImages, mediaBase: string): SlideImage | null {
  const widest = images[0]
  if (widest === undefined) return null
  const urlOf = (key: string) => `${mediaBase}/media/${key}`
  return {
    imageUrl: urlOf(widest.key),
    width: widest.width,
    height: widest.height,
    srcset: images.map(({ key, width }) => `${urlOf(key)} ${width}w`).join(', '),
  }
}

/** The key in an address of ours, whichever base it was made with; undefined for any other address. */
export function ownKey(url: string, mediaBase: string): string | undefined {
  const prefix = `${mediaBase}/media/`
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined
}

// Says when two uploads are the same: their bytes and everything that decides what is made of them.

/** Raised when pages of the same file would come out differently. */
const pipelineVersion = 7

/** Over the keys of the files, in order; a key is the digest of its bytes. */
export function sourceDigest(kind: string, keys: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([pipelineVersion, kind, ...keys]))
    .digest('hex')
}

// Which decks use which blobs. A blob that was put, or that a deck uses no longer, is looked at an hour later and removed where nobody
// uses it: until then an equal upload, a page that is open somewhere, or a version under way may still want it.

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

// What the decks of an account store: pictures, sound, portraits and uploaded files that it uses, each of them once. Where that is
// as much as an account may, what would store more is refused; what is in service stays as it is.

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
