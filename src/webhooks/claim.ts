// Takes deliveries that are due, under a lease. What another process left in flight beyond its lease is found by the same
// index and goes through `retry.ts` like any other end of an attempt.
import type { Ids } from '../kernel/ids.ts'
import type { Store, Tx } from '../storage/store.ts'
import type { DeliveryRow } from '../storage/tables/webhooks.ts'
import type { Claimed } from './claimed.ts'
import { readAtDial } from './claimed.ts'
import type { RawSql } from './raw-sql.ts'
import { inList } from './raw-sql.ts'
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

type DueRow = Pick<DeliveryRow, 'id' | 'event_id' | 'type' | 'test_body' | 'claimed_at'> & DeliveryState

/** At most `limit` deliveries of one subscription, the longest due first. `hasMore`: the limit was reached. */
export async function claimDue(
  { store, sql, ids, leaseMs, delays }: ClaimParts,
  subscriptionId: string,
  limit: number,
  now: number,
): Promise<{ claimed: Claimed[]; hasMore: boolean }> {
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : ''
  return store.write(async (tx) => {
    const due = await sql.run<DueRow>(tx, selectDue + lock, [subscriptionId, now, limit])
    const token = ids.uuid()
    const until = now + leaseMs
    const claimed: Claimed[] = []
    let leftBehind = 0
    for (const { id, event_id: eventId, type, test_body: body, claimed_at: startedAt, ...before } of due) {
      const state = next(before, { type: 'claimed', until }, now, delays)
      if (state !== null) {
        claimed.push({ id, subscriptionId, eventId, type, state, token, claimedAt: now, body })
        continue
      }
      leftBehind++
      await writeInterruption(tx, { id, state: before, startedAt: startedAt ?? now }, now, delays)
    }
    await lease(tx, sql, claimed, token, until, now)
    await readBodies(tx, sql, claimed)
    return { claimed, hasMore: due.length === limit || leftBehind > 0 }
  })
}

async function lease(tx: Tx, sql: RawSql, claimed: readonly Claimed[], token: string, until: number, now: number): Promise<void> {
  if (claimed.length === 0) return
  const { marks, values } = inList(claimed.map(({ id }) => id))
  const text = `UPDATE webhook_deliveries SET status = 'in_flight', due_at = ?, lease_token = ?, claimed_at = ? WHERE id IN ${marks}`
  await sql.run(tx, text, [until, token, now, ...values])
}

async function readBodies(tx: Tx, sql: RawSql, claimed: readonly Claimed[]): Promise<void> {
  const wanted = claimed.filter(({ body, type }) => body === null && !readAtDial(type))
  if (wanted.length === 0) return
  const { marks, values } = inList(wanted.map(({ eventId }) => eventId))
  const rows = await sql.run<{ id: string; body: string }>(tx, `SELECT id, body FROM domain_events WHERE id IN ${marks}`, values)
  const bodies = new Map(rows.map(({ id, body }) => [id, body]))
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
