// What webhooks look for is found by an index, however many deliveries and webhooks others have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eachStore } from '../support/stores.ts'

const looks: Readonly<Record<string, string>> = {
  'webhooks of an account, the deleted ones too': `SELECT id FROM webhook_subscriptions WHERE account_id = 'a'`,
  'deliveries of a webhook': `SELECT id FROM webhook_deliveries WHERE id >= 'dlv_1' AND id < 'dlv_1g' ORDER BY id DESC LIMIT 20`,
  'deliveries of an event with contact details': `SELECT id FROM webhook_deliveries WHERE event_id = 'm' AND type IN ('lead.captured', 'lead.updated')`,
  'what is due for a webhook': `SELECT id FROM webhook_deliveries WHERE subscription_id = 'w' AND due_at <= 1 ORDER BY due_at`,
}

eachStore((name, open) => {
  // PostgreSQL chooses by what the tables hold, and these hold nothing.
  if (name !== 'sqlite') return
  for (const [words, look] of Object.entries(looks)) {
    test(`${words}: found without a scan`, async () => {
      const { store } = await open()
      const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN ${sql.raw(look)}`.execute(store.read)
      for (const { detail } of rows) assert.match(detail, /^SEARCH /)
    })
  }
})
