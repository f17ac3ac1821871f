// Blobs in the database, for the cluster store: nodes share nothing but PostgreSQL.
import type { Clock } from '../../kernel/clock.ts'
import type { Store } from '../../storage/store.ts'
import type { Blobs } from './blobs.ts'
import { blobKey, isBlobKey } from './blobs.ts'

export function createTableBlobs(store: Store, clock: Clock): Blobs {
  return {
    async put(bytes, extension) {
      const blob_key = blobKey(bytes, extension)
      await store.write(async (tx) => {
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
    async remove(key) {
      await store.write(async (tx) => {
        await tx.deleteFrom('blobs').where('blob_key', '=', key).execute()
      })
    },
  }
}
