// A delivery and its attempts as their owner sees them (Spec 3.3).
import { z } from 'zod'
import { ServiceError } from '@rostrum/base/errors'
import { eventTypes, testEventType } from '@rostrum/contract/events'
import { type Ids, iso, timeDigits, uuidV7Hex } from '@rostrum/base/clock'
import type { Reader, Tx } from '../platform/db/store.ts'
import type { AttemptRow, DeliveryRow } from '../platform/db/tables.ts'

// What becomes of a delivery (Spec 3.3, 6.4.1): a pure, total function of its state and what happened to it.
//
// | State | On | Next |
// |---|---|---|
// | pending, retry_scheduled | claimed | in_flight until its lease ends |
// | in_flight | succeeded | succeeded |
// | in_flight | failed | retry_scheduled after the chain's next delay, measured from now; without one: failed (dead-lettered) |
// | in_flight | gone (410) | failed; the caller disables the subscription |
// | in_flight | interrupted (its process died) | pending, the same attempt again; every fifth time it counts as failed |
// | in_flight | released (claimed, given up) | pending |
// | in_flight, manual | failed, gone | back to where it was: a manual attempt neither starts nor ends a chain |
// | in_flight, test | failed, gone | failed: one attempt, no retry |
// | failed, skipped, canceled, succeeded, retry_scheduled | redeliver | pending, manual |
// | failed, skipped, canceled, succeeded | recover | pending with a fresh chain |
// | pending, retry_scheduled | cancel (subscription or session deleted, payload erased) | canceled |
// | pending, retry_scheduled | disable | skipped: visible, and can be recovered |
//
// Everything else changes nothing: `null`. One in flight is not called back; its end and then `cancel` or `disable` decide.

export type DeliveryState = Pick<
  DeliveryRow,
  'status' | 'trigger' | 'chain_attempt' | 'attempts' | 'interrupted' | 'due_at' | 'resume_status' | 'resume_at' | 'finished_at'
>

/** Every happening, for tables and tests. */
export const happenings = [
  'claimed',
  'succeeded',
  'failed',
  'gone',
  'interrupted',
  'released',
  'redeliver',
  'recover',
  'cancel',
  'disable',
] as const

export type Happening = { type: 'claimed'; until: number } | { type: Exclude<(typeof happenings)[number], 'claimed'> }

export const deliveryStatuses = [
  'pending',
  'in_flight',
  'retry_scheduled',
  'succeeded',
  'failed',
  'skipped',
  'canceled',
] as const satisfies readonly DeliveryRow['status'][]

/** An attempt that a dying process cuts off this often counts as a failed one: it may be what kills the process. */
export const interruptionsPerFailure = 5

/** `delays` in milliseconds: after the first failed attempt, the second, and so on. `now` is the end of the attempt. */
export function next(delivery: DeliveryState, happening: Happening, now: number, delays: readonly number[]): DeliveryState | null {
  const { status } = delivery
  const isWaiting = status === 'pending' || status === 'retry_scheduled'
  const isInFlight = status === 'in_flight'
  switch (happening.type) {
    case 'claimed':
      return isWaiting ? { ...delivery, status: 'in_flight', due_at: happening.until } : null
    case 'succeeded':
      return isInFlight ? finished({ ...delivery, attempts: delivery.attempts + 1 }, 'succeeded', now) : null
    case 'failed':
      return isInFlight ? afterFailure({ ...delivery, attempts: delivery.attempts + 1 }, now, delays) : null
    case 'gone':
      return isInFlight ? afterFailure({ ...delivery, attempts: delivery.attempts + 1 }, now, []) : null
    case 'interrupted':
      return isInFlight ? afterInterruption({ ...delivery, interrupted: delivery.interrupted + 1 }, now, delays) : null
    case 'released':
      return isInFlight ? { ...delivery, status: 'pending', due_at: now } : null
    case 'redeliver':
      if (status === 'pending' || isInFlight) return null
      return { ...delivery, status: 'pending', trigger: 'manual', due_at: now, resume_status: status, resume_at: delivery.due_at }
    case 'recover':
      if (isWaiting || isInFlight) return null
      return { ...delivery, status: 'pending', trigger: 'recover', chain_attempt: 0, due_at: now, resume_status: null, resume_at: null }
    case 'cancel':
      return isWaiting ? stopped(delivery, 'canceled', now) : null
    case 'disable':
      return isWaiting ? stopped(delivery, 'skipped', now) : null
  }
}

/** Whether this change is the end of a chain of failed attempts, which the subscription's record counts. */
export function isDeadLetter(before: DeliveryState, after: DeliveryState): boolean {
  return after.status === 'failed' && before.status === 'in_flight' && (before.trigger === 'automatic' || before.trigger === 'recover')
}

function finished(delivery: DeliveryState, status: DeliveryState['status'], now: number): DeliveryState {
  return { ...delivery, status, due_at: null, resume_status: null, resume_at: null, finished_at: now }
}

function afterFailure(delivery: DeliveryState, now: number, delays: readonly number[]): DeliveryState {
  if (delivery.trigger === 'test') return finished(delivery, 'failed', now)
  if (delivery.trigger === 'manual') return resumed(delivery)
  const chainAttempt = delivery.chain_attempt + 1
  const delay = delays[chainAttempt - 1]
  if (delay === undefined) return finished({ ...delivery, chain_attempt: chainAttempt }, 'failed', now)
  return { ...delivery, status: 'retry_scheduled', chain_attempt: chainAttempt, due_at: now + delay }
}

function afterInterruption(delivery: DeliveryState, now: number, delays: readonly number[]): DeliveryState {
  if (delivery.interrupted % interruptionsPerFailure !== 0) return { ...delivery, status: 'pending', due_at: now }
  return afterFailure(delivery, now, delays)
}

/** As it was before somebody asked for one more attempt. */
function resumed(delivery: DeliveryState): DeliveryState {
  const { resume_status: status, resume_at: dueAt } = delivery
  return { ...delivery, status: status ?? 'failed', trigger: 'automatic', due_at: dueAt, resume_status: null, resume_at: null }
}

function stopped(delivery: DeliveryState, status: 'canceled' | 'skipped', now: number): DeliveryState {
  const { resume_status: before } = delivery
  // What had ended before a manual attempt was asked for keeps its end.
  return before === null || before === 'retry_scheduled' ? finished(delivery, status, now) : resumed(delivery)
}

// As their owner sees them.

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
  last_reason: z
    .string()
    .optional()
    .describe('As of an attempt; `secret_unreadable`: it cannot be signed, waits, and has counted no attempt.'),
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
      'http_status, redirect, gone, timeout, connect, tls, dns, protocol, blocked_destination, blocklist_unavailable, token_refused, interrupted or, of a test, secret_unreadable.',
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
