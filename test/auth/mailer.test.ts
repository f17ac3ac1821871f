// Handing mails to a server that speaks the protocol: encryption, sign-in, refusals, retries on the injected clock.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  createMailer,
  invitationMail,
  mailKind,
  type Mailer,
  type MailerOptions,
  recoveryMail,
  smtpProblem,
} from '../../server/accounts/mail.ts'
import { createJobs } from '../../server/platform/db/jobs.ts'
import { selfSigned } from '../support/certificate.ts'
import { eventually, manualClock } from '../support/clock.ts'
import { seededIds } from '../support/ids.ts'
import type { SmtpOptions, SmtpServer } from '../support/smtp-server.ts'
import { linkIn, openSmtpServer } from '../support/smtp-server.ts'
import { openTestStore } from '../support/stores.ts'

const message = recoveryMail({ to: 'maya@example.com', title: 'Rostrum', url: 'https://talks.example.com/reset/4fKa' })

interface Rig {
  server: SmtpServer
  mailer: Mailer & { close(): Promise<void> }
  clock: ReturnType<typeof manualClock>
  failures: string[]
}

/** With a store and jobs of its own. */
async function startMailer(options: Pick<MailerOptions, 'url' | 'from' | 'clock' | 'onFailure'>): Promise<Rig['mailer']> {
  const { clock } = options
  const kept = { clock, store: await openTestStore({ clock }), ids: seededIds() }
  const mailer = createMailer({ ...kept, secrets: ['secret'], ...options })
  const jobs = createJobs({ ...kept, kinds: { [mailKind]: mailer.job }, isAlone: true, onFailure: () => undefined })
  await jobs.start()
  return {
    ...mailer,
    async close() {
      await jobs.close()
      await kept.store.close()
    },
  }
}

async function withMailer(
  server: SmtpOptions,
  work: (rig: Rig) => Promise<void>,
  change: (port: number) => Partial<MailerOptions> = () => ({}),
) {
  const opened = await openSmtpServer(server)
  const clock = manualClock()
  const failures: string[] = []
  const mailer = await startMailer({
    url: `smtp://127.0.0.1:${opened.port}`,
    from: 'Rostrum <talks@example.com>',
    clock,
    onFailure: (error) => failures.push(error.message),
    ...change(opened.port),
  })
  try {
    await work({ server: opened, mailer, clock, failures })
  } finally {
    await mailer.close()
    await opened.close()
  }
}

test('a mail arrives as it was written, marked as automatic, with the time of the injected clock', () =>
  withMailer({}, async ({ server, mailer }) => {
    assert.equal(await mailer.send(message), 'sent')
    const [mail] = server.mails
    assert.ok(mail)
    assert.deepEqual([mail.from, mail.to, mail.user], ['talks@example.com', ['maya@example.com'], null])
    assert.equal(mail.headers.get('from'), 'Rostrum <talks@example.com>')
    assert.equal(mail.headers.get('auto-submitted'), 'auto-generated')
    assert.equal(mail.headers.get('date'), 'Fri, 20 Nov 2026 12:00:00 +0000')
    assert.equal(linkIn(mail).href, 'https://talks.example.com/reset/4fKa')
    assert.equal(mail.text.trim(), message.text.trim())
  }))

test('a password goes over an encrypted connection, where the certificate is one to trust', () =>
  withMailer(
    { certificate: selfSigned('localhost'), login: { user: 'talks', pass: 'p@ss word' } },
    async ({ server, mailer, failures }) => {
      assert.equal(await mailer.send(message), 'sent')
      assert.deepEqual([server.mails[0]?.isSecure, server.mails[0]?.user], [true, 'talks'])
      assert.deepEqual(failures, [])
    },
    (port) => ({ url: `smtp://talks:p%40ss%20word@localhost:${port}?tls.rejectUnauthorized=false` }),
  ))

test('a certificate that is not trusted stops the mail, and a wrong password is final; neither is told with a secret', () =>
  withMailer(
    { certificate: selfSigned('localhost'), login: { user: 'talks', pass: 'right' } },
    async ({ server, mailer, clock, failures }) => {
      const address = new URL(`smtp://talks:canary-wrong@localhost:${server.port}`).href
      const strict = await startMailer({ url: address, from: 'a@example.com', clock, onFailure: (error) => failures.push(error.message) })
      assert.equal(await strict.send(message), 'waiting')
      await strict.close()
      assert.equal(await mailer.send(message), 'refused')
      assert.deepEqual(server.mails, [])
      assert.match(failures.join(), /EAUTH, the server answered 535/)
      assert.doesNotMatch(failures.join(), /canary|maya@|reset/)
    },
    (port) => ({ url: `smtp://talks:canary-wrong@localhost:${port}?tls.rejectUnauthorized=false` }),
  ))

