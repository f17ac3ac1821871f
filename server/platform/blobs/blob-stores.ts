// Blobs as files below the data directory: written to a temporary name, synced, then renamed, so a key that exists is whole. Before a
// file there is its row: the clean-up finds what a killed process has left.
import { readdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BucketSettings } from '../../config/servers.ts'
import { awayOr } from '../away.ts'
import { type Clock, type Ids, randomBase32, systemClock } from '@rostrum/base/clock'
import { beforeAbort, createAnswering } from '../db/answering.ts'
import type { Tx } from '../db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { SentFile } from '../sent-file.ts'
import type { BlobPartRow } from './tables.ts'
import { fileKey, type BlobParts, type Blobs, isBlobKey, mediaTypeOf } from './blobs.ts'
import { loosen, noteSize } from './blob-uses.ts'
import { atMost, lazily } from '@rostrum/base/work'

const asFile = (content: Uint8Array | SentFile): SentFile => (content instanceof SentFile ? content : SentFile.of(content))

/** What goes to a bucket at once, which takes no smaller parts than 5 MiB. */
const pieceBytes = 8 * 1_048_576

async function* stretchesOf(file: SentFile, sizeBytes: number): AsyncGenerator<{ start: number; bytes: Uint8Array }> {
  for (let start = 0; start < file.sizeBytes; start += sizeBytes)
    yield { start, bytes: await file.part(start, Math.min(start + sizeBytes, file.sizeBytes), file).head(sizeBytes) }
}

