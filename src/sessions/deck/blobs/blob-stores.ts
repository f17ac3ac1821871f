// Blobs as files below the data directory: written to a temporary name, synced, then renamed, so a key that exists is whole. Before a
// file there is its row: the clean-up finds what a killed process has left.
import { readdirSync, rmSync } from 'node:fs'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BucketSettings } from '../../../config/servers.ts'
import { awayOr } from '../../../platform/away.ts'
import { type Clock, type Ids, randomBase32, systemClock } from '../../../platform/clock.ts'
import { beforeAbort, createAnswering } from '../../../platform/db/answering.ts'
import { ServiceError } from '../../../platform/errors.ts'
import { loosen, noteSize, blobKey, type BlobParts, type Blobs, isBlobKey, mediaTypeOf } from './blobs.ts'
import { lazily } from '../../../platform/work.ts'

export function createFileBlobs(directory: string, { store, clock, ids }: BlobParts & { ids: Ids }): Blobs {
  /** Two levels, so that no directory holds more than a few thousand names. */
  const pathOf = (key: string) => join(directory, key.slice(0, 2), key)
  return atDoor({
    async put(bytes, extension) {
      const key = blobKey(bytes, extension)
      const path = pathOf(key)
      // Looked for after that alone: from then on no clean-up removes it.
      await store.write(async (tx) => {
        await loosen(tx, [key], clock.now())
        await noteSize(tx, { key, sizeBytes: bytes.length })
      })
      if (await isWhole(path, bytes.length)) return key
      const folder = dirname(path)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const temporary = `${path}.${randomBase32(ids, 8)}.part`
      const file = await open(temporary, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
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

// Blobs in the database, for the cluster store: nodes share nothing but PostgreSQL.

export function createTableBlobs({ store, clock }: BlobParts): Blobs {
  return {
    async put(bytes, extension) {
      const blob_key = blobKey(bytes, extension)
      await store.write(async (tx) => {
        await loosen(tx, [blob_key], clock.now())
        await noteSize(tx, { key: blob_key, sizeBytes: bytes.length })
        await tx
          .insertInto('blobs')
          .values({ blob_key, bytes, created_at: clock.now() })
          .onConflict((conflict) => conflict.column('blob_key').doNothing())
          .execute()
      })
      return blob_key
    },
    async find(key) {
      if (!isBlobKey(key)) return undefined
      const row = await store.read.selectFrom('blobs').select('bytes').where('blob_key', '=', key).executeTakeFirst()
      return row?.bytes
    },
    async remove(tx, keys, stillUsed) {
      const unused = keys.filter((key) => !stillUsed.has(key))
      if (unused.length > 0) await tx.deleteFrom('blobs').where('blob_key', 'in', unused).execute()
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

type Bucket = Awaited<ReturnType<typeof openBucket>>

/** A bucket where one is named, else the database. */
export const createClusterBlobs = (bucket: BucketSettings | null, parts: BucketParts): Blobs =>
  bucket === null ? createTableBlobs(parts) : createBucketBlobs(bucket, createTableBlobs(parts), parts)

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
  return {
    async put(bytes, extension) {
      const key = blobKey(bytes, extension)
      await store.write(async (tx) => {
        await loosen(tx, [key], clock.now())
        await noteSize(tx, { key, sizeBytes: bytes.length })
      })
      await ask(async (bucket) => {
        // An object is there whole or not at all.
        if ((await bucket.objectExists(key)) === true) return
        await bucket.putObject(key, bytes, mediaTypeOf(key) ?? 'application/octet-stream')
      })
      return key
    },
    async find(key) {
      if (!isBlobKey(key)) return undefined
      // A whole room asks for the next slide at once.
      let read = reading.get(key)
      if (read === undefined) reading.set(key, (read = load(key).finally(() => reading.delete(key))))
      return read
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
