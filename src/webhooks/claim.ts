// Takes deliveries that are due, under a lease. What another process left in flight beyond its lease is found by the same
// index and goes through `retry.ts` like any other end of an attempt.
import type { Ids } from '../kernel/ids.ts'
import type { Store, Tx } from '../storage/store.ts'
import type { DeliveryRow } from '../storage/tables/webhooks.ts'
import { type Claimed, readAtDial } from './attempt.ts'
import type { RawSql } from './raw-sql.ts'
import type { DeliveryState } from './retry.ts'
import { next } from './retry.ts'

export interface ClaimParts {
  store: Store
  sql: RawSql
  ids: Ids
  /** Longer than any attempt. */
  leaseMs: number
  delays: readonly number[]
}

const stateColumns = 'status, "trigger", chain_attempt, attempts, interrupted, due_at, resume_status, resume_at, finished_at'
const selectDue = `SELECT id, event_id, type, test_body, claimed_at, ${stateColumns} FROM webhook_deliveries
  WHERE subscription_id = ? AND due_at <= ? ORDER BY due_at LIMIT ?`
const leaseThese = `UPDATE webhook_deliveries SET status = 'in_flight', due_at = ?, lease_token = ?, claimed_at = ? WHERE id {ids}`

type DueRow = Pick<DeliveryRow, 'id' | 'event_id' | 'type' | 'test_body' | 'claimed_at'> & DeliveryState

/** How many deliveries of a subscription to take at most. */
export interface Wish {
  subscriptionId: string
  limit: number
}

/** The longest due first, of each subscription. `more`: subscriptions whose limit was reached. */
export async function claimDue(
  { store, sql, ids, leaseMs, delays }: ClaimParts,
  wishes: readonly Wish[],
  now: number,
): Promise<{ claimed: Claimed[]; more: string[] }> {
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : ''
  return store.write(async (tx) => {
    const token = ids.uuid()
    const until = now + leaseMs
    const claimed: Claimed[] = []
    const more: string[] = []
    for (const { subscriptionId, limit } of wishes) {
      const due = await sql.run<DueRow>(tx, selectDue + lock, [subscriptionId, now, limit])
      let hasMore = due.length === limit
      for (const { id, event_id: eventId, type, test_body: text, claimed_at: startedAt, ...before } of due) {
        const state = next(before, { type: 'claimed', until }, now, delays)
        if (state !== null) {
          const body = text === null ? null : Buffer.from(text)
          claimed.push({ id, subscriptionId, eventId, type, state, token, claimedAt: now, body, draft: null })
          continue
        }
        hasMore = true
        await writeInterruption(tx, { id, state: before, startedAt: startedAt ?? now }, now, delays)
      }
      if (hasMore) more.push(subscriptionId)
    }
    await sql.among(
      tx,
      leaseThese,
      claimed.map(({ id }) => id),
      [until, token, now],
    )
    await readBodies(tx, sql, claimed)
    return { claimed, more }
  })
}

async function readBodies(tx: Tx, sql: RawSql, claimed: readonly Claimed[]): Promise<void> {
  const wanted = claimed.filter(({ body, type }) => body === null && !readAtDial(type))
  const rows = await sql.among<{ id: string; body: string }>(
    tx,
    'SELECT id, body FROM domain_events WHERE id {ids}',
    wanted.map(({ eventId }) => eventId),
  )
  const bodies = new Map(rows.map(({ id, body }) => [id, Buffer.from(body)]))
  for (const each of wanted) each.body = bodies.get(each.eventId) ?? null
}

interface LeftBehind {
  id: string
  state: DeliveryState
  startedAt: number
}

/** Its process died: the attempt is logged as interrupted and made again. */
async function writeInterruption(tx: Tx, { id, state, startedAt }: LeftBehind, now: number, delays: readonly number[]): Promise<void> {
  const after = next(state, { type: 'interrupted' }, now, delays)
  if (after === null) return
  await tx
    .updateTable('webhook_deliveries')
    .set({ ...after, lease_token: null, last_reason: 'interrupted' })
    .where('id', '=', id)
    .execute()
  await tx
    .insertInto('webhook_attempts')
    .values({
      delivery_id: id,
      n: state.attempts + state.interrupted + 1,
      trigger: state.trigger,
      started_at: startedAt,
      ended_at: now,
      outcome: 'interrupted',
      reason: 'interrupted',
      http_status: null,
      response_head: null,
      peer: null,
    })
    .execute()
}

/** The subscriptions that have something waiting or in flight, each with its earliest time. One index step per subscription. */
const selectLanes = `WITH RECURSIVE lane(id) AS (
    SELECT MIN(subscription_id) FROM webhook_deliveries WHERE due_at IS NOT NULL
    UNION ALL
    SELECT (SELECT MIN(subscription_id) FROM webhook_deliveries WHERE due_at IS NOT NULL AND subscription_id > lane.id)
    FROM lane WHERE lane.id IS NOT NULL)
  SELECT id, (SELECT MIN(due_at) FROM webhook_deliveries WHERE due_at IS NOT NULL AND subscription_id = lane.id) AS due_at
  FROM lane WHERE id IS NOT NULL`

export function listLanes({ store, sql }: Pick<ClaimParts, 'store' | 'sql'>): Promise<readonly { id: string; due_at: number }[]> {
  return sql.run(store.read, selectLanes, [])
}

/** Only for a process that alone uses the store: whoever held a lease is dead, so nothing waits for it to run out. */
export async function freeLeases(store: Store, now: number): Promise<void> {
  await store.write((tx) =>
    tx.updateTable('webhook_deliveries').set({ due_at: now }).where('due_at', 'is not', null).where('status', '=', 'in_flight').execute(),
  )
}
