// Writes how attempts ended, many at once: the delivery, the log of its attempt, and what it means for the subscription. A
// row whose lease was lost changes nothing.
import type { Store, Tx } from '../storage/store.ts'
import type { AttemptResult, Ended } from './claimed.ts'
import { readAtDial } from './claimed.ts'
import type { RawSql, Value } from './raw-sql.ts'
import { chunks, inList, repeat } from './raw-sql.ts'
import type { DeliveryState } from './retry.ts'
import { isDeadLetter, next } from './retry.ts'
import { disableSubscription } from './stop.ts'

export interface MarkParts {
  store: Store
  sql: RawSql
  delays: readonly number[]
  /** How long every delivery must have failed before a subscription is stopped. */
  disableAfterMs: number
}

/** So many dead letters in a row, at least, stop a subscription. */
export const deadLettersMin = 5

/** The earliest time at which one of them is due again; null where none is. */
export async function mark(parts: MarkParts, ended: readonly Ended[]): Promise<number | null> {
  const succeeded = ended.filter(isSuccess)
  const others = ended.filter((each) => !isSuccess(each))
  return parts.store.write(async (tx, ring) => {
    const kept: Ended[] = await markSucceeded(tx, parts.sql, succeeded)
    let earliest: number | null = null
    for (const each of others) {
      const after = await markOther(tx, ring, parts, each)
      if (after === null) continue
      kept.push(each)
      if (after.due_at !== null) earliest = Math.min(earliest ?? after.due_at, after.due_at)
    }
    await logAttempts(tx, parts.sql, kept)
    return earliest
  })
}

function isSuccess({ result }: Ended): boolean {
  return typeof result === 'object' && result.happening === 'succeeded'
}

const successRow = '(?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT))'

async function markSucceeded(tx: Tx, sql: RawSql, ended: readonly Ended[]): Promise<Ended[]> {
  const kept = new Set<string>()
  for (const chunk of chunks(ended)) {
    const text = `WITH ended(id, token, http_status, at) AS (VALUES ${repeat(successRow, chunk.length)})
      UPDATE webhook_deliveries SET status = 'succeeded', due_at = NULL, lease_token = NULL, resume_status = NULL, resume_at = NULL,
        attempts = attempts + 1, last_reason = NULL, last_http_status = ended.http_status, finished_at = ended.at
      FROM ended WHERE webhook_deliveries.id = ended.id AND webhook_deliveries.lease_token = ended.token
      RETURNING webhook_deliveries.id AS id`
    const values: Value[] = []
    for (const { claimed, endedAt, result } of chunk)
      values.push(claimed.id, claimed.token, typeof result === 'object' ? result.httpStatus : null, endedAt)
    for (const { id } of await sql.run<{ id: string }>(tx, text, values)) kept.add(id)
  }
  const held = ended.filter(({ claimed }) => kept.has(claimed.id))
  if (held.length > 0) await clearFailures(tx, sql, [...new Set(held.map(({ claimed }) => claimed.subscriptionId))])
  return held
}

async function clearFailures(tx: Tx, sql: RawSql, subscriptionIds: readonly string[]): Promise<void> {
  for (let from = 0; from < subscriptionIds.length; from += 256) {
    const { marks, values } = inList(subscriptionIds.slice(from, from + 256))
    const text = `UPDATE webhook_subscriptions SET dead_letters = 0, failing_since = NULL WHERE dead_letters > 0 AND id IN ${marks}`
    await sql.run(tx, text, values)
  }
}

/** Null where the lease was lost. */
async function markOther(
  tx: Tx,
  ring: (topic: string) => void,
  { delays, disableAfterMs }: MarkParts,
  { claimed, endedAt, result }: Ended,
): Promise<DeliveryState | null> {
  const { id, token, state, subscriptionId, eventId } = claimed
  const tried = typeof result === 'object' ? result : null
  const after = afterEnd(state, result, endedAt, delays)
  const final = after.due_at === null ? after : await calledBack(tx, after, { subscriptionId, eventId }, endedAt)
  const changed = await tx
    .updateTable('webhook_deliveries')
    .set({ ...final, lease_token: null, ...(tried && { last_reason: tried.reason, last_http_status: tried.httpStatus }) })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) return null
  if (isDeadLetter(state, after)) await countDeadLetter(tx, ring, subscriptionId, endedAt, disableAfterMs)
  if (tried?.happening === 'gone') await disableSubscription(tx, ring, subscriptionId, 'gone', endedAt)
  return final
}

