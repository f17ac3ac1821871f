// Blobs in the database, for the cluster store: nodes share nothing but PostgreSQL.
import { loosen } from './blob-uses.ts'
import { blobKey, type BlobParts, type Blobs, isBlobKey } from './blobs.ts'
import { noteSize } from './stored-bytes.ts'

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
