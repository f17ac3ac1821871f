// What was sent to a webhook and how it went (Spec 3.3): its deliveries, one of them with its attempts, once more, a range of them, a test.
import { pageOf } from '../platform/db/cursor.ts'
import { z } from 'zod'
import { ServiceError } from '@rostrum/base/errors'
import { eventExample } from '@rostrum/contract/event-examples'
import { type EventType, eventType, eventTypes, holdsContacts, testEventType } from '@rostrum/contract/events'
import { countLimit } from '@rostrum/contract/fields'
import { iso } from '@rostrum/base/clock'
import { creates, operation, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import { deliveryId, deliveryRange } from '../platform/db/deliveries.ts'
import type { Tx } from '../platform/db/store.ts'
import type { DeliveryRow } from '../platform/db/tables.ts'
import {
  attempt,
  attemptsOf,
  delivery,
  type Delivery,
  logFirstSuccesses,
  newId,
  ownDelivery,
  selectDeliveries,
  toAttempt,
  toDelivery,
  deliveryStatuses,
  next,
} from './delivery.ts'
import {
  dueTopic,
  eventTypesOf,
  folded,
  knownDelivery,
  ownSubscription,
  requireLeads,
  wantedTypes,
  webhookId,
  type WebhooksDeps,
} from './subscription.ts'
import { inFormat } from './formats.ts'

export const listDeliveries = operation({
  name: 'list_deliveries',
  summary: 'List the deliveries of a webhook',
  access: scoped('sessions:read'),
  input: z.object({
    id: webhookId,
    status: z.enum(deliveryStatuses).optional().describe('Only deliveries of this status.'),
    type: z
      .enum([...eventTypes, testEventType])
      .optional()
      .describe('Only deliveries of this event.'),
    limit: countLimit(100, 20).describe('How many to return, 1 to 100.'),
    cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  }),
  run: async ({ id, status, type, limit, cursor }, { principal }, { store, cursors }: WebhooksDeps) => {
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
    return pageOf(found, limit, (last) => cursors.seal(context, { at: last.created_at, id: last.id }))
  },
  http: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    output: z.object({ deliveries: z.array(delivery), nextCursor: z.string().optional() }),
    view: ({ rows, nextCursor }) => ({ deliveries: rows.map(toDelivery), nextCursor }),
  },
})

// GET /api/v1/webhooks/deliveries/{deliveryId}: a delivery with its payload and the log of its attempts.

export const getDelivery = operation({
  name: 'get_delivery',
  summary: 'Get a delivery with its attempts',
  description: 'The payload of a `lead.captured` or `lead.updated` is there for credentials with `leads:read` alone.',
  access: scoped('sessions:read'),
  input: z.object({ deliveryId: knownDelivery }),
  run: async ({ deliveryId: id }, { principal }, { store, baseUrl }: WebhooksDeps) => {
    const row = await ownDelivery(store.read, principal.accountId, id)
    const log = await store.read.selectFrom('webhook_attempts').selectAll().where('delivery_id', '=', row.id).orderBy('n').execute()
    const event = await store.read
      .selectFrom('domain_events')
      .select(['body', 'scrubbed_at'])
      .where('id', '=', row.event_id)
      .executeTakeFirst()
    const mayRead = row.test_body !== null || !holdsContacts(row.type) || principal.scopes.includes('leads:read')
    const body = mayRead ? (row.test_body ?? event?.body) : undefined
    const payload: unknown = body === undefined ? undefined : JSON.parse(body)
    const { format } = await ownSubscription(store.read, principal.accountId, row.subscription_id)
    const formed =
      body === undefined || format === 'standard' || (event?.scrubbed_at ?? null) !== null ? null : inFormat(format, body, baseUrl)
    const posted: unknown = formed === null ? undefined : JSON.parse(formed.body)
    return { row, attempts: attemptsOf(row, log), payload, posted }
  },
  http: {
    method: 'GET',
    path: '/api/v1/webhooks/deliveries/{deliveryId}',
    output: delivery.extend({
      payload: z.unknown().optional().describe('The event.'),
      posted: z.unknown().optional().describe('The body in the form of the receiver, where the webhook has one.'),
      attempt_log: z.array(attempt),
    }),
    view: ({ row, attempts, payload, posted }) => ({
      ...toDelivery(row),
      ...(payload !== undefined && { payload }),
      ...(posted !== undefined && { posted }),
      attempt_log: attempts.map(toAttempt),
    }),
  },
})

