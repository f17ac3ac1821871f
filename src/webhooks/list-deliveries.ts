// GET /api/v1/webhooks/{id}/deliveries: what was sent and how it went, newest first, by cursor, without payloads.
import { z } from 'zod'
import { eventTypes, testEventType } from '../kernel/events.ts'
import { countLimit } from '../kernel/fields.ts'
import type { Call } from '../kernel/operation.ts'
import { operation, reads, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { deliveryRange } from '../storage/delivery-id.ts'
import { delivery, selectDeliveries, toDelivery } from './delivery.ts'
import type { Delivery } from './delivery.ts'
import type { WebhooksDeps } from './deps.ts'
import { webhookId } from './fields.ts'
import { deliveryStatuses } from './retry.ts'
import { ownSubscription } from './subscription.ts'

const input = z.object({
  id: webhookId,
  status: z.enum(deliveryStatuses).optional().describe('Only deliveries of this status.'),
  type: z
    .enum([...eventTypes, testEventType])
    .optional()
    .describe('Only deliveries of this event.'),
  limit: countLimit(100, 20).describe('How many to return, 1 to 100.'),
  cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
})

async function list(
  { id, status, type, limit, cursor }: z.output<typeof input>,
  { principal }: Call<AccountPrincipal>,
  { store, cursors }: WebhooksDeps,
): Promise<{ rows: readonly Delivery[]; nextCursor?: string }> {
  await ownSubscription(store.read, principal.accountId, id)
  const context = ['deliveries', id, status ?? '', type ?? '']
  const { first, end } = deliveryRange(id)
  const before = cursor === undefined ? end : cursors.open(context, cursor).id
  let query = selectDeliveries(store.read).where('webhook_deliveries.id', '>=', first).where('webhook_deliveries.id', '<', before)
  if (status !== undefined) query = query.where('webhook_deliveries.status', '=', status)
  if (type !== undefined) query = query.where('webhook_deliveries.type', '=', type)
  const found = await query
    .orderBy('webhook_deliveries.id', 'desc')
    .limit(limit + 1)
    .execute()
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (found.length <= limit || last === undefined) return { rows }
  return { rows, nextCursor: cursors.seal(context, { at: last.created_at, id: last.id }) }
}

export const listDeliveries = operation({
  name: 'list_deliveries',
  area: 'webhooks',
  summary: 'List the deliveries of a webhook',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: list,
  http: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    output: z.object({ deliveries: z.array(delivery), nextCursor: z.string().optional() }),
    view: ({ rows, nextCursor }) => ({ deliveries: rows.map(toDelivery), nextCursor }),
  },
})
