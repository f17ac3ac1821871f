// GET /api/v1/webhooks/{id}.
import { z } from 'zod'
import type { Call } from '../kernel/operation.ts'
import { operation, reads, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import type { WebhooksDeps } from './deps.ts'
import { webhookId } from './fields.ts'
import { ownSubscription, record, toRecord, withLast } from './subscription.ts'

const input = z.object({ id: webhookId })

async function get({ id }: z.output<typeof input>, { principal, now }: Call<AccountPrincipal>, { store }: WebhooksDeps) {
  const row = await ownSubscription(store.read, principal.accountId, id)
  const [shown = { ...row, last: undefined }] = await withLast(store.read, [row])
  return { row: shown, now }
}

export const getWebhook = operation({
  name: 'get_webhook',
  area: 'webhooks',
  summary: 'Get a webhook',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: { method: 'GET', path: '/api/v1/webhooks/{id}', output: record, view: ({ row, now }) => toRecord(row, now) },
})
