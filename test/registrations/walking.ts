// A process for the kill suite of registrations: sends what is due at one moment and ends, unless it kills itself at its n-th write, before
// or after that is durable. Arguments: the store (a directory or a postgres URL), the port of the SMTP server, the time, n, `before` or `after`.
import { createSigner } from '../../src/accounts/cookies.ts'
import { createMailer } from '../../src/accounts/mail.ts'
import { systemIds as ids } from '../../src/platform/clock.ts'
import { createCursors } from '../../src/platform/cursor.ts'
import { createJobs } from '../../src/platform/db/jobs.ts'
import { openPostgres } from '../../src/platform/db/postgres.ts'
import { openSqlite } from '../../src/platform/db/sqlite.ts'
import type { Store } from '../../src/platform/db/store.ts'
import { createVault } from '../../src/platform/vault.ts'
import { hostJobs } from '../../src/registrations/host-mails.ts'
import { registrationJobs } from '../../src/registrations/mail-jobs.ts'
import type { RegistrationsDeps } from '../../src/registrations/registrants.ts'
import { manualClock } from '../support/clock.ts'
import { testOutbox as outbox } from '../support/stores.ts'

const [, , where = '', port = '', now = '0', killAt = '0', moment = 'after'] = process.argv
const clock = manualClock(Number(now))
const opened = where.startsWith('postgres:') ? await openPostgres(where, { outbox }) : await openSqlite(where, { outbox })
let writes = 0
const die = () => process.kill(process.pid, 'SIGKILL')
const write: Store['write'] = async (fn, manner) => {
  const isLast = ++writes === Number(killAt)
  const written = await opened.write(async (tx, ring) => {
    const result = await fn(tx, ring)
    if (isLast && moment === 'before') die()
    return result
  }, manner)
  if (isLast) die()
  return written
}
const store: Store = { ...opened, read: opened.read, write, listen: opened.listen.bind(opened), ring: opened.ring.bind(opened) }
const secrets = ['tests-sign-with-this-0123456789-abcdefghijklmnop']
const onFailure = (error: unknown) => console.error(error)
const kept = { store, clock, ids }
const mail = createMailer({ ...kept, url: `smtp://127.0.0.1:${port}`, from: 'talks@example.com', secrets, onFailure })
const deps: RegistrationsDeps = {
  ...kept,
  mail,
  cursors: createCursors('secret'),
  baseUrl: outbox.baseUrl,
  mediaBase: outbox.baseUrl,
  title: 'Talks',
  links: createSigner(secrets, 'registrations'),
  vault: createVault(secrets, ids),
  minutesOf: async () => 30,
  recapUrl: (attendeeId) => `${outbox.baseUrl}/recap/${attendeeId}`,
  warn: onFailure,
}
const kinds = { ...registrationJobs(deps), ...hostJobs(deps) }
const jobs = createJobs({ ...kept, kinds, isAlone: true, onFailure: (_kind, error) => onFailure(error) })
await jobs.start()
await jobs.idle()
await jobs.close()
await mail.close()
await opened.close()
