// A process dies at each write of a talk's mails, from the registration over the reminders and the talk to the recap and the digest: each
// mail arrives; one is repeated only where it died between the word of the server and its record, and then under the id of the first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSigner } from '../../server/accounts/cookies.ts'
import { createMailer } from '../../server/accounts/mail.ts'
import { systemIds as ids } from '@rostrum/base/clock'
import { createCursors } from '../../server/platform/db/cursor.ts'
import { createJobs } from '../../server/platform/db/jobs.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { createVault } from '../../server/platform/vault.ts'
import { hostJobs } from '../../server/registrations/host-mails.ts'
import { registrationJobs } from '../../server/registrations/mail-jobs.ts'
import type { RegistrationsDeps } from '../../server/registrations/registrants.ts'
import { makePerson } from '../auth/two-accounts.ts'
import { manualClock } from '../support/clock.ts'
import { openService } from '../support/service.ts'
import { openSmtpServer } from '../support/smtp-server.ts'
import { eachStore, testOutbox } from '../support/stores.ts'
import { day, hour, minute } from './rig.ts'

const secrets = ['tests-sign-with-this-0123456789-abcdefghijklmnop']
const never = <T>() => new Promise<T>(() => undefined)

interface Death {
  /** Its n-th write is its last. */
  atWrite: number
  /** Whether that is durable. */
  moment: 'before' | 'after'
}

/** A process that sends what is due and ends: true, or false where it died. The dead write nothing, send nothing and hear of nothing. */
async function send(opened: Store, port: number, now: number, { atWrite, moment }: Death): Promise<boolean> {
  const clock = manualClock(now)
  const { promise: died, resolve } = Promise.withResolvers<false>()
  let [writes, isDead] = [0, false]
  const begun: Promise<unknown>[] = []
  const die = () => {
    isDead = true
    resolve(false)
  }
  const write: Store['write'] = async (fn, manner) => {
    if (isDead) return never()
    const isLast = ++writes === atWrite
    const underWay = opened.write(async (tx, ring) => {
      const result = await fn(tx, ring)
      if (isDead || (isLast && moment === 'before')) throw new Error('The process has died.')
      return result
    }, manner)
    begun.push(underWay)
    try {
      const written = await underWay
      if (isLast) die()
      return isDead ? never() : written
    } catch (error) {
      if (isLast) die()
      return isDead ? never() : Promise.reject(error)
    }
  }
  const store: Store = { ...opened, write, listen: (prefix, told) => opened.listen(prefix, (topic) => (isDead ? undefined : told(topic))) }
  const onFailure = (error: unknown) => assert.fail(error as Error)
  const mail = createMailer({
    store,
    clock,
    ids,
    url: `smtp://127.0.0.1:${port}`,
    from: 'talks@example.com',
    secrets,
    onFailure,
  })
  const deps: RegistrationsDeps = {
    store,
    clock,
    ids,
    mail: { ...mail, handOver: async (...given) => (isDead ? never() : mail.handOver(...given)) },
    cursors: createCursors('secret'),
    baseUrl: testOutbox.baseUrl,
    mediaBase: testOutbox.baseUrl,
    title: 'Talks',
    mailsMax: null,
    links: createSigner(secrets, 'registrations'),
    vault: createVault(secrets, ids),
    minutesOf: async () => 30,
    recapUrl: (attendeeId) => `${testOutbox.baseUrl}/recap/${attendeeId}`,
    warn: onFailure,
  }
  const kinds = { ...registrationJobs(deps), ...hostJobs(deps) }
  const jobs = createJobs({ store, clock, ids, kinds, isAlone: true, onFailure: (_kind, error) => onFailure(error) })
  const ended = (async () => {
    await jobs.start()
    await jobs.idle()
    await jobs.close()
    return true
  })()
  const isDone = await Promise.race([ended, died])
  // What was on its way to the store at its death is there before another process begins.
  await Promise.allSettled(begun)
  return isDone
}