function afterEnd(state: DeliveryState, result: Ended['result'], now: number, delays: readonly number[]): DeliveryState {
  if (typeof result === 'object') return next(state, { type: result.happening }, now, delays) ?? state
  const released = next(state, { type: 'released' }, now, delays) ?? state
  return result === 'released' ? released : (next(released, { type: result }, now, delays) ?? released)
}

/** It would be tried again: not if the subscription, the session or the payload is gone meanwhile. */
async function calledBack(
  tx: Tx,
  state: DeliveryState,
  { subscriptionId, eventId }: { subscriptionId: string; eventId: string },
  now: number,
): Promise<DeliveryState> {
  const subscription = await tx
    .selectFrom('webhook_subscriptions')
    .select(['disabled_reason', 'deleted_at'])
    .where('id', '=', subscriptionId)
    .executeTakeFirst()
  const event = await tx
    .selectFrom('domain_events')
    .leftJoin('sessions', 'sessions.id', 'domain_events.session_id')
    .select(['domain_events.scrubbed_at', 'sessions.id as session_id'])
    .where('domain_events.id', '=', eventId)
    .executeTakeFirst()
  // A test has no event.
  const isOver = event !== undefined && (event.session_id === null || event.scrubbed_at !== null)
  if (subscription === undefined || subscription.deleted_at !== null || isOver) return next(state, { type: 'cancel' }, now, []) ?? state
  if (subscription.disabled_reason === null || state.trigger === 'test') return state
  return next(state, { type: 'disable' }, now, []) ?? state
}

async function countDeadLetter(
  tx: Tx,
  ring: (topic: string) => void,
  subscriptionId: string,
  now: number,
  disableAfterMs: number,
): Promise<void> {
  const counted = await tx
    .updateTable('webhook_subscriptions')
    .set((eb) => ({ dead_letters: eb('dead_letters', '+', 1), failing_since: eb.fn.coalesce('failing_since', eb.val(now)) }))
    .where('id', '=', subscriptionId)
    .returning(['dead_letters', 'failing_since'])
    .executeTakeFirst()
  if (counted === undefined || counted.dead_letters < deadLettersMin || now - (counted.failing_since ?? now) < disableAfterMs) return
  await disableSubscription(tx, ring, subscriptionId, 'failures', now)
}

const attemptColumns = 'delivery_id, n, "trigger", started_at, ended_at, outcome, reason, http_status, response_head, peer'
const attemptRow = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'

/** `n` follows the attempts that were counted and those that were cut off. */
async function logAttempts(tx: Tx, sql: RawSql, ended: readonly Ended[]): Promise<void> {
  const tried = ended.flatMap(({ claimed, startedAt, endedAt, result }) =>
    typeof result === 'object' ? [{ claimed, startedAt, endedAt, result }] : [],
  )
  const erased = await erasedAmong(tx, sql, tried)
  for (const chunk of chunks(tried)) {
    const text = `INSERT INTO webhook_attempts (${attemptColumns}) VALUES ${repeat(attemptRow, chunk.length)}`
    const values: Value[] = []
    for (const { claimed, startedAt, endedAt, result } of chunk) {
      const { id, eventId, state } = claimed
      const n = state.attempts + state.interrupted + 1
      const head = erased.has(eventId) ? null : result.responseHead
      values.push(id, n, state.trigger, startedAt, endedAt, result.outcome, result.reason, result.httpStatus, head, result.peer)
    }
    await sql.run(tx, text, values)
  }
}

/** An answer may echo what was sent: where that was erased while the attempt ran, it is not kept. */
async function erasedAmong(
  tx: Tx,
  sql: RawSql,
  tried: readonly { claimed: Ended['claimed']; result: AttemptResult }[],
): Promise<ReadonlySet<string>> {
  const asked = tried.filter(({ claimed, result }) => readAtDial(claimed.type) && result.responseHead !== null)
  const erased = new Set<string>()
  for (let from = 0; from < asked.length; from += 256) {
    const { marks, values } = inList(asked.slice(from, from + 256).map(({ claimed }) => claimed.eventId))
    const text = `SELECT id FROM domain_events WHERE scrubbed_at IS NOT NULL AND id IN ${marks}`
    for (const { id } of await sql.run<{ id: string }>(tx, text, values)) erased.add(id)
  }
  return erased
}
