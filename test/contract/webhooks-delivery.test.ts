// Deliveries (Spec 3.3, 6.2 to 6.4): every row of the table of states, through the store, the dispatcher and a real receiver.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyWebhook } from '../../client/verify-webhook.ts'
import { eventually } from '../support/clock.ts'
import { eachStore } from '../support/stores.ts'
import type { Rig } from '../webhooks/rig.ts'
import { openRig, rigOn } from '../webhooks/rig.ts'
import { status } from '../webhooks/sink.ts'
import { verifyIndependently } from '../webhooks/verify.ts'

eachStore((name, open) => {
  const withRig = rigOn(open)

  test('an event is posted once, signed so that an independent verifier and ours accept it', () =>
    withRig(async (rig) => {
      const { id, secret } = await rig.subscribe()
      const eventId = await rig.event(1)
      await rig.sink.until(1)
      await rig.webhooks.idle()
      const [got] = rig.sink.received
      assert.ok(got)
      verifyIndependently(secret, got)
      const verdict = await verifyWebhook(got.body, got.headers, secret, { now: Math.floor(got.at / 1000) })
      assert.deepEqual(verdict, { ok: true, id: eventId, timestamp: Math.floor(rig.clock.now() / 1000) })
      assert.equal(got.headers['webhook-id'], eventId)
      assert.equal(got.headers['content-type'], 'application/json')
      assert.equal(got.headers['content-length'], String(Buffer.byteLength(got.body)))
      assert.equal(got.headers['accept-encoding'], 'identity')
      assert.equal(got.headers['user-agent'], 'Rostrum-Webhooks/1.2.3 (+https://talks.example.com/docs/webhooks)')
      assert.match(String(got.headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/)
      for (const name of ['authorization', 'cookie', 'traceparent']) assert.equal(got.headers[name], undefined)
      assert.equal(got.path, '/hook')
      const stored = await rig.store.read.selectFrom('domain_events').select('body').executeTakeFirstOrThrow()
      assert.equal(got.body, stored.body)
      const row = await rig.delivery()
      assert.deepEqual([row.status, row.attempts, row.subscription_id, row.due_at], ['succeeded', 1, id, null])
      assert.equal(rig.sink.received.length, 1)
    }))

  test('the schedule is exact to the millisecond, also across a restart', () =>
    withRig(async (rig) => {
      await rig.subscribe()
      rig.sink.answer(status(500, 'no'))
      const eventId = await rig.event(1)
      await rig.sink.until(1)
      await rig.advance(119_999)
      assert.equal(rig.sink.received.length, 1)
      await rig.restart()
      await rig.webhooks.idle()
      assert.equal(rig.sink.received.length, 1)
      await rig.advance(1)
      assert.equal(rig.sink.received.length, 2)
      await rig.advance(1_799_999)
      assert.equal(rig.sink.received.length, 2)
      await rig.restart()
      await rig.advance(0)
      assert.equal(rig.sink.received.length, 2)
      assert.equal((await rig.delivery()).status, 'retry_scheduled')
      await rig.advance(1)
      assert.equal(rig.sink.received.length, 3)
      const row = await rig.delivery()
      assert.deepEqual([row.status, row.attempts, row.last_reason, row.last_http_status], ['failed', 3, 'http_status', 500])
      await rig.advance(600_000)
      assert.equal(rig.sink.received.length, 3)
      const [first, second, third] = rig.sink.received
      assert.deepEqual([second && second.at - (first?.at ?? 0), third && third.at - (second?.at ?? 0)], [120_000, 1_800_000])
      assert.deepEqual(new Set(rig.sink.received.map(({ headers }) => headers['webhook-id'])), new Set([eventId]))
      assert.equal(new Set(rig.sink.received.map(({ body }) => body)).size, 1)
      assert.equal(new Set(rig.sink.received.map(({ headers }) => headers['webhook-signature'])).size, 3)
    }))

  test('a delivery that succeeds at the second attempt is not sent a third time', () =>
    withRig(async (rig) => {
      await rig.subscribe()
      rig.sink.answer(status(503))
      await rig.event(1)
      await rig.sink.until(1)
      rig.sink.answer(status(200, 'thanks'))
      await rig.advance(120_000)
      await rig.advance(3_600_000)
      assert.equal(rig.sink.received.length, 2)
      const { id: deliveryId } = await rig.delivery()
      const detail = await rig.call('GET', `/api/v1/webhooks/deliveries/${deliveryId}`)
      const log = detail.body['attempt_log'] as Record<string, unknown>[]
      assert.deepEqual(
        log.map(({ n, outcome, http_status, response }) => [n, outcome, http_status, response]),
        [
          [1, 'failed', 503, undefined],
          [2, 'succeeded', 200, 'thanks'],
        ],
      )
    }))

  test('a process that dies with an attempt on the wire: it is made again under its number, and logged', () =>
    withRig(async (rig) => {
      await rig.subscribe()
      const hung: (() => void)[] = []
      rig.sink.answer((response) => void hung.push(() => void response.end()))
      await rig.event(1)
      await rig.sink.until(1)
      rig.sink.answer(status(204))
      const { wake } = await rig.crash()
      // Where other processes share the store, the lease must run out first.
      // No time passes while the new attempt is under way, or its own lease would run out as well.
      for (let seconds = 0; seconds < 100 && rig.sink.received.length < 2; seconds++) await rig.advance(1_000)
      const row = await rig.delivery()
      assert.deepEqual([row.status, row.attempts, row.interrupted], ['succeeded', 1, 1])
      const log = await rig.store.read.selectFrom('webhook_attempts').selectAll().orderBy('n').execute()
      assert.deepEqual(
        log.map(({ n, outcome }) => [n, outcome]),
        [
          [1, 'interrupted'],
          [2, 'succeeded'],
        ],
      )
      // The dead process goes on: its lease is lost, so what it learned changes nothing.
      for (const end of hung) end()
      wake()
      await rig.advance(1_000)
      assert.deepEqual(await rig.delivery(), row)
    }))

  /** Where other processes share the store, what a dead one holds is taken over when its lease has run out. */
  async function untilReceived(rig: Rig, count: number): Promise<void> {
    for (let seconds = 0; seconds < 100 && rig.sink.received.length < count; seconds++) await rig.advance(1_000)
    await rig.sink.until(count)
  }

  test('a process that dies before it has written what it sent: the delivery is sent once more and ends once', () =>
    withRig(async (rig) => {
      await rig.subscribe()
      const hung: (() => void)[] = []
      rig.sink.answer((response) => void hung.push(() => void response.writeHead(204).end()))
      await rig.event(1)
      await rig.sink.until(1)
      assert.deepEqual(
        (await rig.deliveries()).map((row) => row.status),
        ['in_flight'],
      )
      rig.sink.answer(status(204))
      const { wake } = await rig.crash()
      await untilReceived(rig, 2)
      await eventually(async () => (await rig.delivery()).status === 'succeeded')
      const rows = await rig.deliveries()
      assert.deepEqual(
        rows.map((row) => [row.status, row.attempts]),
        [['succeeded', 1]],
      )
      // The dead process goes on: its lease is another's, so what it learned is nobody's.
      for (const end of hung) end()
      wake()
      await rig.advance(1_000)
      assert.deepEqual(await rig.deliveries(), rows)
      assert.equal(new Set(rig.sink.received.map(({ headers }) => headers['webhook-id'])).size, 1)
      assert.deepEqual(await rig.store.read.selectFrom('outbox').selectAll().execute(), [])
    }))

  test('a process that dies while one of two endpoints hangs: what the other has received and was written is not sent again', () =>
    withRig(async (rig) => {
      await rig.subscribe({ url: `${rig.sink.url}/quick` })
      await rig.subscribe({ url: `${rig.sink.url}/hangs` })
      const hung: (() => void)[] = []
      rig.sink.answer((response, { path }) => (path === '/quick' ? status(204)(response) : void hung.push(() => response.end())))
      await rig.event(1)
      await rig.sink.until(2)
      const done = async () => (await rig.deliveries()).find((row) => row.status === 'succeeded')
      await eventually(async () => {
        await rig.clock.advance(5)
        return (await done()) !== undefined
      })
      const first = await done()
      rig.sink.answer(status(204))
      const { wake } = await rig.crash()
      await untilReceived(rig, 3)
      await eventually(async () => {
        await rig.webhooks.idle()
        const now = await rig.deliveries()
        return now.length === 2 && now.every((row) => row.status === 'succeeded')
      })
      const rows = await rig.deliveries()
      assert.ok(rows.every((row) => row.attempts === 1))
      assert.deepEqual(
        rows.find(({ id }) => id === first?.id),
        first,
      )
      for (const end of hung) end()
      wake()
      await rig.advance(1_000)
      assert.deepEqual(await rig.deliveries(), rows)
      assert.deepEqual(rig.sink.received.map(({ path }) => path).toSorted(), ['/hangs', '/hangs', '/quick'])
      assert.deepEqual(await rig.store.read.selectFrom('outbox').selectAll().execute(), [])
    }))

  // The embedded store belongs to one process.
  const onShared = name === 'postgres' ? test : () => undefined
  onShared('several processes on one database share the work, and nothing is sent twice', async () => {
    const { store, another } = await open()
    const rig = await openRig({ store })
    try {
      await rig.subscribe()
      for (let process = 0; process < 3; process++) await rig.join(await another())
      // As many at once as the store has connections: more would wait for one, and that wait has an end.
      for (let n = 0; n < 120; n += 5) await Promise.all(Array.from({ length: 5 }, (_each, at) => rig.event(n + at)))
      await eventually(async () => {
        await rig.clock.advance(50)
        const rows = await rig.deliveries()
        return rows.length === 120 && rows.every((row) => row.status === 'succeeded')
      })
      assert.equal(rig.sink.received.length, 120)
      assert.equal(new Set(rig.sink.received.map(({ headers }) => headers['webhook-id'])).size, 120)
      assert.deepEqual(rig.faults, [])
    } finally {
      await rig.close()
    }
  })

  test('a hanging endpoint fails by timeout and delays no other', () =>
    withRig(async (rig) => {
      await rig.subscribe({ url: `${rig.sink.url}/hangs` })
      await rig.subscribe({ url: `${rig.sink.url}/fine` })
      rig.sink.answer((response, { path }) => {
        if (path === '/fine') response.writeHead(204).end()
      })
      for (let n = 0; n < 20; n++) await rig.event(n)
      await rig.sink.until(24)
      assert.equal(rig.sink.received.filter(({ path }) => path === '/fine').length, 20)
      assert.equal(rig.sink.received.filter(({ path }) => path === '/hangs').length, 4, 'four slots and no more')
      await rig.clock.advance(20_000)
      const failed = await waitFor(rig, async () => {
        const rows = (await rig.deliveries()).filter(({ last_reason }) => last_reason === 'timeout')
        return rows.length >= 4 ? rows : undefined
      })
      assert.ok(failed.every(({ status: is }) => is === 'retry_scheduled'))
    }))

  test('redirects, garbage and refused connections are failures with a reason of one word', () =>
    withRig(async (rig) => {
      await rig.subscribe()
      rig.sink.answer((response) => void response.writeHead(307, { location: `${rig.sink.url}/elsewhere` }).end())
      await rig.event(1)
      await rig.sink.until(1)
      await rig.webhooks.idle()
      assert.equal((await rig.delivery()).last_reason, 'redirect')
      rig.sink.answer((response) => void response.socket?.end('not http at all\r\n\r\n'))
      await rig.event(2)
      await rig.sink.until(2)
      await rig.webhooks.idle()
      assert.equal((await rig.delivery(({ last_reason: reason }) => reason !== 'redirect')).last_reason, 'protocol')
      assert.ok(rig.sink.received.every(({ path }) => path === '/hook'))
    }))

  test('a subscription hears of what happens after it was made, in its session and of its types, and of nothing else', () =>
    withRig(async (rig) => {
      await rig.event(1)
      await rig.quiet()
      await rig.advance(1)
      await rig.subscribe({ event_types: ['attendee.left'] })
      await rig.subscribe({ session_id: '5e551000-0000-4000-8000-000000000002' })
      await rig.call('POST', '/api/v1/webhooks', { url: rig.sink.url, event_types: ['attendee.joined'] }, 'other')
      await rig.event(2)
      await rig.quiet()
      assert.equal(rig.sink.received.length, 0)
      assert.deepEqual(await rig.deliveries(), [])
      assert.deepEqual(await rig.store.read.selectFrom('outbox').selectAll().execute(), [])
    }))
})

/** Lets time pass in steps of `ms` until it has come to pass. */
async function waitFor<T>(rig: Rig, probe: () => Promise<T | undefined>, ms = 10): Promise<T> {
  for (let tries = 0; tries < 2_000; tries++) {
    const found = await probe()
    if (found !== undefined) return found
    await rig.clock.advance(ms)
  }
  throw new Error('It did not come to pass.')
}
