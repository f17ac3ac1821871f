// What an operator reads about webhooks at /metrics: every series that is promised, with the figures of what happened.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/clock.ts'
import type { DnsAnswer } from '../support/dns-server.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'
import { startSink, status } from '../webhooks/sink.ts'

const answers: Readonly<Record<string, DnsAnswer>> = {
  'hooks.rostrum.org': { addresses: ['127.0.0.1'] },
  'listed.rostrum.org': { addresses: ['127.0.0.1'] },
  // The health probes (RFC 5782 section 5).
  'test.dbl.blk': { addresses: ['127.0.1.2'] },
  '2.0.0.127.zen.blk': { addresses: ['127.0.0.2'] },
  '1.0.0.127.zen.blk': 'nxdomain',
  'listed.rostrum.org.dbl.blk': { addresses: ['127.0.1.2'] },
  'hooks.rostrum.org.dbl.blk': 'servfail',
}

eachStore((_, open) => {
  test('attempts, time, backlog, lag, and listings and errors by zone are told', async () => {
    const dns = await startDnsServer((name, type) => (type === 'A' ? (answers[name] ?? 'nxdomain') : { addresses: [] }))
    const env = {
      ROSTRUM_EGRESS_ALLOW: '127.0.0.0/8',
      ROSTRUM_DNS_SERVERS: dns.address,
      ROSTRUM_DNSBL_ZONES: 'domain:dbl.blk ip:zen.blk',
      ROSTRUM_METRICS_TOKEN: 'metrics',
    }
    await withService(
      open,
      async (app) => {
        const sink = await startSink(app.clock)
        try {
          const read = async () => {
            const { text } = await app.request('/metrics', { headers: { Authorization: 'Bearer metrics' } })
            return (series: string) => {
              const line = text.split('\n').find((each) => each.startsWith(`${series} `))
              return line === undefined ? undefined : Number(line.slice(series.length + 1))
            }
          }
          const before = await read()
          for (const outcome of ['succeeded', 'failed', 'blocked'])
            assert.equal(before(`rostrum_webhook_attempts_total{outcome="${outcome}"}`), 0)
          assert.equal(before('rostrum_dnsbl_hits_total{zone="dbl.blk"}'), 0, 'the health probe of a zone is no listing')

          const port = new URL(sink.url).port
          const subscribe = (name: string, path: string) =>
            app.api('POST', '/api/v1/webhooks', { url: `http://${name}.rostrum.org:${port}/${path}`, event_types: ['session.created'] })
          for (const [name, path] of [
            ['hooks', 'good'],
            ['hooks', 'bad'],
            ['listed', 'never'],
          ] as const)
            assert.equal((await subscribe(name, path)).status, 201)
          sink.answer((response, { path }) => status(path === '/bad' ? 500 : 204)(response))
          await app.api('POST', '/api/v1/agent/sessions', { title: 'Pumps' })

          const attempts = (outcome: string) => `rostrum_webhook_attempts_total{outcome="${outcome}"}`
          await eventually(async () => {
            const now = await read()
            return ['succeeded', 'failed', 'blocked'].every((outcome) => now(attempts(outcome)) === 1)
          })
          const held = () => app.store.read.selectFrom('webhook_deliveries').select('id').where('status', '=', 'retry_scheduled').execute()
          await eventually(async () => {
            await app.clock.advance(25)
            return (await held()).length === 2
          })
          await app.clock.advance(11_000)
          await eventually(async () => (await read())('rostrum_webhook_backlog') === 2)
          const now = await read()
          assert.equal(now('rostrum_webhook_attempt_seconds_count'), 3)
          assert.ok((now('rostrum_webhook_attempt_seconds_sum') ?? -1) >= 0)
          assert.equal(now('rostrum_webhook_oldest_due_seconds'), 0, 'nothing is late')
          assert.ok((now('rostrum_webhook_expand_lag_seconds') ?? -1) >= 0)
          assert.equal(now('rostrum_dnsbl_hits_total{zone="dbl.blk"}'), 1)
          assert.ok((now('rostrum_dnsbl_errors_total{zone="dbl.blk"}') ?? 0) >= 1)
          assert.equal(now('rostrum_dnsbl_hits_total{zone="zen.blk"}'), 0)
          assert.equal(now('rostrum_dnsbl_errors_total{zone="zen.blk"}'), 0)
        } finally {
          await sink.close()
        }
      },
      env,
    )
    await dns.close()
  })
})
