// A process for the kill suite of mails: puts mails and hands them over, saying each one it was promised, until it is killed. Arguments: the
// store (a directory or a postgres URL), the port of the SMTP server, and the first number, or `drain` to hand over what is left.
import { createMailer, mailKind } from '../../server/accounts/mail.ts'
import { systemClock as clock, systemIds as ids } from '@rostrum/base/clock'
import { createJobs } from '../../server/platform/db/jobs.ts'
import { openPostgres } from '../../server/platform/db/postgres.ts'
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import { testOutbox as outbox } from '../support/stores.ts'

const [, , where = '', port = '', from = '0'] = process.argv
const isAlone = !where.startsWith('postgres:')
const store = isAlone ? await openSqlite(where, { outbox, lock: true }) : await openPostgres(where, { outbox })
const onFailure = (error: unknown) => console.error(error)
const url = `smtp://127.0.0.1:${port}`
const mailer = createMailer({ url, from: 'talks@example.com', store, clock, ids, secrets: ['secret'], onFailure })
const kinds = { [mailKind]: mailer.job }
// A lease that a test can wait for.
const leaseMs = 2_000
const jobs = createJobs({ store, clock, ids, kinds, isAlone, leaseMs, onFailure: (_kind, error) => onFailure(error) })
await jobs.start()

async function left(): Promise<number> {
  return (await store.read.selectFrom('jobs').select('key').execute()).length
}

if (from === 'drain') {
  while ((await left()) > 0) await new Promise((resolve) => void setTimeout(resolve, 50))
  await jobs.close()
  await store.close()
} else {
  const lane = async (start: number) => {
    for (let n = start; ; n += 4) {
      const outcome = await mailer.send({ to: 'maya@example.com', subject: `mail ${n}`, text: 'Words.\n' })
      if (outcome !== 'refused') process.stdout.write(`mail ${n}\n`)
    }
  }
  await Promise.all([0, 1, 2, 3].map((at) => lane(Number(from) + at)))
}
