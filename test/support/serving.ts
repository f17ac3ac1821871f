// A process for the durability suites: opens the data directory as `serve` does, then writes rows and says each one it was
// promised, until it is killed. Arguments: the directory, and the first number to write.
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import { testOutbox } from './stores.ts'

const [, , directory = '', from = '0'] = process.argv
const store = await openSqlite(directory, { outbox: testOutbox, lock: true })
process.stdout.write('open\n')

async function writer(start: number, step: number): Promise<void> {
  for (let n = start; ; n += step) {
    await store.write(async (tx) => {
      await tx
        .insertInto('leases')
        .values({ name: `row-${n}`, owner: 'first half', epoch: 1, lease_until: n })
        .execute()
      await tx
        .insertInto('usage')
        .values({ account_id: `row-${n}`, period: 'second half', sessions: 1 })
        .execute()
    })
    process.stdout.write(`${n}\n`)
  }
}

await Promise.all([0, 1, 2, 3].map((lane) => writer(Number(from) + lane, 4)))
