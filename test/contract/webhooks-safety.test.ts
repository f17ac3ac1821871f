// What never leaves: rehearsals, refused destinations, blocked names, old rows (Spec 6.4), on both stores.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createOutbound } from '../../server/platform/egress/outbound.ts'
import { settle } from '../support/clock.ts'
import { watchDials } from '../support/dials.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { liveRoom, rehearsalToken } from '../support/live.ts'
import { loopbackConfig, outboundConfig } from '../support/outbound.ts'
import { eachStore } from '../support/stores.ts'
import { openRig, rigOn } from '../webhooks/rig.ts'
import { status } from '../webhooks/sink.ts'

eachStore((_name, open) => {
  test('a name that has come to resolve to a private address is not dialled: the attempt is blocked, with one word', async () => {
    let address = '127.0.0.9'
    const dns = await startDnsServer((_, type) => (type === 'A' ? { addresses: [address], ttl: 0 } : { addresses: [] }))
    const { store } = await open()
    const config = loopbackConfig(dns.address, { egressAllow: ['127.0.0.9/32'], egressPorts: [443] })
    const rig = await openRig({ store, outbound: (clock) => createOutbound(config, { clock, userAgent: 'test', hosts: '' }) })
    const dials = watchDials()
    try {
      const made = await rig.subscribe({ url: 'https://hooks.rostrum.org/in' })
      address = '10.0.0.1'
      const before = dials.hosts.length
      await rig.event(1)
      await rig.quiet()
      const row = await rig.delivery()
      assert.deepEqual([row.status, row.last_reason, row.last_http_status], ['retry_scheduled', 'blocked_destination', null])
      const { body } = await rig.call('GET', `/api/v1/webhooks/deliveries/${row.id}`)
      const [log] = body['attempt_log'] as Record<string, unknown>[]
      assert.deepEqual([log?.['outcome'], log?.['reason'], log?.['response']], ['blocked', 'blocked_destination', undefined])
      assert.ok(!JSON.stringify(body).includes('10.0.0.1'), made.id)
      assert.deepEqual(
        dials.hosts.slice(before).filter((host) => host === '10.0.0.1'),
        [],
      )
    } finally {
      dials.restore()
      await rig.close()
      await dns.close()
    }
  })

  test('a destination on the blocklist is not dialled, and is sent when the listing clears', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rostrum-list-'))
    const list = join(directory, 'list')
    writeFileSync(list, '127.0.0.1\n')
    const { store } = await open()
    const config = loopbackConfig('127.0.0.1:9', { dnsblList: list })
    const rig = await openRig({ store, outbound: (clock) => createOutbound(config, { clock, userAgent: 'test', hosts: '' }) })
    try {
      await rig.subscribe()
      await rig.event(1)
      await rig.quiet()
      assert.equal((await rig.delivery()).last_reason, 'blocked_destination')
      assert.equal(rig.sink.received.length, 0)
      writeFileSync(list, '# nobody\n')
      await rig.advance(61_000)
      await rig.advance(59_000)
      await rig.sink.until(1)
      await rig.webhooks.idle()
      assert.equal((await rig.delivery()).status, 'succeeded')
    } finally {
      await rig.close()
      rmSync(directory, { recursive: true, force: true })
    }
  })

  test('with the settings of the default, no spelling of the loopback address can be subscribed', async () => {
    const { store } = await open()
    const rig = await openRig({ store, outbound: (clock) => createOutbound(outboundConfig(), { clock, userAgent: 'test', hosts: '' }) })
    const dials = watchDials()
    try {
      for (const host of ['127.0.0.1', '2130706433', '0x7f.1', 'localhost', '[::ffff:127.0.0.1]', '127。0。0。1']) {
        const answer = await rig.call('POST', '/api/v1/webhooks', { url: `https://${host}/`, event_types: ['cta.clicked'] })
        assert.deepEqual([answer.status, answer.body['code']], [400, 'url_not_allowed'], host)
      }
      assert.deepEqual(
        dials.hosts.filter((host) => host !== '127.0.0.1'),
        [],
      )
    } finally {
      dials.restore()
      await rig.close()
    }
  })

  test('old deliveries go with their attempts and events; dead letters stay three times as long', () =>
    rigOn(open, { settings: { webhookRetryMs: [1, 1] } })(async (rig) => {
      await rig.subscribe()
      await rig.event(1)
      await rig.sink.until(1)
      rig.sink.answer(status(500))
      await rig.event(2)
      await rig.quiet()
      for (let n = 0; n < 2; n++) await rig.advance(1)
      assert.equal(rig.sink.received.length, 4)
      const count = async () =>
        Promise.all(
          (['webhook_deliveries', 'webhook_attempts', 'domain_events'] as const).map(
            async (table) => (await rig.store.read.selectFrom(table).selectAll().execute()).length,
          ),
        )
      const day = 86_400_000
      assert.deepEqual(await count(), [2, 3, 2], 'a first success has no row of its own')
      rig.clock.set(rig.clock.now() + 30 * day - 10_000)
      await rig.webhooks.sweep()
      assert.deepEqual(await count(), [2, 3, 2])
      rig.clock.set(rig.clock.now() + 20_000)
      await rig.webhooks.sweep()
      assert.deepEqual(await count(), [1, 3, 1])
      rig.clock.set(rig.clock.now() + 60 * day)
      await rig.webhooks.sweep()
      assert.deepEqual(await count(), [0, 0, 0])
    }))
})

describe('rehearsals', () => {
  test('a whole rehearsal writes no event, so there is nothing to deliver and nothing is dialled', async () => {
    const room = await liveRoom()
    try {
      const rehearsed = await room.call('join_room', { kind: 'nobody' }, { key: rehearsalToken(room.session) })
      const { attendeeId, runId } = rehearsed as { attendeeId: string; runId: string }
      const attendee = { kind: 'attendee', attendeeId, runId, sessionId: room.session.sessionId } as const
      const stream = await room.stream(attendee, runId)
      await room.call('control_run', attendee, { runId, id: '0198c1d2-7a53-4c1e-9a40-5f6d2b8e4c11', action: 'start' })
      await settle()
      assert.ok(stream.of('state').length > 0)
      for (const table of ['domain_events', 'outbox', 'webhook_deliveries'] as const)
        assert.deepEqual(await room.store.read.selectFrom(table).selectAll().execute(), [], table)
    } finally {
      await room.close()
    }
  })
})
