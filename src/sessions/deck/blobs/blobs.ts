// Content-addressed files: slide images, audio, uploads. A key is the SHA-256 of the bytes and an extension, so a blob never
// changes, may be cached for ever, and is stored once however often it is put.
import { createHash } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import type { Store, Tx } from '../../../platform/db/store.ts'

export interface Blobs {
  /** Resolves with the key once the bytes are durable. Whoever wants them kept notes a use within the hour (`blob-uses.ts`). */
  put(bytes: Uint8Array, extension: BlobExtension): Promise<string>
  find(key: string): Promise<Uint8Array | undefined>
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
} as const

export type BlobExtension = keyof typeof mediaTypes | 'pdf' | 'pptx' | 'odp' | 'ppt' | 'bin'

const keyPattern = /^([0-9a-f]{64})\.([a-z0-9]{2,4})$/

export function blobKey(bytes: Uint8Array, extension: BlobExtension): string {
  return `${createHash('sha256').update(bytes).digest('hex')}.${extension}`
}

/** Anything but a key is refused, so that a name from an address never becomes a path. */
export function isBlobKey(text: string): boolean {
  return keyPattern.test(text)
}

/** The media type a key may be served with; undefined where it may not be served. */
export function mediaTypeOf(key: string): string | undefined {
  const extension = keyPattern.exec(key)?.[2] ?? ''
  return Object.entries(mediaTypes).find(([name]) => name === extension)?.[1]
}
