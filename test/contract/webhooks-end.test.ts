// What ends a subscription, or stops it for a while, and what becomes of its deliveries (Spec 3.3, 6), on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forget } from '../../server/webhooks/subscription.ts'
import { eachStore } from '../support/stores.ts'
import { rigOn, session } from '../webhooks/rig.ts'
import { status } from '../webhooks/sink.ts'

eachStore((_name, open) => {
  const withRig = rigOn(open)

  test('410 ends the subscription, and what waits for it is skipped and can be recovered', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      rig.sink.answer(status(500))
      await rig.event(1)
      await rig.sink.until(1)
      await rig.webhooks.idle()
      rig.sink.answer(status(410))
      await rig.event(2)
      await rig.sink.until(2)
      await rig.webhooks.idle()
      await rig.event(3)
      await rig.quiet()
      const rows = await rig.deliveries()
      assert.deepEqual(rows.map(({ status: is }) => is).toSorted(), ['failed', 'skipped', 'skipped'])
      const shown = await rig.call('GET', `/api/v1/webhooks/${id}`)
      assert.deepEqual([shown.body['status'], shown.body['disabled_reason']], ['disabled', 'gone'])
      await rig.advance(3_600_000)
      assert.equal(rig.sink.received.length, 2)
      const since = new Date(rig.clock.now() - 7_200_000).toISOString()
      assert.equal((await rig.call('POST', `/api/v1/webhooks/${id}/recover`, { since })).status, 409)
      rig.sink.answer(status(204))
      assert.equal((await rig.call('PATCH', `/api/v1/webhooks/${id}`, { status: 'enabled' })).status, 200)
      await rig.advance(2_000)
      assert.equal(rig.sink.received.length, 2, 'enabling sends nothing by itself')
      const recovered = await rig.call('POST', `/api/v1/webhooks/${id}/recover`, { since })
      assert.deepEqual([recovered.status, recovered.body], [202, { queued: 3 }])
      await rig.sink.until(5)
      await rig.webhooks.idle()
      assert.ok((await rig.deliveries()).every((row) => row.status === 'succeeded' && row.trigger === 'recover'))
    }))

  test('a session that is deleted: waiting deliveries are cancelled, later events too, and its own subscriptions end', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      const own = await rig.subscribe({ session_id: session.id, url: `${rig.sink.url}/own` })
      rig.sink.answer(status(500))
      await rig.event(1)
      await rig.sink.until(2)
      await rig.webhooks.idle()
      await rig.webhooks.close()
      await rig.event(2)
      await rig.store.write(async (tx) => {
        await forget(tx, session.id, rig.clock.now())
        await tx.deleteFrom('sessions').where('id', '=', session.id).execute()
      })
      await rig.restart()
      await rig.quiet()
      await rig.advance(1_900_000)
      assert.equal(rig.sink.received.length, 2)
      const rows = await rig.deliveries()
      assert.ok(rows.length >= 3 && rows.every((row) => row.status === 'canceled'))
      assert.equal((await rig.call('GET', `/api/v1/webhooks/${own.id}`)).status, 404)
      assert.equal((await rig.call('GET', `/api/v1/webhooks/${id}`)).status, 200)
    }))

  test('a credential that is revoked, or loses a scope the events need, stops its subscription before anything is sent', () =>
    withRig(async (rig) => {
      const revoked = await rig.subscribe({}, 'plain')
      const narrowed = await rig.subscribe({ event_types: ['lead.captured', 'attendee.joined'] }, 'second')
      const persons = await rig.subscribe({}, 'person')
      rig.credentials.delete('cred-plain')
      rig.credentials.set('cred-second', ['sessions:read', 'sessions:write'])
      await rig.event(1)
      await rig.sink.until(1)
      await rig.quiet()
      assert.equal((await rig.delivery(({ status: is }) => is === 'succeeded')).subscription_id, persons.id)
      for (const { id } of [revoked, narrowed]) {
        const { body } = await rig.call('GET', `/api/v1/webhooks/${id}`)
        assert.deepEqual([body['status'], body['disabled_reason']], ['disabled', 'owner_revoked'])
        assert.equal((await rig.delivery((row) => row.subscription_id === id)).status, 'skipped')
      }
      // Another credential of the account takes it over.
      assert.equal((await rig.call('PATCH', `/api/v1/webhooks/${revoked.id}`, { status: 'enabled' })).status, 200)
      await rig.event(2)
      await rig.sink.until(3)
    }))

  test('every delivery failing for three days, five at least, stops the subscription; a success clears the record', () =>
    rigOn(open, { settings: { webhookRetryMs: [1_000, 1_000] } })(async (rig) => {
      const { id } = await rig.subscribe()
      const shown = async () => (await rig.call('GET', `/api/v1/webhooks/${id}`)).body
      rig.sink.answer(status(500))
      const die = async (n: number) => {
        await rig.event(n)
        await rig.sink.until(n * 3 + 1)
        await rig.advance(1_000)
        await rig.advance(1_000)
        assert.equal(rig.sink.received.length, (n + 1) * 3)
      }
      await die(0)
      assert.equal((await shown())['failing_since'], new Date(rig.clock.now()).toISOString())
      for (let n = 1; n < 5; n++) await die(n)
      assert.equal((await shown())['status'], 'enabled', 'not for three days yet')
      rig.clock.set(rig.clock.now() + 259_200_000)
      await rig.advance(1_000)
      await die(5)
      assert.deepEqual([(await shown())['status'], (await shown())['disabled_reason']], ['disabled', 'failures'])
      await rig.call('PATCH', `/api/v1/webhooks/${id}`, { status: 'enabled' })
      assert.equal((await shown())['failing_since'], undefined)
      await die(6)
      assert.notEqual((await shown())['failing_since'], undefined)
      rig.sink.answer(status(200))
      await rig.event(7)
      await rig.sink.until(22)
      await rig.webhooks.idle()
      assert.equal((await shown())['failing_since'], undefined)
    }))
})
