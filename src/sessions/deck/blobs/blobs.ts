// Content-addressed files: slide images, audio, uploads. A key is the SHA-256 of the bytes and an extension, so a blob never
// changes, may be cached for ever, and is stored once however often it is put.
import { createHash } from 'node:crypto'
import { z } from 'zod'
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

/** Anything but a key is refused, so that a name from an address never becomes a path. */
export function isBlobKey(text: string): boolean {
  return keyPattern.test(text)
}

/** The media type a key may be served with; undefined where it may not be served. */
export function mediaTypeOf(key: string): string | undefined {
  const extension = keyPattern.exec(key)?.[2] ?? ''
  return Object.entries(mediaTypes).find(([name]) => name === extension)?.[1]
}

// Finds what `/media/<sha256>.<ext>` names. Only pictures and sound are ever served: an upload has a key too, but no route.

export interface MediaFile {
  type: string
  bytes: Uint8Array
}

export async function findMedia(blobs: Blobs, name: string): Promise<MediaFile | undefined> {
  const type = mediaTypeOf(name)
  if (type === undefined) return undefined
  const bytes = await blobs.find(name)
  return bytes === undefined ? undefined : { type, bytes }
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
const pipelineVersion = 6

/** Over the keys of the files, in order; a key is the digest of its bytes. */
export function sourceDigest(kind: string, keys: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([pipelineVersion, kind, ...keys]))
    .digest('hex')
}
