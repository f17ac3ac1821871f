// Finds what `/media/<sha256>.<ext>` names. Only pictures and sound are ever served: an upload has a key too, but no route.
import { type Blobs, mediaTypeOf } from './blobs.ts'

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
