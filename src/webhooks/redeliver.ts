// POST /api/v1/webhooks/deliveries/{deliveryId}/redeliver: one more attempt now, with the same id and the same bytes.
import { holdsContacts } from '../kernel/events.ts'
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import type { Call } from '../kernel/operation.ts'
import { creates, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import type { Tx } from '../storage/store.ts'
import type { Delivery } from './delivery.ts'
import { delivery, ownDelivery, toDelivery } from './delivery.ts'
import type { WebhooksDeps } from './deps.ts'
import { deliveryId } from './fields.ts'
import { logFirstSuccesses } from './first-success.ts'
import { next } from './retry.ts'
import { dueTopic } from './stop.ts'
import { ownSubscription, requireLeads } from './subscription.ts'

const input = z.object({ deliveryId })

async function again(
  { deliveryId: id }: z.output<typeof input>,
  { principal, now, doneIn }: Call<AccountPrincipal>,
  { store }: WebhooksDeps,
) {
  return store.write(async (tx, ring) => {
    const row = await ownDelivery(tx, principal.accountId, id)
    if (holdsContacts(row.type)) requireLeads(principal, 'sessions:write')
    await requireSendable(tx, principal.accountId, row)
    const after = next(row, { type: 'redeliver' }, now, [])
    const { status, trigger, due_at, resume_status, resume_at } = after ?? row
    await logFirstSuccesses(tx, [id])
    const changed =
      after === null
        ? undefined
        : await tx
            .updateTable('webhook_deliveries')
            .set({ status, trigger, due_at, resume_status, resume_at })
            .where('id', '=', id)
            // On PostgreSQL the dispatcher may have claimed it since it was read.
            .where('status', '=', row.status)
            .returning('id')
            .executeTakeFirst()
    if (changed === undefined)
      throw new ServiceError('delivery_in_progress', 'An attempt is waiting or on the wire. Look again when it has ended.')
    ring(dueTopic + row.subscription_id)
    const due = { ...row, status, trigger, due_at, resume_status, resume_at }
    await doneIn?.(tx, due)
    return due
  })
}

async function requireSendable(tx: Tx, accountId: string, row: Delivery): Promise<void> {
  const event = await tx.selectFrom('domain_events').select('scrubbed_at').where('id', '=', row.event_id).executeTakeFirst()
  const isErased = row.test_body === null && (event === undefined || event.scrubbed_at !== null)
  if (isErased) throw new ServiceError('payload_erased', 'The personal data of this event was erased; it cannot be sent again.')
  const { disabled_reason: reason } = await ownSubscription(tx, accountId, row.subscription_id)
  if (reason !== null && row.status !== 'pending' && row.status !== 'in_flight')
    throw new ServiceError('conflict', 'The webhook is disabled. Enable it first.')
}

export const redeliver = operation({
  name: 'redeliver',
  area: 'webhooks',
  summary: 'Send a delivery again',
  description: 'One attempt, now. Where it fails, the delivery is again what it was; retries that were scheduled stay scheduled.',
  access: scoped('sessions:write'),
  effects: { ...creates, openWorld: true },
  limit: 'api',
  errors: ['not_found', 'delivery_in_progress', 'payload_erased', 'conflict'],
  input,
  run: again,
  http: {
    method: 'POST',
    path: '/api/v1/webhooks/deliveries/{deliveryId}/redeliver',
    status: 202,
    output: delivery,
    view: toDelivery,
  },
})
