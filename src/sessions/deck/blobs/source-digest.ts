// Says when two uploads are the same: their bytes and everything that decides what is made of them.
import { createHash } from 'node:crypto'

/** Raised when pages of the same file would come out differently. */
const pipelineVersion = 6

/** Over the keys of the files, in order; a key is the digest of its bytes. */
export function sourceDigest(kind: string, keys: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([pipelineVersion, kind, ...keys]))
    .digest('hex')
}
