// kill -9 at each write of a talk's mails, from the registration over the reminders and the talk to the recap and the digest: each mail
// arrives; one is repeated only where the kill fell between the word of the server and its record, and then under the id of the first.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openPostgres } from '../../src/platform/db/postgres.ts'
import { openSqlite } from '../../src/platform/db/sqlite.ts'
import { makePerson } from '../auth/two-accounts.ts'
import { manualClock } from '../support/clock.ts'
import { onBothStores } from '../support/kills.ts'
import { openService, type TestService } from '../support/service.ts'
import { openSmtpServer } from '../support/smtp-server.ts'
import { testOutbox as outbox } from '../support/stores.ts'
import { day, hour, minute } from './rig.ts'

const program = fileURLToPath(new URL('walking.ts', import.meta.url))

onBothStores('kill -9 at each write of the mails of a talk loses none, and repeats only within the one commit', async (where, first, t) => {
  await first.close()
  const server = await openSmtpServer()
  const clock = manualClock()
  const startsAt = clock.now() + 2 * day
  let [kills, sessionId, slug] = [0, '', '']

  /** What people and hosts do; no job runs here. */
  async function act(fn: (app: TestService) => Promise<void>): Promise<void> {
    const store = where.startsWith('postgres:') ? await openPostgres(where, { outbox }) : await openSqlite(where, { outbox })
    const app = await openService({ store, clock, env: { ROSTRUM_SMTP_URL: `smtp://127.0.0.1:${server.port}` } })
    await fn(app)
    await app.close()
    await store.close()
  }

  /** Processes that die, each at a later write, until one has nothing left to do. */
  async function sendAt(now: number): Promise<void> {
    clock.set(now)
    for (let at = 1; ; at++) {
      for (const moment of ['before', 'after']) {
        const child = spawn(process.execPath, [program, where, String(server.port), String(now), String(at), moment], {
          stdio: ['ignore', 'inherit', 'inherit'],
        })
        const [code, signal] = await once(child, 'exit')
        if (code === 0) return
        assert.equal(signal, 'SIGKILL')
        kills++
      }
    }
  }

  try {
    await act(async (app) => {
      await makePerson(app, app.accountId, 'host@example.com')
      const made = await app.api('POST', '/api/v1/agent/sessions', {
        title: 'Grid storage',
        isLive: true,
        mode: 'broadcast',
        startPolicy: 'scheduled',
        startsAt: new Date(startsAt).toISOString(),
        registration: { attendeesMax: 1 },
        slides: [{ textContent: 'Grid storage' }],
      })
      sessionId = made.body.sessionId
      slug = made.body.slug
      for (const email of ['maya@x.example', 'tom@x.example']) {
        const body = { email, name: 'A person', consent: true, wantsRecap: true }
        assert.equal((await app.api('POST', `/api/v1/rooms/${slug}/registrations`, body, null)).status, 201)
        clock.set(clock.now() + 1_000)
      }
    })
    await sendAt(clock.now())
    await act(async (app) => void (await app.api('PATCH', `/api/v1/agent/sessions/${sessionId}`, { registration: {} })))
    await sendAt(clock.now())
    for (const before of [day, hour, 0]) await sendAt(startsAt - before + minute)
    await act(async ({ store, accountId }) => {
      await store.write(async (tx) => {
        const at = clock.now()
        const of = { account_id: accountId, session_id: sessionId }
        const run = { id: '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c77', ...of, kind: 'live', mode: 'broadcast', status: 'completed' } as const
        const over = { started_at: startsAt, ended_at: at, end_reason: 'finished', lease_owner: null, lease_until: 0 }
        const rest = { language: 'en', deck_id: null, created_at: startsAt, address_mark: null, last_seq: 0, epoch: 0 }
        await tx
          .insertInto('runs')
          .values({ ...run, ...over, ...rest })
          .execute()
        const asked = { id: '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c78', ...of, asked_by: 'agent', attendee_name: null, slides: '[]' }
        const words = { question: 'Who pays for it?', answer: 'That is not on the slides.', outcome: 'unknown' }
        await tx
          .insertInto('pap_questions')
          .values({ ...asked, ...words, at })
          .execute()
      })
    })
    await act(async (app) => void (await app.api('POST', '/api/v1/pap/leads', { sessionId, email: 'lead@x.example' })))
    await sendAt(startsAt + 10 * minute)
    await sendAt(startsAt + 2 * hour)
    await sendAt(startsAt + day + 3 * hour)

    const seen = new Map<string, Set<string>>()
    for (const { to, headers } of server.mails) {
      const mail = `${to.join()} ${headers.get('subject')}`
      seen.set(mail, (seen.get(mail) ?? new Set()).add(headers.get('message-id') ?? ''))
    }
    const ids = new Set([...seen.values()].flatMap((each) => [...each]))
    t.diagnostic(`${kills} kills, ${ids.size} mails, ${server.mails.length - ids.size} repeats`)
    assert.deepEqual([...seen].map(([mail, { size }]) => `${size} ${mail}`).toSorted(), [
      '1 host@example.com A lead: Grid storage',
      '1 host@example.com A question that a deck did not answer',
      '1 maya@x.example It begins now: Grid storage',
      '1 maya@x.example What it covered: Grid storage',
      '1 maya@x.example You have a place: Grid storage',
      '1 tom@x.example A place for you: Grid storage',
      '1 tom@x.example It begins now: Grid storage',
      '1 tom@x.example Waiting list: Grid storage',
      '1 tom@x.example What it covered: Grid storage',
      '2 maya@x.example Reminder: Grid storage',
      '2 tom@x.example Reminder: Grid storage',
    ])
    assert.ok(server.mails.length - ids.size <= kills)
  } finally {
    await server.close()
  }
})
