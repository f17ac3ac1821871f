// The subscription API (Spec 2.9, 4.4): every call, every refusal, through the HTTP surface on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyWebhook } from '../../client/verify-webhook.ts'
import { eventBodies } from '@rostrum/contract/events'
import { eachStore } from '../support/stores.ts'
import type { Answer, Rig } from '../webhooks/rig.ts'
import { leadEvent, otherSession, refused, rigOn, session } from '../webhooks/rig.ts'
import { status } from '../webhooks/sink.ts'

const path = '/api/v1/webhooks'
const hook = 'https://hooks.rostrum.org/in'

eachStore((_name, open) => {
  const withRig = rigOn(open)
  const create = (rig: Rig, body: Record<string, unknown> = {}, token = 'all') =>
    rig.call('POST', path, { url: `${rig.sink.url}/hook`, event_types: ['session.created'], ...body }, token)

  test('creating shows the whole record and the secret, once', () =>
    withRig(async (rig) => {
      const types = ['cta.clicked', 'session.created', 'cta.clicked']
      const made = await create(rig, { event_types: types, session_id: session.id, description: 'CRM', ed25519: true })
      assert.equal(made.status, 201)
      const { id, secret, public_key: publicKey, ...rest } = made.body
      assert.match(String(id), /^wh_[0-9a-f]{32}$/)
      assert.equal(made.headers.get('location'), `/api/v1/webhooks/${String(id)}`)
      assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.match(String(publicKey), /^whpk_[A-Za-z0-9+/]{43}=$/)
      const at = new Date(rig.clock.now()).toISOString()
      const shown = {
        subscription_id: id,
        url: `${rig.sink.url}/hook`,
        format: 'standard',
        event_types: ['session.created', 'cta.clicked'],
        status: 'enabled',
        session_id: session.id,
        description: 'CRM',
        ed25519: true,
        secret_hint: String(secret).slice(-4),
        created_at: at,
        updated_at: at,
      }
      assert.deepEqual(rest, shown)
      const got = await rig.call('GET', `/api/v1/webhooks/${String(id)}`, undefined, 'read')
      assert.deepEqual(got.body, { id, public_key: publicKey, ...shown })
      const list = await rig.call('GET', path, undefined, 'read')
      assert.deepEqual(list.body, { webhooks: [got.body], count: 1 })
      const row = await rig.store.read.selectFrom('webhook_subscriptions').selectAll().executeTakeFirstOrThrow()
      const key = Buffer.from(String(secret).slice(6), 'base64')
      assert.ok(!Buffer.from(row.secret).includes(key), 'the secret is not stored as it is')
      assert.deepEqual(rig.audit, [
        { action: 'webhook.created', data: { host: new URL(rig.sink.url).host, eventTypes: ['session.created', 'cta.clicked'] } },
      ])
    }))

  test('the list is newest first, of this account alone, and two webhooks may share an address', () =>
    withRig(async (rig) => {
      const ids: unknown[] = []
      for (let n = 0; n < 3; n++) {
        ids.unshift((await create(rig)).body['id'])
        await rig.clock.advance(1)
      }
      await create(rig, {}, 'other')
      const { body } = await rig.call('GET', path)
      assert.deepEqual(
        (body['webhooks'] as { id: string }[]).map(({ id }) => id),
        ids,
      )
    }))

  test('what is refused at creation, and where it points', () =>
    withRig(async (rig) => {
      refused(await create(rig, { event_types: [] }), 400, 'invalid_request', '#/event_types')
      refused(await create(rig, { event_types: ['session.created', '*'] }), 400, 'invalid_request', '#/event_types/1')
      refused(await create(rig, { event_types: ['webhook.test'] }), 400, 'invalid_request', '#/event_types/0')
      refused(await rig.call('POST', path, { url: hook }), 400, 'invalid_request', '#/event_types')
      refused(await rig.call('POST', path, { event_types: ['session.created'] }), 400, 'invalid_request', '#/url')
      refused(await create(rig, { url: `https://x.org/${'a'.repeat(2_048)}` }), 400, 'invalid_request', '#/url')
      refused(await create(rig, { url: 'https://x.org/\u0000' }), 400, 'invalid_request', '#/url')
      refused(await create(rig, { description: 'x'.repeat(201) }), 400, 'invalid_request', '#/description')
      refused(await create(rig, { secret: 'whsec_short' }), 400, 'invalid_request', '#/secret')
      refused(await create(rig, { session_id: 'no uuid' }), 400, 'invalid_request', '#/session_id')
      refused(await create(rig, { session_id: '5e551000-0000-4000-8000-000000000009' }), 404, 'not_found')
      const urls = [
        'nonsense',
        'ftp://x.org/',
        'http://10.0.0.1/',
        'https://169.254.169.254/',
        'https://[::1]/',
        'https://user@x.org/',
        'https://x.org/#f',
      ]
      const words = new Set<unknown>()
      for (const url of urls) {
        const answer = await create(rig, { url })
        refused(answer, 400, 'url_not_allowed', '#/url')
        words.add(answer.body['detail'])
      }
      assert.equal(words.size, 1, 'one text for every reason')
      assert.deepEqual(rig.sink.received, [])
    }))

  test('the twenty-first webhook of an account is refused, also when many are made at once', () =>
    withRig(async (rig) => {
      const answers = await Promise.all(Array.from({ length: 25 }, () => create(rig)))
      assert.equal(answers.filter(({ status: code }) => code === 201).length, 20)
      for (const answer of answers.filter(({ status: code }) => code !== 201)) refused(answer, 409, 'limit_reached')
      assert.equal((await create(rig, {}, 'other')).status, 201)
    }))

  test('lead.captured needs leads:read: to subscribe, to change, to rotate, to read and to send again', () =>
    withRig(async (rig) => {
      const needs = (answer: Answer) => {
        refused(answer, 403, 'insufficient_scope')
        assert.deepEqual(answer.body['scopes_required'], ['sessions:write', 'leads:read'])
      }
      needs(await create(rig, { event_types: ['lead.captured'] }, 'plain'))
      const plain = await rig.subscribe({}, 'plain')
      needs(await rig.call('PATCH', `/api/v1/webhooks/${plain.id}`, { event_types: ['lead.captured'] }, 'plain'))
      const leads = await rig.subscribe({ event_types: ['lead.captured'] })
      needs(await rig.call('POST', `/api/v1/webhooks/${leads.id}/rotate`, {}, 'plain'))
      needs(await rig.call('PATCH', `/api/v1/webhooks/${leads.id}`, { url: `${rig.sink.url}/mine` }, 'plain'))
      needs(await rig.call('POST', `/api/v1/webhooks/${leads.id}/recover`, { since: '2026-01-01T00:00:00Z' }, 'plain'))
      await rig.event(1, leadEvent('lead-1'))
      await rig.sink.until(1)
      await rig.webhooks.idle()
      const { id } = await rig.delivery()
      needs(await rig.call('POST', `/api/v1/webhooks/deliveries/${id}/redeliver`, {}, 'plain'))
      assert.equal((await rig.call('GET', `/api/v1/webhooks/deliveries/${id}`, undefined, 'plain')).body['payload'], undefined)
      const whole = await rig.call('GET', `/api/v1/webhooks/deliveries/${id}`)
      assert.ok(eventBodies['lead.captured'].safeParse(whole.body['payload']).success)
    }))

  test('another account sees nothing: every call on what is not its own answers 404', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe({ event_types: ['attendee.joined', 'lead.captured'] })
      await rig.event(1)
      await rig.sink.until(1)
      await rig.webhooks.idle()
      const delivery = (await rig.delivery()).id
      const calls: [string, string, unknown?][] = [
        ['GET', `/api/v1/webhooks/${id}`],
        ['PATCH', `/api/v1/webhooks/${id}`, { status: 'disabled' }],
        ['DELETE', `/api/v1/webhooks?id=${id}`],
        ['DELETE', `/api/v1/webhooks/${id}`],
        ['POST', `/api/v1/webhooks/${id}/rotate`, {}],
        ['POST', `/api/v1/webhooks/${id}/test`, {}],
        ['GET', `/api/v1/webhooks/${id}/deliveries`],
        ['GET', `/api/v1/webhooks/deliveries/${delivery}`],
        ['POST', `/api/v1/webhooks/deliveries/${delivery}/redeliver`, {}],
        ['POST', `/api/v1/webhooks/${id}/recover`, { since: '2026-01-01T00:00:00Z' }],
      ]
      for (const [method, address, body] of calls) {
        refused(await rig.call(method, address, body, 'other'), 404, 'not_found')
        refused(await rig.call(method, address.replaceAll(id, 'wh_none').replaceAll(delivery, 'dlv_none'), body), 404, 'not_found')
      }
      assert.equal((await rig.call('GET', path, undefined, 'other')).body['count'], 0)
    }))

  test('deleting by query or by path; a second time, and without id, it is refused', () =>
    withRig(async (rig) => {
      const [first, second] = [await rig.subscribe(), await rig.subscribe()]
      refused(await rig.call('DELETE', path), 400, 'invalid_request', '#/id')
      const gone = await rig.call('DELETE', `/api/v1/webhooks?id=${first.id}`)
      assert.deepEqual([gone.status, gone.body], [200, { id: first.id, deleted: true }])
      refused(await rig.call('DELETE', `/api/v1/webhooks?id=${first.id}`), 404, 'not_found')
      assert.equal((await rig.call('DELETE', `/api/v1/webhooks/${second.id}`)).status, 200)
      assert.equal((await rig.call('GET', path)).body['count'], 0)
      await rig.event(1)
      await rig.quiet()
      assert.deepEqual(await rig.deliveries(), [])
    }))

  test('deleting cancels what waits; the attempt on the wire ends, is logged, and is not made again', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      const { promise, resolve } = Promise.withResolvers<() => void>()
      rig.sink.answer((response) => resolve(() => void response.writeHead(500).end()))
      await rig.event(1)
      const answer = await promise
      await rig.call('DELETE', `/api/v1/webhooks/${id}`)
      answer()
      await rig.quiet()
      const row = await rig.delivery()
      assert.deepEqual([row.status, row.attempts, row.last_http_status], ['canceled', 1, 500])
      await rig.advance(150_000)
      assert.equal(rig.sink.received.length, 1)
    }))

  test('changes hold for the next attempt: address, events, session, signature, words', () =>
    withRig(async (rig) => {
      const { id, secret } = await rig.subscribe()
      rig.sink.answer(status(500))
      await rig.event(1)
      await rig.sink.until(1)
      // The end of the attempt is written before time goes on: the next one is due from there.
      await rig.quiet()
      await rig.clock.advance(1)
      const change = { url: `${rig.sink.url}/new`, description: null, ed25519: true, session_id: otherSession.id }
      const { body } = await rig.call('PATCH', `/api/v1/webhooks/${id}`, change)
      assert.equal(body['updated_at'], new Date(rig.clock.now()).toISOString())
      rig.sink.answer(status(204))
      await rig.advance(120_000)
      const [, second] = rig.sink.received
      assert.equal(second?.path, '/new')
      assert.match(String(second.headers['webhook-signature']), /^v1,\S+ v1a,\S+$/)
      for (const key of [secret, String(body['public_key'])])
        assert.ok((await verifyWebhook(second.body, second.headers, key, { now: Math.floor(second.at / 1_000) })).ok)
      await rig.event(2)
      await rig.quiet()
      assert.equal(rig.sink.received.length, 2)
      const off = await rig.call('PATCH', `/api/v1/webhooks/${id}`, { ed25519: false, session_id: null })
      assert.deepEqual([off.body['ed25519'], off.body['public_key'], off.body['session_id']], [false, undefined, undefined])
      const on = await rig.call('PATCH', `/api/v1/webhooks/${id}`, { ed25519: true })
      assert.equal(on.body['public_key'], body['public_key'], 'the key pair is kept')
      refused(await rig.call('PATCH', `/api/v1/webhooks/${id}`, { url: 'https://127.1.1.1.nip/ x' }), 400, 'url_not_allowed', '#/url')
      refused(await rig.call('PATCH', `/api/v1/webhooks/${id}`, { status: 'paused' }), 400, 'invalid_request', '#/status')
    }))

  test('switched off, events are skipped and can be recovered', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      const off = await rig.call('PATCH', `/api/v1/webhooks/${id}`, { status: 'disabled' })
      assert.deepEqual([off.body['status'], off.body['disabled_reason']], ['disabled', 'manual'])
      await rig.event(1)
      await rig.quiet()
      const { id: delivery, status: is } = await rig.delivery()
      assert.equal(is, 'skipped')
      refused(await rig.call('POST', `/api/v1/webhooks/deliveries/${delivery}/redeliver`, {}), 409, 'conflict')
      await rig.call('PATCH', `/api/v1/webhooks/${id}`, { status: 'enabled' })
      const sent = await rig.call('POST', `/api/v1/webhooks/deliveries/${delivery}/redeliver`, {})
      assert.deepEqual([sent.status, sent.body['status'], sent.body['trigger']], [202, 'pending', 'manual'])
      await rig.sink.until(1)
      await rig.webhooks.idle()
      assert.equal((await rig.delivery()).status, 'succeeded')
    }))

  test('while a secret is rotated both sign, newest first; a second rotation drops the oldest; then the new one alone', () =>
    withRig(async (rig) => {
      const { id, secret: first } = await rig.subscribe()
      const rotate = async (body: Record<string, unknown>) => {
        const answer = await rig.call('POST', `/api/v1/webhooks/${id}/rotate`, body)
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        return answer.body
      }
      const signatures = async (n: number) => {
        await rig.event(n)
        await rig.quiet()
        const got = rig.sink.received.at(-1)
        assert.ok(got)
        const accepts = async (key: unknown) =>
          (await verifyWebhook(got.body, got.headers, String(key), { now: Math.floor(got.at / 1_000) })).ok
        return { count: String(got.headers['webhook-signature']).split(' ').length, accepts }
      }
      const second = await rotate({ grace_seconds: 60 })
      assert.equal(second['previous_secret_expires_at'], new Date(rig.clock.now() + 60_000).toISOString())
      let sent = await signatures(1)
      assert.deepEqual([sent.count, await sent.accepts(first), await sent.accepts(second['secret'])], [2, true, true])
      const own = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
      const third = await rotate({ grace_seconds: 60, secret: own })
      assert.equal(third['secret'], own)
      sent = await signatures(2)
      assert.deepEqual(
        [sent.count, await sent.accepts(first), await sent.accepts(second['secret']), await sent.accepts(own)],
        [2, false, true, true],
      )
      await rig.advance(60_000)
      sent = await signatures(3)
      assert.deepEqual([sent.count, await sent.accepts(second['secret']), await sent.accepts(own)], [1, false, true])
      await rotate({ grace_seconds: 0 })
      sent = await signatures(4)
      assert.deepEqual([sent.count, await sent.accepts(own)], [1, false])
      refused(
        await rig.call('POST', `/api/v1/webhooks/${id}/rotate`, { grace_seconds: 604_801 }),
        400,
        'invalid_request',
        '#/grace_seconds',
      )
    }))

  test('reads need sessions:read and changes sessions:write', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      refused(await create(rig, {}, 'read'), 403, 'insufficient_scope')
      refused(await rig.call('DELETE', `/api/v1/webhooks?id=${id}`, undefined, 'read'), 403, 'insufficient_scope')
      assert.equal((await rig.call('GET', `/api/v1/webhooks/${id}`, undefined, 'read')).status, 200)
    }))
})