// POST /api/v1/webhooks/deliveries/{deliveryId}/redeliver: one more attempt now, with the same id and the same bytes.

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
  summary: 'Send a delivery again',
  description: 'One attempt, now. Where it fails, the delivery is again what it was; retries that were scheduled stay scheduled.',
  access: scoped('sessions:write'),
  effects: { ...creates, openWorld: true },
  errors: ['delivery_in_progress', 'payload_erased', 'conflict'],
  input: z.object({ deliveryId: knownDelivery }),
  run: async ({ deliveryId: id }, { principal, now, doneIn }, { store }: WebhooksDeps) => {
    return store.write(async (tx, ring): Promise<Delivery> => {
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
  },
  http: {
    method: 'POST',
    path: '/api/v1/webhooks/deliveries/{deliveryId}/redeliver',
    status: 202,
    output: delivery,
    view: (row) => toDelivery(row),
  },
})

// POST /api/v1/webhooks/{id}/recover: sends a range of deliveries again, each with a fresh chain of attempts.

const time = z.iso.datetime({ offset: true })
const statuses = ['failed', 'skipped', 'canceled', 'succeeded'] as const

/** So many rows a transaction: a long range must not hold up everybody else. */
const pageMax = 500

interface Range {
  from: string
  end: string
  statuses: readonly DeliveryRow['status'][]
  types: readonly EventType[]
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
  summary: 'Send a range of deliveries again',
  description: 'Every delivery keeps its `webhook-id` and gets three attempts. 409 while the webhook is disabled.',
  access: scoped('sessions:write'),
  effects: { ...creates, openWorld: true },
  errors: ['conflict'],
  input: z.object({
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
  }),
  run: async (wanted, { principal, now }, { store }: WebhooksDeps) => {
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
  },
  http: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/recover',
    status: 202,
    output: z.object({ queued: z.number() }),
  },
})

// POST /api/v1/webhooks/{id}/test: one attempt with a made-up event, also for a webhook that is switched off.

export const testWebhook = operation({
  name: 'test_webhook',
  summary: 'Send a test event',
  description:
    'One attempt, no retry, also while the webhook is disabled; 10 a minute per account. Its end is in the deliveries. With `event_type` the documented example of that event is sent, signed, with `data.test` true; otherwise a `webhook.test`.',
  access: scoped('sessions:write'),
  effects: { ...creates, openWorld: true },
  limit: 'tests',
  input: z.object({ id: webhookId, event_type: eventType.optional().describe('Whose example to send; the webhook need not ask for it.') }),
  run: async ({ id, event_type: example }, { principal, now, doneIn }, { store, ids }: WebhooksDeps) =>
    store.write(async (tx, ring) => {
      await ownSubscription(tx, principal.accountId, id)
      const eventId = newId('msg', ids, now)
      const delivery = deliveryId(id, eventId)
      const message = 'This is a test of your webhook. Nothing has happened.'
      const type = example ?? testEventType
      const data =
        example === undefined ? { sequence: 0, session: null, message, subscription_id: id } : { ...eventExample(example).data, test: true }
      await tx
        .insertInto('webhook_deliveries')
        .values({
          id: delivery,
          subscription_id: id,
          event_id: eventId,
          type,
          status: 'pending',
          trigger: 'test',
          chain_attempt: 0,
          attempts: 0,
          interrupted: 0,
          due_at: now,
          test_body: JSON.stringify({ type, timestamp: iso(now), id: eventId, data }),
          created_at: now,
        })
        .execute()
      ring(dueTopic + id)
      const sent = { deliveryId: delivery }
      await doneIn?.(tx, sent)
      return sent
    }),
  http: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/test',
    status: 202,
    output: z.object({ delivery_id: z.string() }),
    view: ({ deliveryId }) => ({ delivery_id: deliveryId }),
  },
})
