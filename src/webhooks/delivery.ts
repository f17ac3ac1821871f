// A delivery and its attempts as their owner sees them (Spec 3.3).
import { z } from 'zod'
import { ServiceError } from '../platform/errors.ts'
import { eventTypes, testEventType } from '../contract/events.ts'
import { type Ids, iso, timeDigits, uuidV7Hex } from '../platform/clock.ts'
import type { Reader, Tx } from '../platform/db/store.ts'
import type { AttemptRow, DeliveryRow } from '../platform/db/tables.ts'
import { deliveryStatuses } from './retry.ts'

export const triggers = ['automatic', 'manual', 'recover', 'test'] as const

/** With the session of its event; null for a test. */
export type Delivery = DeliveryRow & { session_id: string | null }

/** What `delivery` shows, and what every look-up selects. */
export function selectDeliveries(read: Reader | Tx) {
  return read
    .selectFrom('webhook_deliveries')
    .leftJoin('domain_events', 'domain_events.id', 'webhook_deliveries.event_id')
    .selectAll('webhook_deliveries')
    .select('domain_events.session_id')
}

/** The delivery of a live subscription of this account; `not_found` otherwise. */
export async function ownDelivery(read: Reader | Tx, accountId: string, id: string): Promise<Delivery> {
  const row = await selectDeliveries(read)
    .innerJoin('webhook_subscriptions', 'webhook_subscriptions.id', 'webhook_deliveries.subscription_id')
    .where('webhook_deliveries.id', '=', id)
    .where('webhook_subscriptions.account_id', '=', accountId)
    .where('webhook_subscriptions.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) throw new ServiceError('not_found', 'There is no such delivery. List those of the webhook to see their ids.')
  return row
}

export const delivery = z.object({
  id: z.string(),
  webhook_id: z.string().describe('The `webhook-id` of every attempt: the id of the event.'),
  event_type: z.enum([...eventTypes, testEventType]),
  subscription_id: z.string(),
  session_id: z.string().optional(),
  status: z
    .enum(deliveryStatuses)
    .describe('`failed`: dead-lettered. `skipped`: the webhook was disabled. `canceled`: it was deleted, or its session.'),
  attempts: z.number(),
  next_attempt_at: z.string().optional(),
  last_reason: z.string().optional(),
  last_http_status: z.number().optional(),
  trigger: z.enum(triggers),
  created_at: z.string(),
  finished_at: z.string().optional(),
})

export function toDelivery(row: Delivery) {
  const isWaiting = row.status === 'pending' || row.status === 'retry_scheduled'
  const isOpen = isWaiting || row.status === 'in_flight'
  return {
    id: row.id,
    webhook_id: row.event_id,
    event_type: row.type,
    subscription_id: row.subscription_id,
    ...(row.session_id !== null && { session_id: row.session_id }),
    status: row.status,
    attempts: row.attempts,
    ...(isWaiting && row.due_at !== null && { next_attempt_at: iso(row.due_at) }),
    ...(row.last_reason !== null && { last_reason: row.last_reason }),
    ...(row.last_http_status !== null && { last_http_status: row.last_http_status }),
    trigger: row.trigger,
    created_at: iso(row.created_at),
    ...(!isOpen && row.finished_at !== null && { finished_at: iso(row.finished_at) }),
  }
}

export const attempt = z.object({
  n: z.number(),
  trigger: z.enum(triggers),
  started_at: z.string(),
  ended_at: z.string(),
  outcome: z.enum(['succeeded', 'failed', 'blocked', 'interrupted']),
  reason: z
    .string()
    .optional()
    .describe(
      'http_status, redirect, gone, timeout, connect, tls, dns, protocol, blocked_destination, blocklist_unavailable, token_refused or interrupted.',
    ),
  http_status: z.number().optional(),
  response: z.string().optional().describe('The first 4 KiB of the answer.'),
})

/**
 * The attempts of a delivery; `log` is what has rows, in order. A first one that succeeds, as nearly all do, is kept in its delivery: a row of
 * its own would cost as much again.
 */
export function attemptsOf(row: DeliveryRow, log: readonly AttemptRow[]): readonly AttemptRow[] {
  const { id, status, attempts, claimed_at: startedAt, finished_at: endedAt, last_http_status, response_head, peer } = row
  if (log.length > 0 || status !== 'succeeded' || attempts !== 1 || startedAt === null || endedAt === null) return log
  const times = { started_at: startedAt, ended_at: endedAt }
  const answer = { http_status: last_http_status, response_head, peer }
  return [{ delivery_id: id, n: 1, trigger: 'automatic', ...times, outcome: 'succeeded', reason: null, ...answer }]
}

/** Gives the first attempts of these deliveries their rows, where they have none. Call before their state changes. */
export async function logFirstSuccesses(tx: Tx, ids: readonly string[]): Promise<void> {
  const rows = await tx
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', 'in', ids)
    .where('status', '=', 'succeeded')
    .where('trigger', '=', 'automatic')
    .where('attempts', '=', 1)
    .where('interrupted', '=', 0)
    .execute()
  const attempts = rows.flatMap((row) => attemptsOf(row, []))
  if (attempts.length > 0)
    await tx
      .insertInto('webhook_attempts')
      .values(attempts)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

export function toAttempt(row: AttemptRow) {
  return {
    n: row.n,
    trigger: row.trigger,
    started_at: iso(row.started_at),
    ended_at: iso(row.ended_at),
    outcome: row.outcome,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.http_status !== null && { http_status: row.http_status }),
    ...(row.response_head !== null && { response: row.response_head }),
  }
}

// Identifiers of this area: a prefix and the 32 hex digits of a version 7 UUID, whose order is the order of creation. Those of
// deliveries are made of two of them (storage/delivery-id.ts).

export type Prefix = 'wh' | 'msg'

export function newId(prefix: Prefix, ids: Ids, now: number): string {
  return `${prefix}_${uuidV7Hex(ids, now)}`
}

/** Every id made at `at` or later is greater, every id made before is smaller. */
export function idBound(prefix: Prefix, at: number): string {
  return `${prefix}_${timeDigits(at)}`
}
