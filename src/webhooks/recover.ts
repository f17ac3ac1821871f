// POST /api/v1/webhooks/{id}/recover: sends a range of deliveries again, each with a fresh chain of attempts.
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import type { EventType } from '../kernel/events.ts'
import { eventTypes, holdsContacts } from '../kernel/events.ts'
import type { Call } from '../kernel/operation.ts'
import { creates, operation, scoped } from '../kernel/operation.ts'
import { invalidInput } from '../kernel/parse.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { deliveryRange } from '../storage/delivery-id.ts'
import type { Tx } from '../storage/store.ts'
import type { DeliveryRow } from '../storage/tables/webhooks.ts'
import type { WebhooksDeps } from './deps.ts'
import { folded, wantedTypes, webhookId } from './fields.ts'
import { logFirstSuccesses } from './first-success.ts'
import { dueTopic } from './stop.ts'
import { eventTypesOf, ownSubscription, requireLeads } from './subscription.ts'

const time = z.iso.datetime({ offset: true })
const statuses = ['failed', 'skipped', 'canceled', 'succeeded'] as const

const input = z.object({
  id: webhookId,
  since: time.describe('Events of this time or later.'),
  until: time.optional().describe('Events before this time; now unless given.'),
  statuses: z
    .array(z.enum(statuses))
    .min(1)
    .max(10)
    .default(['failed', 'skipped', 'canceled'])
    .describe('Which to send again; `succeeded` replays.'),
  event_types: wantedTypes.optional(),
})

/** So many rows a transaction: a long range must not hold up everybody else. */
const pageMax = 500

interface Range {
  from: string
  end: string
  statuses: readonly DeliveryRow['status'][]
  types: readonly EventType[]
}

async function recover(wanted: z.output<typeof input>, { principal, now }: Call<AccountPrincipal>, { store }: WebhooksDeps) {
  const subscription = await ownSubscription(store.read, principal.accountId, wanted.id)
  const mayReadLeads = principal.scopes.includes('leads:read')
  const types = folded(wanted.event_types ?? eventTypes).filter((type) => mayReadLeads || !holdsContacts(type))
  const asksLeads = (wanted.event_types ?? eventTypesOf(subscription.event_types)).some(holdsContacts)
  if (asksLeads) requireLeads(principal, 'sessions:write')
  if (subscription.disabled_reason !== null) throw new ServiceError('conflict', 'The webhook is disabled. Enable it first.')
  const since = Date.parse(wanted.since)
  const until = wanted.until === undefined ? now + 1 : Date.parse(wanted.until)
  if (until <= since) throw invalidInput([{ pointer: '#/until', detail: 'send a time after `since`.' }])
  const { first, end } = deliveryRange(wanted.id, { from: since, to: until })
  const range = { end, statuses: wanted.statuses, types }
  let from = first
  let queued = 0
  for (;;) {
    const page = await store.write(async (tx, ring) => {
      const found = await queuePage(tx, { ...range, from }, now)
      if (found.count > 0) ring(dueTopic + wanted.id)
      return found
    })
    queued += page.count
    if (page.last === undefined) return { queued }
    from = `${page.last}!`
  }
}

/** Writes what `retry.ts` says of `recover`, for a page of rows. `last` is where the next page goes on. */
async function queuePage(tx: Tx, { from, end, statuses: wanted, types }: Range, now: number) {
  const page = await tx
    .selectFrom('webhook_deliveries')
    .innerJoin('domain_events', 'domain_events.id', 'webhook_deliveries.event_id')
    .select('webhook_deliveries.id')
    .where('webhook_deliveries.id', '>=', from)
    .where('webhook_deliveries.id', '<', end)
    .where('webhook_deliveries.status', 'in', wanted)
    .where('webhook_deliveries.type', 'in', types)
    .where('domain_events.scrubbed_at', 'is', null)
    .orderBy('webhook_deliveries.id')
    .limit(pageMax)
    .execute()
  const ids = page.map(({ id }) => id)
  if (ids.length === 0) return { count: 0, last: undefined }
  await logFirstSuccesses(tx, ids)
  const queued = await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', trigger: 'recover', chain_attempt: 0, due_at: now, resume_status: null, resume_at: null })
    .where('id', 'in', ids)
    .where('status', 'in', wanted)
    .returning('id')
    .execute()
  return { count: queued.length, last: ids.length === pageMax ? ids.at(-1) : undefined }
}

export const recoverWebhook = operation({
  name: 'recover_webhook',
  area: 'webhooks',
  summary: 'Send a range of deliveries again',
  description: 'Every delivery keeps its `webhook-id` and gets three attempts. 409 while the webhook is disabled.',
  access: scoped('sessions:write'),
  effects: { ...creates, openWorld: true },
  limit: 'api',
  errors: ['not_found', 'conflict'],
  input,
  run: recover,
  http: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/recover',
    status: 202,
    output: z.object({ queued: z.number() }),
    view: (result) => result,
  },
})
