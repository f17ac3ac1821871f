// Writes how attempts ended, many at once: the delivery, the log of its attempt, and what it means for the subscription. A
// row whose lease was lost changes nothing.
import type { Store, Tx } from '../storage/store.ts'
import { type AttemptResult, type Ended, readAtDial } from './attempt.ts'
import type { Batch } from './drafts.ts'
import { isFirstSuccess } from './first-success.ts'
import { isSuccess } from './plan.ts'
import type { RawSql, Shape, Value } from './raw-sql.ts'
import type { DeliveryState } from './retry.ts'
import { isDeadLetter, next } from './retry.ts'
import { disableSubscription } from './subscription.ts'
import type { DraftParts } from './write-drafts.ts'
import { writeDrafts } from './write-drafts.ts'

export interface MarkParts extends DraftParts {
  store: Store
  delays: readonly number[]
  /** How long every delivery must have failed before a subscription is stopped. */
  disableAfterMs: number
}

/** So many dead letters in a row, at least, stop a subscription. */
export const deadLettersMin = 5

export interface Marked {
  /** The earliest time at which one of them is due again; null where none is. */
  dueAt: number | null
  /** Subscriptions with deliveries that nobody has claimed. */
  waiting: ReadonlySet<string>
}

const marking = { isByKey: true }

/** `batches`: deliveries to be written for the first time, with the ends that are known. */
export async function mark(parts: MarkParts, ended: readonly Ended[], batches: readonly Batch[]): Promise<Marked> {
  return parts.store.write(async (tx, ring) => {
    const erased = await erasedAmong(tx, parts.sql, [...ended, ...batches.flatMap(({ rows }) => rows.flatMap((row) => row.ended ?? []))])
    const written = await writeDrafts(tx, parts, batches, erased)
    await clearFailures(tx, parts.sql, written.ended.filter(isSuccess))
    const kept = await markSucceeded(tx, parts.sql, ended.filter(isSuccess), erased)
    const others = [...written.ended, ...ended].filter((each) => !isSuccess(each))
    let earliest: number | null = null
    for (const each of others) {
      const after = await markOther(tx, ring, parts, each)
      if (after === null) continue
      kept.push(each)
      if (after.due_at !== null) earliest = Math.min(earliest ?? after.due_at, after.due_at)
    }
    await logAttempts(tx, parts.sql, kept, erased)
    return { dueAt: earliest, waiting: written.waiting }
  }, marking)
}

const answer = { http_status: 'BIGINT', response_head: 'TEXT', peer: 'TEXT' } as const
const successShape: Shape = { id: 'TEXT', token: 'TEXT', began_at: 'BIGINT', at: 'BIGINT', ...answer }
const succeed = `UPDATE webhook_deliveries SET status = 'succeeded', due_at = NULL, lease_token = NULL, resume_status = NULL,
    resume_at = NULL, attempts = attempts + 1, last_reason = NULL, last_http_status = given.http_status, finished_at = given.at,
    claimed_at = given.began_at, response_head = given.response_head, peer = given.peer
  FROM given WHERE webhook_deliveries.id = given.id AND webhook_deliveries.lease_token = given.token
  RETURNING webhook_deliveries.id AS id`

type Success = Ended & { result: AttemptResult }

/** Gives those whose attempt needs a row of its own. */
async function markSucceeded(tx: Tx, sql: RawSql, ended: readonly Success[], erased: ReadonlySet<string>): Promise<Ended[]> {
  const values: Value[] = []
  for (const { claimed, startedAt, endedAt, result } of ended) {
    const isKept = isFirstSuccess(claimed, result)
    values.push(claimed.id, claimed.token, startedAt, endedAt, result.httpStatus)
    values.push(isKept && !erased.has(claimed.eventId) ? result.responseHead : null, isKept ? result.peer : null)
  }
  const kept = new Set((await sql.each<{ id: string }>(tx, successShape, values, succeed)).map(({ id }) => id))
  const held = ended.filter(({ claimed }) => kept.has(claimed.id))
  await clearFailures(tx, sql, held)
  return held.filter(({ claimed, result }) => !isFirstSuccess(claimed, result))
}

const clear = 'UPDATE webhook_subscriptions SET dead_letters = 0, failing_since = NULL WHERE dead_letters > 0 AND id {ids}'

async function clearFailures(tx: Tx, sql: RawSql, succeeded: readonly Ended[]): Promise<void> {
  await sql.among(tx, clear, [...new Set(succeeded.map(({ claimed }) => claimed.subscriptionId))])
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

const attemptShape: Shape = {
  delivery_id: 'TEXT',
  n: 'BIGINT',
  trigger_word: 'TEXT',
  started_at: 'BIGINT',
  ended_at: 'BIGINT',
  outcome: 'TEXT',
  reason: 'TEXT',
  ...answer,
}
const insertAttempts = `INSERT INTO webhook_attempts (${Object.keys(attemptShape).join(', ').replace('trigger_word', '"trigger"')})
  SELECT * FROM given`

/** `n` follows the attempts that were counted and those that were cut off. */
async function logAttempts(tx: Tx, sql: RawSql, ended: readonly Ended[], erased: ReadonlySet<string>): Promise<void> {
  const values: Value[] = []
  for (const { claimed, startedAt, endedAt, result } of ended) {
    if (typeof result !== 'object') continue
    const { id, eventId, state } = claimed
    values.push(id, state.attempts + state.interrupted + 1, state.trigger, startedAt, endedAt, result.outcome, result.reason)
    values.push(result.httpStatus, erased.has(eventId) ? null : result.responseHead, result.peer)
  }
  await sql.each(tx, attemptShape, values, insertAttempts)
}

/** An answer may echo what was sent: where that was erased while the attempt ran, it is not kept. */
async function erasedAmong(tx: Tx, sql: RawSql, ended: readonly Ended[]): Promise<ReadonlySet<string>> {
  const asked = ended.filter(
    ({ claimed, result }) => readAtDial(claimed.type) && typeof result === 'object' && result.responseHead !== null,
  )
  const rows = await sql.among<{ id: string }>(
    tx,
    'SELECT id FROM domain_events WHERE scrubbed_at IS NOT NULL AND id {ids}',
    asked.map(({ claimed }) => claimed.eventId),
  )
  return new Set(rows.map(({ id }) => id))
}
