// Blobs as files below the data directory: written to a temporary name, synced, then renamed, so a key that exists is whole. Before a
// file there is its row: the clean-up finds what a killed process has left.
import { readdirSync, rmSync } from 'node:fs'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BucketSettings } from '../../../config/servers.ts'
import { sql } from 'kysely'
import { type Ids, randomBase32, systemIds } from '../../../platform/clock.ts'
import type { Tx } from '../../../platform/db/store.ts'
import { ServiceError } from '../../../platform/errors.ts'
import { SentFile } from '../../../platform/sent-file.ts'
import { fileKey, loosen, noteSize, type BlobParts, type Blobs, isBlobKey, mediaTypeOf } from './blobs.ts'
import { lazily } from '../../../platform/work.ts'

const asFile = (content: Uint8Array | SentFile): SentFile => (content instanceof SentFile ? content : SentFile.of(content))

/** What goes to a database or a bucket at once; a bucket takes no smaller parts than 5 MiB. */
const pieceBytes = 8 * 1_048_576

async function* piecesOf(file: SentFile): AsyncGenerator<{ position: number; bytes: Uint8Array }> {
  for (let position = 0; position * pieceBytes < file.sizeBytes; position++) {
    const from = position * pieceBytes
    yield { position, bytes: await file.part(from, Math.min(from + pieceBytes, file.sizeBytes), file).head(pieceBytes) }
  }
}

export function createFileBlobs(directory: string, { store, clock, ids }: BlobParts & { ids: Ids }): Blobs {
  /** Two levels, so that no directory holds more than a few thousand names. */
  const pathOf = (key: string) => join(directory, key.slice(0, 2), key)
  return {
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
    async remove(_tx, keys, stillUsed) {
      for (const key of keys.filter(isBlobKey)) {
        const folder = dirname(pathOf(key))
        for (const name of namesIn(folder)) {
          // At once, for a transaction waits for nothing else.
          if (name.startsWith(key) && (name !== key || !stillUsed.has(key))) rmSync(join(folder, name), { force: true })
        }
      }
    },
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
  /** The database joins them: this process holds one at a time. What a killed one has left goes with the clean-up of its key. */
  async function putPieces(file: SentFile, blob_key: string, noted: (tx: Tx) => Promise<void>): Promise<void> {
    await store.write(noted)
    const there = await store.read.selectFrom('blobs').select('created_at').where('blob_key', '=', blob_key).executeTakeFirst()
    const writer = systemIds.uuid()
    if (there === undefined)
      for await (const { position, bytes } of piecesOf(file))
        await store.write((tx) => tx.insertInto('blob_parts').values({ blob_key, writer, position, bytes }).execute())
    await store.write(async (tx) => {
      await noted(tx)
      await sql`INSERT INTO blobs (blob_key, bytes, created_at)
        SELECT blob_key, string_agg(bytes, ''::bytea ORDER BY position), ${clock.now()}::bigint FROM blob_parts
        WHERE blob_key = ${blob_key} AND writer = ${writer} GROUP BY blob_key ON CONFLICT (blob_key) DO NOTHING`.execute(tx)
      await tx.deleteFrom('blob_parts').where('blob_key', '=', blob_key).where('writer', '=', writer).execute()
    })
  }
  return {
    async put(content, extension) {
      const file = asFile(content)
      const blob_key = await fileKey(file, extension)
      const noted = async (tx: Tx) => {
        await loosen(tx, [blob_key], clock.now())
        await noteSize(tx, { key: blob_key, sizeBytes: file.sizeBytes })
      }
      if (file.sizeBytes > pieceBytes) {
        await putPieces(file, blob_key, noted)
        return blob_key
      }
      const bytes = await file.head(pieceBytes)
      await store.write(async (tx) => {
        await noted(tx)
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
      if (keys.length > 0) await tx.deleteFrom('blob_parts').where('blob_key', 'in', keys).execute()
      if (unused.length > 0) await tx.deleteFrom('blobs').where('blob_key', 'in', unused).execute()
    },
  }
}

// Blobs in a bucket that speaks S3: the pictures and films of a cluster leave its database.

/** An upload of the largest size over a slow line. */
const bucketMs = 60_000

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
    for await (const { position, bytes } of piecesOf(file)) parts.push(await bucket.uploadPart(key, upload, bytes, position + 1))
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

interface BucketParts extends BlobParts {
  onFailure(error: unknown): void
}

/** `before`: where blobs were kept until the bucket was named; they are found there and removed from there. */
export function createBucketBlobs(settings: BucketSettings, before: Blobs, { store, clock, onFailure }: BucketParts): Blobs {
  const opened = lazily(() => openBucket(settings))
  async function ask<T>(act: (bucket: Bucket) => Promise<T>): Promise<T> {
    const bucket = await opened()
    return act(bucket).catch((error: unknown) => {
      onFailure(error)
      throw new ServiceError('temporarily_unavailable', 'The storage of files does not answer. Try again in a minute.')
    })
  }
  const reading = new Map<string, Promise<Uint8Array | undefined>>()
  async function load(key: string): Promise<Uint8Array | undefined> {
    const found = await ask((bucket) => bucket.getObjectArrayBuffer(key))
    return found === null ? before.find(key) : new Uint8Array(found)
  }
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
