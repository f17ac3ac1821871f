// A process for the kill suite: sends webhooks and, in a burst, appends events, saying each one it was promised, until it is
// killed. Arguments: the store (a directory or a postgres URL), and the first number to append, or `drain` to send what is left.
import { createCursors } from '../../server/platform/db/cursor.ts'
import { systemClock, systemIds } from '@rostrum/base/clock'
import { createOutbound } from '../../server/platform/egress/outbound.ts'
import { append } from '../../server/platform/db/domain-events.ts'
import { openPostgres } from '../../server/platform/db/postgres.ts'
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import { createWebhooks } from '../../server/webhooks/create-webhooks.ts'
import { loopbackConfig } from '../support/outbound.ts'
import { sessionRow } from '../support/rows.ts'
import { testOutbox } from '../support/stores.ts'

const [, , where = '', from = '0'] = process.argv
const isAlone = !where.startsWith('postgres:')
const store = isAlone ? await openSqlite(where, { outbox: testOutbox, lock: true }) : await openPostgres(where, { outbox: testOutbox })
const session = sessionRow()
const outbound = createOutbound(loopbackConfig('127.0.0.1:9'), { clock: systemClock, userAgent: 'test', hosts: '' })
const webhooks = createWebhooks({
  store,
  clock: systemClock,
  ids: systemIds,
  cursors: createCursors('secret'),
  outbound,
  settings: {
    webhookRetryMs: [1_000, 1_000],
    webhookTimeoutMs: 5_000,
    webhookConcurrency: 32,
    webhookEndpointConcurrency: 16,
    webhookDisableAfterMs: 1_000_000_000,
    webhookRetentionDays: 30,
  },
  secrets: ['secret'],
  baseUrl: 'https://talks.example.com',
  version: '0',
  isAlone,
  credentialScopes: async () => null,
  audit: async () => undefined,
  warn: (words, error) => console.error(words, error),
})
await webhooks.start()
process.stdout.write('open\n')

async function lane(start: number, step: number): Promise<void> {
  for (let n = start; ; n += step) {
    const row = await store.write((tx) =>
      append(tx, {
        type: 'cta.clicked',
        accountId: session.account_id,
        sessionId: session.id,
        at: Date.now(),
        dedupeKey: `kill:${n}`,
        data: {},
      }),
    )
    if (row !== null) process.stdout.write(`${row.id}\n`)
  }
}

async function drain(): Promise<void> {
  for (;;) {
    const waiting = await store.read.selectFrom('webhook_deliveries').select('id').where('due_at', 'is not', null).limit(1).execute()
    const events = await store.read.selectFrom('outbox').select('event_id').limit(1).execute()
    if (waiting.length === 0 && events.length === 0) break
    await new Promise((resolve) => void setTimeout(resolve, 50))
  }
  await webhooks.close()
  await outbound.close()
  await store.close()
}

if (from === 'drain') await drain()
else await Promise.all(Array.from({ length: 8 }, (_, at) => lane(Number(from) + at, 8)))
