// Deliveries as their owner sees them: the history, sending again, recovering, erasing, trying (Spec 3.3), on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyWebhook } from '../../client/verify-webhook.ts'
import { eventExample } from '@rostrum/contract/event-examples'
import { eventBodies, eventTypes } from '@rostrum/contract/events'
import { eraseAttendeeName, scrubEvent } from '../../server/platform/db/deliveries.ts'
import { eachStore } from '../support/stores.ts'
import { leadEvent, refused, rigOn } from '../webhooks/rig.ts'
import { status } from '../webhooks/sink.ts'

eachStore((_name, open) => {
  const withRig = rigOn(open)

  test('a test is sent at once, also while switched off, and never again', () =>
    withRig(async (rig) => {
      const { id, secret } = await rig.subscribe()
      await rig.call('PATCH', `/api/v1/webhooks/${id}`, { status: 'disabled' })
      rig.sink.answer(status(500))
      const sent = await rig.call('POST', `/api/v1/webhooks/${id}/test`, {})
      assert.equal(sent.status, 202)
      await rig.sink.until(1)
      await rig.webhooks.idle()
      const [got] = rig.sink.received
      assert.ok(got && (await verifyWebhook(got.body, got.headers, secret, { now: Math.floor(got.at / 1_000) })).ok)
      const body: unknown = JSON.parse(got.body)
      assert.ok(eventBodies['webhook.test'].safeParse(body).success, got.body)
      const { body: detail } = await rig.call('GET', `/api/v1/webhooks/deliveries/${String(sent.body['delivery_id'])}`)
      assert.deepEqual(
        [detail['status'], detail['trigger'], detail['event_type'], detail['payload']],
        ['failed', 'test', 'webhook.test', body],
      )
      await rig.advance(130_000)
      assert.equal(rig.sink.received.length, 1)
      assert.equal((await rig.call('GET', `/api/v1/webhooks/${id}`)).body['failing_since'], undefined)
    }))

  test('deliveries are listed newest first, by cursor, filtered, without payload', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      for (let n = 0; n < 5; n++) {
        await rig.event(n)
        await rig.quiet()
        await rig.clock.advance(1)
      }
      const page = async (query: string) => (await rig.call('GET', `/api/v1/webhooks/${id}/deliveries?${query}`, undefined, 'read')).body
      const ids = async (query: string) => ((await page(query))['deliveries'] as { id: string }[]).map((each) => each.id)
      const all = (await rig.deliveries()).map((row) => row.id).toReversed()
      assert.deepEqual(await ids(''), all)
      const first = await page('limit=2')
      assert.deepEqual(await ids('limit=2'), all.slice(0, 2))
      const cursor = String(first['nextCursor'])
      assert.deepEqual(await ids(`limit=3&cursor=${cursor}`), all.slice(2))
      assert.equal((await page(`limit=3&cursor=${cursor}`))['nextCursor'], undefined)
      assert.deepEqual(await ids('status=failed'), [])
      assert.deepEqual(await ids('type=attendee.joined&status=succeeded'), all)
      const [one] = first['deliveries'] as Record<string, unknown>[]
      assert.deepEqual(Object.keys(one ?? {}).toSorted(), [
        'attempts',
        'created_at',
        'event_type',
        'finished_at',
        'id',
        'last_http_status',
        'session_id',
        'status',
        'subscription_id',
        'trigger',
        'webhook_id',
      ])
      for (const query of ['limit=0', 'limit=101', 'status=lost', 'type=x', `status=failed&cursor=${cursor}`, 'cursor=x'])
        refused(await rig.call('GET', `/api/v1/webhooks/${id}/deliveries?${query}`), 400, 'invalid_request')
      const shown = (await rig.call('GET', `/api/v1/webhooks/${id}`)).body['last_delivery'] as { id: string; status: string }
      assert.deepEqual([shown.id, shown.status], [all[0], 'succeeded'])
    }))

  test('sending again: once, at once, under the same id; refused while one is waiting; a failure changes nothing', () =>
    withRig(async (rig) => {
      await rig.subscribe()
      rig.sink.answer(status(500))
      await rig.event(1)
      await rig.sink.until(1)
      await rig.webhooks.idle()
      const before = await rig.delivery()
      const again = () => rig.call('POST', `/api/v1/webhooks/deliveries/${before.id}/redeliver`, {})
      const { promise, resolve } = Promise.withResolvers<() => void>()
      rig.sink.answer((response) => resolve(() => void response.writeHead(500).end()))
      assert.equal((await again()).status, 202)
      const answer = await promise
      refused(await again(), 409, 'delivery_in_progress')
      answer()
      await rig.quiet()
      const after = await rig.delivery()
      assert.deepEqual(after, { ...before, attempts: 2, claimed_at: after.claimed_at }, 'the retry is where it was')
      rig.sink.answer(status(200))
      await again()
      await rig.sink.until(3)
      await rig.webhooks.idle()
      assert.equal((await rig.delivery()).status, 'succeeded')
      assert.equal(new Set(rig.sink.received.map(({ body, headers }) => `${String(headers['webhook-id'])} ${body}`)).size, 1)
      await rig.advance(150_000)
      assert.equal(rig.sink.received.length, 3)
    }))

  test('a first success is told with its times and its answer, also once there are other attempts', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      rig.sink.answer(status(200, 'thanks'))
      await rig.event(1)
      await rig.sink.until(1)
      await rig.webhooks.idle()
      const { id: deliveryId } = await rig.delivery()
      const path = `/api/v1/webhooks/deliveries/${deliveryId}`
      const log = async () => (await rig.call('GET', path)).body['attempt_log'] as Record<string, unknown>[]
      const at = new Date(rig.clock.now()).toISOString()
      const times = { started_at: at, ended_at: at }
      const first = { n: 1, trigger: 'automatic', ...times, outcome: 'succeeded', http_status: 200, response: 'thanks' }
      assert.deepEqual(await log(), [first])
      await rig.advance(1_000)
      rig.sink.answer(status(500))
      await rig.call('POST', `${path}/redeliver`, {})
      await rig.sink.until(2)
      await rig.webhooks.idle()
      const told = async () => (await log()).map(({ n, trigger, outcome }) => [n, trigger, outcome])
      assert.deepEqual((await log())[0], first)
      assert.deepEqual(await told(), [
        [1, 'automatic', 'succeeded'],
        [2, 'manual', 'failed'],
      ])
      rig.sink.answer(status(204))
      await rig.event(2)
      await rig.sink.until(3)
      await rig.webhooks.idle()
      await rig.call('POST', `/api/v1/webhooks/${id}/recover`, { since: '2020-01-01T00:00:00Z', statuses: ['succeeded'] })
      await rig.sink.until(5)
      await rig.webhooks.idle()
      assert.deepEqual((await log())[0], first)
      assert.deepEqual((await told())[2], [3, 'recover', 'succeeded'])
      const rows = rig.store.read.selectFrom('webhook_attempts').select(['n', 'trigger']).where('delivery_id', '<>', deliveryId)
      assert.deepEqual(
        (await rows.orderBy('n').execute()).map(({ n, trigger }) => [n, trigger]),
        [
          [1, 'automatic'],
          [2, 'recover'],
        ],
      )
    }))

  test('recovering takes a range, the statuses and events asked for, with a fresh chain of attempts', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe({ event_types: ['attendee.joined', 'attendee.left'] })
      const recover = (body: Record<string, unknown>) => rig.call('POST', `/api/v1/webhooks/${id}/recover`, body)
      await rig.event(1)
      await rig.quiet()
      await rig.clock.advance(10_000)
      const since = new Date(rig.clock.now()).toISOString()
      await rig.event(2)
      await rig.event(3, { type: 'attendee.left', dedupeKey: 'left:3' })
      await rig.quiet()
      assert.deepEqual((await recover({ since })).body, { queued: 0 })
      const replay = { since, statuses: ['succeeded'], event_types: ['attendee.joined'] }
      assert.deepEqual((await recover(replay)).body, { queued: 1 })
      await rig.sink.until(4)
      await rig.webhooks.idle()
      const until = new Date(rig.clock.now() - 5_000).toISOString()
      assert.deepEqual((await recover({ since: '2026-01-01T00:00:00Z', until, statuses: ['succeeded'] })).body, { queued: 1 })
      await rig.sink.until(5)
      refused(await recover({ since, until: since }), 400, 'invalid_request', '#/until')
      refused(await recover({ since: 'yesterday' }), 400, 'invalid_request', '#/since')
      refused(await recover({ since, statuses: ['pending'] }), 400, 'invalid_request', '#/statuses/0')
    }))

  test('erasing a lead cancels what waits, empties what is kept, and cannot be sent again', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe({ event_types: ['lead.captured'] })
      rig.sink.answer((response, { body }) => void response.writeHead(500).end(`I did not like ${body}`))
      await rig.event(1, leadEvent('lead-1'))
      await rig.sink.until(1)
      await rig.webhooks.idle()
      await rig.store.write((tx) => scrubEvent(tx, 'lead:lead-1', rig.clock.now()))
      await rig.advance(150_000)
      assert.equal(rig.sink.received.length, 1)
      const row = await rig.delivery()
      assert.equal(row.status, 'canceled')
      refused(await rig.call('POST', `/api/v1/webhooks/deliveries/${row.id}/redeliver`, {}), 410, 'payload_erased')
      assert.deepEqual((await rig.call('POST', `/api/v1/webhooks/${id}/recover`, { since: '2026-01-01T00:00:00Z' })).body, { queued: 0 })
      const detail = await rig.call('GET', `/api/v1/webhooks/deliveries/${row.id}`)
      assert.ok(!JSON.stringify(detail.body).includes('canary'), JSON.stringify(detail.body))
      for (const table of ['domain_events', 'webhook_deliveries', 'webhook_attempts'] as const)
        assert.ok(!JSON.stringify(await rig.store.read.selectFrom(table).selectAll().execute()).includes('canary'), table)
    }))

  test('erasing a lead empties the answer to a first success, before and after it is written', () =>
    withRig(async (rig) => {
      await rig.subscribe({ event_types: ['lead.captured'] })
      const answers: (() => void)[] = []
      rig.sink.answer((response, { body }) => void answers.push(() => void response.writeHead(200).end(`I know ${body}`)))
      for (const lead of ['lead-1', 'lead-2']) await rig.event(1, leadEvent(lead))
      await rig.sink.until(2)
      await rig.store.write((tx) => scrubEvent(tx, 'lead:lead-1', rig.clock.now()))
      for (const answer of answers) answer()
      await rig.webhooks.idle()
      const kept = async () => (await rig.deliveries()).map((row) => `${row.status} ${row.response_head === null ? 'empty' : 'kept'}`)
      assert.deepEqual(new Set(await kept()), new Set(['succeeded empty', 'succeeded kept']))
      await rig.store.write((tx) => scrubEvent(tx, 'lead:lead-2', rig.clock.now()))
      assert.deepEqual(await kept(), ['succeeded empty', 'succeeded empty'])
    }))

  test('erasing the name of an attendee empties the answers that echo it, and what is sent from then on is without it', () =>
    withRig(async (rig) => {
      await rig.subscribe({ event_types: ['attendee.joined'] })
      rig.sink.answer((response, { body }) => void response.writeHead(500).end(`I know ${body}`))
      const joinedAt = '2026-11-20T12:00:00.000Z'
      const joined = (id: string) => ({
        runId: 'run-1',
        attendee: { id, name: `${id} canary`, kind: 'human', joinedAt },
        attendeesOnline: 2,
      })
      for (const id of ['ada', 'ben']) await rig.event(1, { type: 'attendee.joined', dedupeKey: `joined:${id}:1`, data: joined(id) })
      await rig.sink.until(2)
      await rig.webhooks.idle()
      await rig.store.write((tx) => eraseAttendeeName(tx, 'ada', { dedupeKeys: ['started:run-1'], prefixes: ['joined:ada:', 'left:ada:'] }))
      for (const table of ['domain_events', 'webhook_deliveries', 'webhook_attempts'] as const) {
        const kept = JSON.stringify(await rig.store.read.selectFrom(table).selectAll().execute())
        assert.deepEqual([kept.includes('ada canary'), table === 'webhook_deliveries' || kept.includes('ben canary')], [false, true], table)
      }
      rig.sink.answer(status(204))
      await rig.advance(150_000)
      const again = rig.sink.received.slice(2).map(({ body }) => (JSON.parse(body) as { data: { attendee: unknown } }).data.attendee)
      assert.equal(again.length, 2)
      for (const { id, name } of again as { id: string; name: string | null }[]) assert.equal(name, id === 'ada' ? null : 'ben canary')
    }))

  test('the event types are listed with a schema that their example meets', () =>
    withRig(async (rig) => {
      const { body } = await rig.call('GET', `/api/v1/webhooks/event-types`, undefined, 'read')
      const listed = body['event_types'] as { name: keyof typeof eventBodies; description: string; schema: object; example: unknown }[]
      assert.deepEqual(
        listed.map(({ name }) => name),
        eventTypes,
      )
      for (const { name, description, schema, example } of listed) {
        assert.deepEqual(eventBodies[name].parse(example), example)
        assert.deepEqual(example, eventExample(name))
        assert.ok(description.endsWith('.') && 'properties' in schema)
      }
    }))
})