eachStore((_, open) => {
  test('death at each write of the mails of a talk loses none, and repeats only within the one commit', async (t) => {
    const server = await openSmtpServer()
    const clock = manualClock()
    const { store } = await open({ clock })
    // What people and hosts do: it hears of no job, so it sends nothing.
    const listen: Store['listen'] = (prefix, told) => (prefix === 'jobs' ? () => undefined : store.listen(prefix, told))
    const app = await openService({ store: { ...store, listen }, clock, env: { ROSTRUM_SMTP_URL: `smtp://127.0.0.1:${server.port}` } })
    const startsAt = clock.now() + 2 * day
    let deaths = 0

    /** Processes that die, each at a later write, until one has nothing left to do. */
    async function sendAt(now: number): Promise<void> {
      clock.set(now)
      for (let atWrite = 1; ; atWrite++) {
        for (const moment of ['before', 'after'] as const) {
          if (await send(store, server.port, now, { atWrite, moment })) return
          deaths++
        }
      }
    }

    try {
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
      const { sessionId, slug } = made.body
      for (const email of ['maya@x.example', 'tom@x.example']) {
        const body = { email, name: 'A person', consent: true, wantsRecap: true }
        assert.equal((await app.api('POST', `/api/v1/rooms/${slug}/registrations`, body, null)).status, 201)
        clock.set(clock.now() + 1_000)
      }
      await sendAt(clock.now())
      await app.api('PATCH', `/api/v1/agent/sessions/${sessionId}`, { registration: {} })
      await sendAt(clock.now())
      for (const before of [day, hour, 0]) await sendAt(startsAt - before + minute)
      await store.write(async (tx) => {
        const at = clock.now()
        const of = { account_id: app.accountId, session_id: sessionId }
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
      await app.api('POST', '/api/v1/pap/leads', { sessionId, email: 'lead@x.example' })
      await sendAt(startsAt + 10 * minute)
      // A film that is made after the recap went out, shown, taken back and shown again.
      const recordingId = '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c79'
      await store.write(async (tx) => {
        const film = {
          id: recordingId,
          session_id: sessionId,
          run_id: null,
          format: 'mp4',
          options: '{}',
          state: 'ready',
          progress: 100,
        } as const
        const file = { blob_key: 'a.mp4', size_bytes: 1, duration_ms: 1, error: null, replay_key: null, is_listed: 0, told: '{}' }
        await tx
          .insertInto('recordings')
          .values({ ...film, ...file, created_at: clock.now(), ended_at: clock.now() })
          .execute()
      })
      for (const isPublic of [true, false, true]) {
        const shared = await app.api('PATCH', `/api/v1/agent/sessions/${sessionId}/recordings/${recordingId}`, { isPublic })
        assert.equal(shared.status, 200)
        if (isPublic) await sendAt(clock.now() + minute)
      }
      for (const after of [2 * hour, day + 3 * hour]) await sendAt(startsAt + after)

      const seen = new Map<string, Set<string>>()
      for (const { to, headers } of server.mails) {
        const mail = `${to.join()} ${headers.get('subject')}`
        seen.set(mail, (seen.get(mail) ?? new Set()).add(headers.get('message-id') ?? ''))
      }
      const mails = new Set([...seen.values()].flatMap((each) => [...each]))
      t.diagnostic(`${deaths} deaths, ${mails.size} mails, ${server.mails.length - mails.size} repeats`)
      assert.deepEqual([...seen].map(([mail, { size }]) => `${size} ${mail}`).toSorted(), [
        '1 host@example.com A lead: Grid storage',
        '1 host@example.com A question that a deck did not answer',
        '1 maya@x.example It begins now: Grid storage',
        '1 maya@x.example The recording is ready: Grid storage',
        '1 maya@x.example What it covered: Grid storage',
        '1 maya@x.example You have a place: Grid storage',
        '1 tom@x.example A place for you: Grid storage',
        '1 tom@x.example It begins now: Grid storage',
        '1 tom@x.example The recording is ready: Grid storage',
        '1 tom@x.example Waiting list: Grid storage',
        '1 tom@x.example What it covered: Grid storage',
        '2 maya@x.example Reminder: Grid storage',
        '2 tom@x.example Reminder: Grid storage',
      ])
      assert.ok(server.mails.length - mails.size <= deaths)
    } finally {
      await app.close()
      await server.close()
    }
  })
})
