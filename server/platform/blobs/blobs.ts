// Content-addressed files: slide images, audio, uploads. A key is the SHA-256 of the bytes and an extension, so a blob never
// changes, may be cached for ever, and is stored once however often it is put.
import { createHash } from 'node:crypto'
import type { Clock } from '@rostrum/base/clock'
import type { Store, Tx } from '../db/store.ts'
import type { SentFile } from '../sent-file.ts'

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

/** The key in an address of ours, whichever base it was made with; undefined for any other address. */
export function ownKey(url: string, mediaBase: string): string | undefined {
  const prefix = `${mediaBase}/media/`
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined
}