export function createFileBlobs(directory: string, { store, clock, ids }: BlobParts & { ids: Ids }): Blobs {
  /** Two levels, so that no directory holds more than a few thousand names. */
  const pathOf = (key: string) => join(directory, key.slice(0, 2), key)
  return atDoor({
    async put(content, extension) {
      const blob = asFile(content)
      const key = await fileKey(blob, extension)
      const path = pathOf(key)
      // Looked for after that alone: from then on no clean-up removes it.
      await store.write(async (tx) => {
        await loosen(tx, [key], clock.now())
        await noteSize(tx, { key, sizeBytes: blob.sizeBytes })
      })
      if (await isWhole(path, blob.sizeBytes)) return key
      const folder = dirname(path)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const temporary = `${path}.${randomBase32(ids, 8)}.part`
      const file = await open(temporary, 'wx', 0o600)
      try {
        await file.writeFile(blob.chunks())
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, path)
      await syncFolder(folder)
      return key
    },
    async find(key) {
      if (!isBlobKey(key)) return undefined
      try {
        return await readFile(pathOf(key))
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    async read(key, start, into) {
      if (!isBlobKey(key)) return 0
      let file: FileHandle
      try {
        file = await open(pathOf(key), 'r')
      } catch (error) {
        if (isMissing(error)) return 0
        throw error
      }
      try {
        return (await file.read(into, 0, into.length, start)).bytesRead
      } finally {
        await file.close()
      }
    },
    async remove(_tx, keys, stillUsed) {
      for (const key of keys.filter(isBlobKey)) {
        const folder = dirname(pathOf(key))
        for (const name of namesIn(folder)) {
          // At once, for a transaction waits for nothing else.
          if (name.startsWith(key) && (name !== key || !stillUsed.has(key))) rmSync(join(folder, name), { force: true })
        }
      }
    },
  })
}

/** A disk that is full, or fails, is no fault of ours. */
function atDoor(blobs: Blobs): Blobs {
  const refuse = (error: unknown): never => {
    throw awayOr(error)
  }
  return {
    ...blobs,
    put: (bytes, extension) => blobs.put(bytes, extension).catch(refuse),
    find: (key) => blobs.find(key).catch(refuse),
    read: (key, start, into) => blobs.read(key, start, into).catch(refuse),
  }
}

async function isWhole(path: string, sizeBytes: number): Promise<boolean> {
  try {
    return (await stat(path)).size === sizeBytes
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** The rename itself must survive a power failure before anybody is told of the key. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

// Blobs in the database, for the cluster store: nodes share nothing but PostgreSQL. One that is larger than a part is kept as several
// rows, each found by its offset: neither side ever holds the whole, and an offset costs one look at an index. Those of versions
// before are one row, of which PostgreSQL cuts out what is asked for.

const partBytes = 1_048_576
/** Of the connections of the pool: talks are read through the others. */
const readsOfTable = 3

/** The same bytes at the same place, whoever writes them. */
const putPart = (tx: Tx, part: BlobPartRow) =>
  tx
    .insertInto('blob_pieces')
    .values(part)
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export function createTableBlobs({ store, clock }: BlobParts): Blobs {
  const inTurn = atMost(readsOfTable)
  const headOf = (key: string, start: number, lengthBytes: number) =>
    store.read
      .selectFrom('blobs')
      .select(({ fn, val }) => fn<Uint8Array>('substr', ['bytes', val(start + 1), val(lengthBytes)]).as('bytes'))
      .where('blob_key', '=', key)
      .executeTakeFirst()
  /** From the part that holds `start`; undefined where the first row holds that. */
  const partOf = (key: string, start: number, lengthBytes: number) =>
    store.read
      .selectFrom('blob_pieces')
      .select(({ fn, val, eb }) =>
        fn<Uint8Array>('substr', ['bytes', eb.cast(eb(val(start + 1), '-', eb.ref('start_at')), 'integer'), val(lengthBytes)]).as('bytes'),
      )
      .where('blob_key', '=', key)
      .where('start_at', '<=', start)
      .orderBy('start_at', 'desc')
      .limit(1)
      .executeTakeFirst()
  const read: Blobs['read'] = async (key, start, into) => {
    if (!isBlobKey(key)) return 0
    const found = await inTurn(async () => {
      const part = start < partBytes ? undefined : await partOf(key, start, into.length)
      return part ?? (await headOf(key, start, into.length))
    })
    if (found === undefined) return 0
    into.set(found.bytes)
    return found.bytes.length
  }
  return {
    async put(content, extension) {
      const file = asFile(content)
      const blob_key = await fileKey(file, extension)
      const noted = async (tx: Tx) => {
        await loosen(tx, [blob_key], clock.now())
        await noteSize(tx, { key: blob_key, sizeBytes: file.sizeBytes })
      }
      if (file.sizeBytes > partBytes) {
        // Before its parts: the clean-up finds what a killed process has left of them.
        await store.write(noted)
        const there = await store.read.selectFrom('blobs').select('created_at').where('blob_key', '=', blob_key).executeTakeFirst()
        if (there === undefined)
          for await (const { start, bytes } of stretchesOf(file, partBytes))
            if (start > 0) await store.write((tx) => putPart(tx, { blob_key, start_at: start, bytes }))
      }
      const head = { blob_key, bytes: await file.head(partBytes), created_at: clock.now() }
      await store.write(async (tx) => {
        await noted(tx)
        await tx
          .insertInto('blobs')
          .values(head)
          .onConflict((conflict) => conflict.column('blob_key').doNothing())
          .execute()
      })
      return blob_key
    },
    async find(key) {
      if (!isBlobKey(key)) return undefined
      const head = await store.read.selectFrom('blobs').select('bytes').where('blob_key', '=', key).executeTakeFirst()
      if (head === undefined) return undefined
      const parts = await store.read.selectFrom('blob_pieces').select('bytes').where('blob_key', '=', key).orderBy('start_at').execute()
      return parts.length === 0 ? head.bytes : Buffer.concat([head, ...parts].map(({ bytes }) => bytes))
    },
    read,
    async remove(tx, keys, stillUsed) {
      const unused = keys.filter((key) => !stillUsed.has(key))
      if (unused.length === 0) return
      await tx.deleteFrom('blobs').where('blob_key', 'in', unused).execute()
      await tx.deleteFrom('blob_pieces').where('blob_key', 'in', unused).execute()
    },
  }
}

// Blobs in a bucket that speaks S3: the pictures and films of a cluster leave its database.

/** An upload of the largest size over a slow line. */
const bucketMs = 60_000
/** A bucket that says nothing for so long is asked whether it is there, and then nobody waits for it. */
const bucketSilenceMs = 2_000

/** The client is loaded by whoever has a bucket. */
export const openBucket = async ({ address, region, keyId, secret }: BucketSettings, timeoutMs = bucketMs) => {
  const { S3mini } = await import('s3mini')
  return new S3mini({ endpoint: address, region, accessKeyId: keyId, secretAccessKey: secret, requestAbortTimeout: timeoutMs })
}

/** One part after the other, so that one is in memory; an upload that fails leaves none of them. */
async function putInParts(bucket: Bucket, key: string, file: SentFile, type: string): Promise<void> {
  const upload = await bucket.getMultipartUploadId(key, type)
  try {
    const parts = []
    for await (const { bytes } of stretchesOf(file, pieceBytes)) parts.push(await bucket.uploadPart(key, upload, bytes, parts.length + 1))
    await bucket.completeMultipartUpload(key, upload, parts)
  } catch (error) {
    await bucket.abortMultipartUpload(key, upload).catch(() => undefined)
    throw error
  }
}

type Bucket = Awaited<ReturnType<typeof openBucket>>

/** A bucket where one is named, else the database. */
export const createClusterBlobs = (bucket: BucketSettings | null, parts: BucketParts): Blobs =>
  bucket === null ? createTableBlobs(parts) : createBucketBlobs(bucket, createTableBlobs(parts), parts)

const readsOfBucket = 24

interface BucketParts extends BlobParts {
  onFailure(error: unknown): void
  /** By which it is told whether the bucket hangs: the real one, unless a test moves it. */
  time?: Clock
}

/** `before`: where blobs were kept until the bucket was named; they are found there and removed from there. */
export function createBucketBlobs(
  settings: BucketSettings,
  before: Blobs,
  { store, clock, onFailure, time = systemClock }: BucketParts,
): Blobs {
  const opened = lazily(() => openBucket(settings))
  const inTurn = atMost(readsOfBucket)
  const { answers } = createAnswering({
    ask: async (signal) => void (await beforeAbort((await opened()).objectExists('ready'), signal)),
    clock: time,
    silenceMs: bucketSilenceMs,
  })
  async function ask<T>(act: (bucket: Bucket) => Promise<T>): Promise<T> {
    try {
      return await answers(async () => act(await opened()))
    } catch (error) {
      onFailure(error)
      throw new ServiceError('temporarily_unavailable', 'The storage of files does not answer. Try again in a minute.')
    }
  }
  const reading = new Map<string, Promise<Uint8Array | undefined>>()
  async function load(key: string): Promise<Uint8Array | undefined> {
    const found = await ask((bucket) => bucket.getObjectArrayBuffer(key))
    return found === null ? before.find(key) : new Uint8Array(found)
  }
  const readPart = (key: string, start: number, into: Uint8Array) =>
    ask(async (bucket) => {
      // The one call for a range throws where nothing is.
      const answer = await bucket.getObjectRaw(key, false, start, start + into.length).catch((error: unknown) => {
        if (error instanceof Error && 'status' in error && error.status === 404) return null
        throw error
      })
      if (answer === null) return null
      // A server that knows no ranges sends the whole.
      let [ahead, filled] = [answer.status === 206 ? 0 : start, 0]
      const body: AsyncIterable<Uint8Array> | null = answer.body
      for await (const chunk of body ?? []) {
        const part = chunk.subarray(ahead, ahead + into.length - filled)
        into.set(part, filled)
        filled += part.length
        ahead = Math.max(0, ahead - chunk.length)
        if (answer.status !== 206 && filled === into.length) break
      }
      return filled
    })
  return {
    async put(content, extension) {
      const file = asFile(content)
      const key = await fileKey(file, extension)
      await store.write(async (tx) => {
        await loosen(tx, [key], clock.now())
        await noteSize(tx, { key, sizeBytes: file.sizeBytes })
      })
      await ask(async (bucket) => {
        // An object is there whole or not at all.
        if ((await bucket.objectExists(key)) === true) return
        const type = mediaTypeOf(key) ?? 'application/octet-stream'
        if (file.sizeBytes > pieceBytes) await putInParts(bucket, key, file, type)
        else await bucket.putObject(key, await file.head(pieceBytes), type)
      })
      return key
    },
    async find(key) {
      if (!isBlobKey(key)) return undefined
      let read = reading.get(key)
      if (read === undefined) reading.set(key, (read = load(key).finally(() => reading.delete(key))))
      return read
    },
    async read(key, start, into) {
      if (!isBlobKey(key)) return 0
      return (await inTurn(() => readPart(key, start, into))) ?? before.read(key, start, into)
    },
    async remove(tx, keys, stillUsed) {
      const unused = keys.filter((key) => isBlobKey(key) && !stillUsed.has(key))
      // One by one: not every server takes many at once without a digest of MD5. The transaction is undone where one fails.
      const removed = await ask((bucket) => Promise.all(unused.map((key) => bucket.deleteObject(key))))
      if (removed.includes(false)) throw new Error('The bucket did not remove every object.')
      await before.remove(tx, keys, stillUsed)
    },
  }
}
