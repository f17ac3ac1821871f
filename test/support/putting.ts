// A process of its own that puts blobs of a data directory, which nobody uses, until it is killed: `node putting.ts <directory>`. It
// writes a line for each.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createFileBlobs } from '../../server/platform/blobs/blob-stores.ts'
import { systemClock as clock, systemIds as ids } from '@rostrum/base/clock'
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import { testOutbox } from './stores.ts'

const [directory = ''] = process.argv.slice(2)
const store = await openSqlite(directory, { outbox: testOutbox })
const blobs = createFileBlobs(join(directory, 'blobs'), { store, clock, ids })

async function putForEver(): Promise<never> {
  for (;;) console.log(await blobs.put(randomBytes(300_000), 'jpg'))
}
await Promise.all([putForEver(), putForEver(), putForEver()])
