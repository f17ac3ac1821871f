// DELETE /api/v1/webhooks?id= (Spec 4.4), and the same by path: ends a subscription and cancels what waits for it.
import { z } from 'zod'
import type { Call } from '../kernel/operation.ts'
import { deletes, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import type { WebhooksDeps } from './deps.ts'
import { webhookId } from './fields.ts'
import { endSubscription } from './stop.ts'
import { ownSubscription } from './subscription.ts'

const input = z.object({ id: webhookId })
const output = z.object({ id: z.string(), deleted: z.boolean() })

async function remove({ id }: z.output<typeof input>, call: Call<AccountPrincipal>, deps: WebhooksDeps) {
  const { accountId } = call.principal
  await deps.store.write(async (tx, ring) => {
    await ownSubscription(tx, accountId, id)
    await endSubscription(tx, ring, id, call.now)
    await deps.audit(tx, call, { action: 'webhook.deleted', accountId, target: { kind: 'webhook', id }, data: {} })
  })
  return { id, deleted: true }
}

const common = {
  area: 'webhooks',
  description: 'Waiting deliveries are cancelled; one on the wire ends and is not tried again.',
  access: scoped('sessions:write'),
  effects: deletes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: remove,
} as const

export const deleteWebhook = operation({
  ...common,
  name: 'delete_webhook',
  summary: 'Delete a webhook',
  http: { method: 'DELETE', path: '/api/v1/webhooks', output, view: (result) => result },
})

export const deleteWebhookAtPath = operation({
  ...common,
  name: 'delete_webhook_at_path',
  summary: 'Delete a webhook by its own address',
  http: { method: 'DELETE', path: '/api/v1/webhooks/{id}', output, view: (result) => result },
})
