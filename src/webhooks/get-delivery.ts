// GET /api/v1/webhooks/deliveries/{deliveryId}: a delivery with its payload and the log of its attempts.
import { holdsContacts } from '../kernel/events.ts'
import { z } from 'zod'
import type { Call } from '../kernel/operation.ts'
import { operation, reads, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { attempt, delivery, ownDelivery, toAttempt, toDelivery } from './delivery.ts'
import type { WebhooksDeps } from './deps.ts'
import { deliveryId } from './fields.ts'
import { attemptsOf } from './first-success.ts'

const input = z.object({ deliveryId })

async function get({ deliveryId: id }: z.output<typeof input>, { principal }: Call<AccountPrincipal>, { store }: WebhooksDeps) {
  const row = await ownDelivery(store.read, principal.accountId, id)
  const log = await store.read.selectFrom('webhook_attempts').selectAll().where('delivery_id', '=', row.id).orderBy('n').execute()
  const event = await store.read.selectFrom('domain_events').select('body').where('id', '=', row.event_id).executeTakeFirst()
  const mayRead = !holdsContacts(row.type) || principal.scopes.includes('leads:read')
  const body = mayRead ? (row.test_body ?? event?.body) : undefined
  const payload: unknown = body === undefined ? undefined : JSON.parse(body)
  return { row, attempts: attemptsOf(row, log), payload }
}

export const getDelivery = operation({
  name: 'get_delivery',
  area: 'webhooks',
  summary: 'Get a delivery with its attempts',
  description: 'The payload of a `lead.captured` or `lead.updated` is there for credentials with `leads:read` alone.',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: {
    method: 'GET',
    path: '/api/v1/webhooks/deliveries/{deliveryId}',
    output: delivery.extend({ payload: z.unknown().optional(), attempt_log: z.array(attempt) }),
    view: ({ row, attempts, payload }) => ({
      ...toDelivery(row),
      ...(payload !== undefined && { payload }),
      attempt_log: attempts.map(toAttempt),
    }),
  },
})
