// GET /api/v1/webhooks: the subscriptions of the account, newest first (Spec 4.4).
import { z } from 'zod'
import type { Call } from '../kernel/operation.ts'
import { operation, reads, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import type { WebhooksDeps } from './deps.ts'
import { record, toRecord, withLast } from './subscription.ts'

async function list(_: object, { principal, now }: Call<AccountPrincipal>, { store }: WebhooksDeps) {
  const rows = await store.read
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('account_id', '=', principal.accountId)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .execute()
  return { rows: await withLast(store.read, rows), now }
}

export const listWebhooks = operation({
  name: 'list_webhooks',
  area: 'webhooks',
  summary: 'List webhooks',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: [],
  input: z.object({}),
  run: list,
  http: {
    method: 'GET',
    path: '/api/v1/webhooks',
    output: z.object({ webhooks: z.array(record), count: z.number() }),
    view: ({ rows, now }) => ({ webhooks: rows.map((row) => toRecord(row, now)), count: rows.length }),
  },
})
