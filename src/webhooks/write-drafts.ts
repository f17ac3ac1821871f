// Writes deliveries for the first time, together with what became of them, and takes their events from the outbox.
import type { Tx } from '../storage/store.ts'
import type { Ended } from './attempt.ts'
import type { Batch } from './drafts.ts'
import type { Planned } from './plan.ts'
import { isSuccess } from './plan.ts'
import type { RawSql, Shape, Value } from './raw-sql.ts'
import { consumer } from './take-events.ts'

export interface Written {
  ended: readonly Ended[]
  /** Subscriptions with deliveries that nobody has claimed. */
  waiting: ReadonlySet<string>
}

export interface DraftParts {
  sql: RawSql
  /** Of the events that this process holds in the outbox; null where it alone uses the store. */
  leaseToken: string | null
}

/**
 * Of an event that another process has taken meanwhile nothing is written: that process sends it. `erased`: events whose answers
 * must not be kept.
 */
export async function writeDrafts(
  tx: Tx,
  { sql, leaseToken }: DraftParts,
  batches: readonly Batch[],
  erased: ReadonlySet<string>,
): Promise<Written> {
  if (batches.length === 0) return { ended: [], waiting: new Set() }
  const ours = await stillOurs(tx, sql, batches, leaseToken)
  const rows = batches.flatMap((batch) => (ours.has(batch.event.id) ? batch.rows : []))
  const waiting = rows.filter(({ status }) => status === 'pending')
  // Whoever deleted the session meanwhile has called back what waited, and could not see these.
  const open = await openSessions(tx, sql, waiting)
  const isOver = ({ status, event }: Planned) => status === 'pending' && !open.has(event.session_id)
  await insert(
    tx,
    sql,
    rows.map((row) => (isOver(row) ? { ...row, status: 'canceled' as const, dueAt: null } : row)),
    erased,
  )
  return {
    ended: rows.flatMap(({ ended }) => (ended === null ? [] : [ended])),
    waiting: new Set(waiting.map(({ subscriptionId }) => subscriptionId)),
  }
}

/** The events that nobody has taken from us: those of which nothing is left are taken out, the others marked. */
async function stillOurs(tx: Tx, sql: RawSql, batches: readonly Batch[], leaseToken: string | null): Promise<ReadonlySet<string>> {
  const isAlone = leaseToken === null
  const [isHeld, held] = isAlone ? ['', ''] : [' AND lease_token = ?', ' RETURNING event_id']
  const of = `WHERE consumer = '${consumer}'${isHeld} AND event_id {ids}${held}`
  // Who is alone need not ask whether an event is still theirs, nor mark it twice.
  const ours = new Set<string>(isAlone ? batches.map(({ event }) => event.id) : [])
  const change = async (text: string, some: readonly Batch[]): Promise<void> => {
    const ids = some.map(({ event }) => event.id)
    for (const { event_id: id } of await sql.among<{ event_id: string }>(tx, text, ids, isAlone ? [] : [leaseToken])) ours.add(id)
  }
  await change(
    `DELETE FROM outbox ${of}`,
    batches.filter(({ isLast }) => isLast),
  )
  await change(
    `UPDATE outbox SET is_partly = 1 ${of}`,
    batches.filter(({ event, isLast }) => !isLast && !(isAlone && event.is_partly === 1)),
  )
  return ours
}

async function openSessions(tx: Tx, sql: RawSql, rows: readonly Planned[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(rows.map(({ event }) => event.session_id))]
  const open = await sql.among<{ id: string }>(tx, 'SELECT id FROM sessions WHERE id {ids}', ids)
  return new Set(open.map(({ id }) => id))
}

const key = { id: 'TEXT', subscription_id: 'TEXT', event_id: 'TEXT', type: 'TEXT', claimed_at: 'BIGINT', created_at: 'BIGINT' } as const
const keyColumns = Object.keys(key).join(', ')

const answer = { finished_at: 'BIGINT', http_status: 'BIGINT', response_head: 'TEXT', peer: 'TEXT' } as const
const succeededShape: Shape = { ...key, ...answer }
// `WHERE true` parts the ON of the conflict from that of a join.
const insertSucceeded = `INSERT INTO webhook_deliveries
  (${keyColumns}, finished_at, last_http_status, response_head, peer, status, attempts, "trigger", chain_attempt, interrupted)
  SELECT ${keyColumns}, ${Object.keys(answer).join(', ')}, 'succeeded', 1, 'automatic', 0, 0 FROM given WHERE true ON CONFLICT DO NOTHING`

const plannedShape: Shape = { ...key, finished_at: 'BIGINT', status: 'TEXT', due_at: 'BIGINT', lease_token: 'TEXT' }
const insertPlanned = `INSERT INTO webhook_deliveries
  (${keyColumns}, finished_at, status, due_at, lease_token, attempts, "trigger", chain_attempt, interrupted)
  SELECT ${keyColumns}, finished_at, status, due_at, lease_token, 0, 'automatic', 0, 0 FROM given WHERE true ON CONFLICT DO NOTHING`

/** One that has succeeded meanwhile is written as it ended; every other as it was planned, so that its end can follow. */
async function insert(tx: Tx, sql: RawSql, rows: readonly Planned[], erased: ReadonlySet<string>): Promise<void> {
  const succeeded: Value[] = []
  const planned: Value[] = []
  for (const { id, subscriptionId, event, status, dueAt, claimed, createdAt, ended } of rows) {
    if (claimed !== null && ended !== null && isSuccess(ended)) {
      const { httpStatus, responseHead, peer } = ended.result
      succeeded.push(id, subscriptionId, event.id, event.type, ended.startedAt, createdAt, ended.endedAt, httpStatus)
      succeeded.push(erased.has(event.id) ? null : responseHead, peer)
    } else {
      const finishedAt = dueAt === null ? createdAt : null
      planned.push(id, subscriptionId, event.id, event.type, claimed?.claimedAt ?? null, createdAt, finishedAt, status, dueAt)
      planned.push(claimed?.token ?? null)
    }
  }
  await sql.each(tx, succeededShape, succeeded, insertSucceeded)
  await sql.each(tx, plannedShape, planned, insertPlanned)
}