test('a server that is not on this machine gets no password in clear', () =>
  withMailer({ login: { user: 'talks', pass: 'canary' } }, async ({ server, clock, failures }) => {
    // The name says that it is elsewhere; where it leads is the test's own server, which offers no encryption.
    const url = `smtp://talks:canary@[::ffff:127.0.0.1]:${server.port}`
    const far = await startMailer({ url, from: 'a@example.com', clock, onFailure: (error) => failures.push(error.message) })
    assert.equal(await far.send(message), 'refused')
    await far.close()
    assert.deepEqual([server.mails.length, server.connections()], [0, 1])
  }))

test('the check of the server signs in and sends nothing', async () => {
  const server = await openSmtpServer({ login: { user: 'talks', pass: 'right' } })
  assert.equal(await smtpProblem(`smtp://talks:right@127.0.0.1:${server.port}`), undefined)
  assert.match((await smtpProblem(`smtp://talks:wrong@127.0.0.1:${server.port}`)) ?? '', /^EAUTH, the server answered 535$/)
  assert.deepEqual(server.mails, [])
  await server.close()
  assert.equal(await smtpProblem(`smtp://127.0.0.1:${server.port}`), 'ESOCKET')
})

test('a passing refusal is tried again after one and after six more minutes, then given up', () =>
  withMailer({}, async ({ server, mailer, clock, failures }) => {
    server.refuseNext('451 4.7.1 Come back later', '451 4.7.1 Come back later')
    assert.equal(await mailer.send(message), 'waiting')
    await clock.advance(59_999)
    assert.equal(server.connections(), 1)
    await clock.advance(1)
    await eventually(async () => server.connections() === 2)
    assert.equal(server.mails.length, 0)
    await clock.advance(360_000)
    await eventually(async () => server.mails.length === 1)
    assert.deepEqual(failures, [])
    server.refuseNext(...Array.from({ length: 3 }, () => '451 4.7.1 Come back later'))
    assert.equal(await mailer.send(message), 'waiting')
    await clock.advance(60_000)
    await eventually(async () => server.connections() === 5)
    await clock.advance(360_000)
    await eventually(async () => failures.length === 1)
    await clock.advance(3_600_000)
    assert.equal(server.connections(), 6)
  }))

test('a final refusal is not tried again', () =>
  withMailer({}, async ({ server, mailer, clock, failures }) => {
    server.refuseNext('550 5.1.1 maya@example.com is nobody here')
    assert.equal(await mailer.send(message), 'refused')
    await clock.advance(3_600_000)
    assert.equal(server.connections(), 1)
    assert.equal(failures.length, 1)
    assert.doesNotMatch(failures.join(), /maya/)
  }))

test('what waits is sealed in the store, and goes with the mail', async () => {
  const server = await openSmtpServer({})
  const clock = manualClock()
  const store = await openTestStore({ clock })
  const mailer = createMailer({
    url: `smtp://127.0.0.1:${server.port}`,
    from: 'a@example.com',
    store,
    clock,
    ids: seededIds(),
    secrets: ['secret'],
    onFailure: (error) => assert.fail(error),
  })
  const outcome = mailer.send(message)
  await clock.advance(5_000)
  assert.equal(await outcome, 'waiting', 'nobody does jobs yet')
  const rows = await store.read.selectFrom('jobs').selectAll().execute()
  assert.equal(rows.length, 1)
  for (const kept of [...rows, ...rows.map(({ data }) => Buffer.from(data, 'base64').toString('latin1'))])
    assert.doesNotMatch(JSON.stringify(kept), /maya|reset|4fKa/)
  const jobs = createJobs({ store, clock, ids: seededIds(), kinds: { [mailKind]: mailer.job }, isAlone: true, onFailure: assert.fail })
  await jobs.start()
  await jobs.idle()
  assert.deepEqual([server.mails.length, await store.read.selectFrom('jobs').selectAll().execute()], [1, []])
  await jobs.close()
  await store.close()
  await server.close()
})

test('a server that says nothing holds nobody up for more than five seconds', () =>
  withMailer({}, async ({ server, mailer, clock }) => {
    server.fallSilent()
    const outcome = mailer.send(message)
    await clock.advance(5_000)
    assert.equal(await outcome, 'waiting')
    await server.close()
  }))

test('names that people chose stand in quotation marks, on one line, cut', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 300 }), (account, from) => {
      const { text, subject } = invitationMail({
        to: 'ben@example.com',
        title: 'Rostrum',
        url: 'https://x.example/invite/a',
        account,
        from,
      })
      const [first = '', link] = text.split('\n\n')
      assert.match(first, /^“[^“”\n]{0,83}” invites you to the account “[^“”\n]{0,83}” at Rostrum\. Join here:$/u)
      assert.equal(link, 'https://x.example/invite/a')
      assert.equal(subject, 'An invitation to Rostrum')
    }),
  )
})

test('nothing loads the mail library before the first mail', () => {
  const files = globSync('{server,packages}/**/*.ts').filter((file) =>
    /from 'nodemailer|require\('nodemailer/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(files, [])
  assert.ok(readFileSync('server/accounts/mail.ts', 'utf8').includes("import('nodemailer')"))
})
