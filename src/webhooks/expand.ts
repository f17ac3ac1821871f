// Turns events of the outbox into deliveries: one row per subscription that wants the event, in the transaction that takes the
// event from the outbox. Where there is a free slot the row is written already claimed, which saves the claim.
import type { Tx } from '../storage/store.ts'
import type { DomainEventRow } from '../storage/tables/events.ts'
import type { DeliveryRow } from '../storage/tables/webhooks.ts'
import type { ClaimParts } from './claim.ts'
import type { Claimed } from './claimed.ts'
import { readAtDial } from './claimed.ts'
import type { Owners } from './owners.ts'
import { newId } from './prefixed-id.ts'
import type { RawSql, Value } from './raw-sql.ts'
import { chunks, inList, repeat } from './raw-sql.ts'
import { disableSubscription } from './stop.ts'
import { eventTypesOf } from './subscription.ts'

/** Registered as a consumer of the outbox. */
export const consumer = 'webhooks'
export const expandMax = 256

export interface ExpandParts extends ClaimParts {
  owners: Owners
}

export interface Expanded {
  /** Events read from the outbox; as many as the limit means that there may be more. */
  taken: number
  claimed: readonly Claimed[]
  /** Subscriptions with deliveries that nobody has claimed. */
  waiting: ReadonlySet<string>
  /** Age of the oldest event that was read. */
  lagMs: number
}

type Event = Pick<DomainEventRow, 'id' | 'account_id' | 'session_id' | 'type' | 'at' | 'body' | 'scrubbed_at'>

interface Wanting {
  id: string
  account_id: string
  session_id: string | null
  event_types: string
  disabled_reason: string | null
  owner_credential_id: string | null
  created_at: number
}

const selectEvents = `SELECT e.id, e.account_id, e.session_id, e.type, e.at, e.body, e.scrubbed_at
  FROM outbox o JOIN domain_events e ON e.id = o.event_id WHERE o.consumer = '${consumer}' ORDER BY o.event_id LIMIT ?`
const wantingColumns = 'id, account_id, session_id, event_types, disabled_reason, owner_credential_id, created_at'

/** `room`: how many deliveries of a subscription this process can take up at once. */
export async function expand(
  parts: ExpandParts,
  room: (subscriptionId: string) => number,
  now: number,
  limit = expandMax,
): Promise<Expanded> {
  const { store, sql } = parts
  const events = await sql.run<Event>(store.read, selectEvents, [limit])
  const [oldest] = events
  if (oldest === undefined) return { taken: 0, claimed: [], waiting: new Set(), lagMs: 0 }
  const accounts = inList([...new Set(events.map((event) => event.account_id))])
  const selectWanting = `SELECT ${wantingColumns} FROM webhook_subscriptions WHERE account_id IN ${accounts.marks} AND deleted_at IS NULL`
  const subscriptions = await sql.run<Wanting>(store.read, selectWanting, accounts.values)
  const revoked = new Set<string>()
  for (const { id, disabled_reason, owner_credential_id, event_types } of subscriptions) {
    if (disabled_reason === null && !(await parts.owners.isAlive(owner_credential_id, eventTypesOf(event_types)))) revoked.add(id)
  }
  const planned = await store.write(async (tx, ring) => {
    for (const id of revoked) await disableSubscription(tx, ring, id, 'owner_revoked', now)
    const taken = await takeEvents(
      tx,
      sql,
      events.map(({ id }) => id),
    )
    const wanted = match(
      events.filter(({ id }) => taken.has(id)),
      subscriptions,
    )
    if (wanted.length === 0) return []
    const open = await openSessions(tx, sql, [...new Set(wanted.map(({ event }) => event.session_id))])
    const rows = plan(wanted, { open, revoked, room, now }, parts)
    await insert(tx, sql, rows, now)
    return rows
  })
  return {
    taken: events.length,
    claimed: planned.flatMap(({ claimed }) => (claimed === null ? [] : [claimed])),
    waiting: new Set(planned.filter(({ status }) => status === 'pending').map(({ subscriptionId }) => subscriptionId)),
    lagMs: Math.max(0, now - oldest.at),
  }
}

/** Another process may have taken some of them meanwhile; what this gives is ours. */
async function takeEvents(tx: Tx, sql: RawSql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { marks, values } = inList(ids)
  const own = `SELECT event_id FROM outbox WHERE consumer = '${consumer}' AND event_id IN ${marks} FOR UPDATE SKIP LOCKED`
  const which = sql.dialect === 'postgres' ? `(${own})` : marks
  const text = `DELETE FROM outbox WHERE consumer = '${consumer}' AND event_id IN ${which} RETURNING event_id`
  return new Set((await sql.run<{ event_id: string }>(tx, text, values)).map((row) => row.event_id))
}

async function openSessions(tx: Tx, sql: RawSql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { marks, values } = inList(ids)
  return new Set((await sql.run<{ id: string }>(tx, `SELECT id FROM sessions WHERE id IN ${marks}`, values)).map(({ id }) => id))
}

interface Wanted {
  event: Event
  subscription: Wanting
}

/** Each event with each subscription of its account that asked for its type, before it happened. */
function match(events: readonly Event[], subscriptions: readonly Wanting[]): Wanted[] {
  const asked = subscriptions.map((subscription) => ({ subscription, types: new Set<string>(eventTypesOf(subscription.event_types)) }))
  const wanted: Wanted[] = []
  for (const event of events) {
    for (const { subscription, types } of asked) {
      const { account_id, session_id, created_at } = subscription
      const isOfSession = session_id === null || session_id === event.session_id
      if (account_id === event.account_id && isOfSession && types.has(event.type) && created_at <= event.at)
        wanted.push({ event, subscription })
    }
  }
  return wanted
}

interface Planned {
  id: string
  subscriptionId: string
  event: Event
  status: DeliveryRow['status']
  dueAt: number | null
  claimed: Claimed | null
}

interface Circumstances {
  open: ReadonlySet<string>
  revoked: ReadonlySet<string>
  room: (subscriptionId: string) => number
  now: number
}

function plan(wanted: readonly Wanted[], { open, revoked, room, now }: Circumstances, { ids, leaseMs }: ExpandParts): Planned[] {
  const token = ids.uuid()
  const left = new Map<string, number>()
  return wanted.map(({ event, subscription }) => {
    const { id: subscriptionId } = subscription
    const id = newId('dlv', ids, now)
    const isCalledBack = event.scrubbed_at !== null || !open.has(event.session_id)
    const isStopped = subscription.disabled_reason !== null || revoked.has(subscriptionId)
    if (isCalledBack || isStopped) {
      return { id, subscriptionId, event, status: isCalledBack ? 'canceled' : 'skipped', dueAt: null, claimed: null }
    }
    const free = left.get(subscriptionId) ?? room(subscriptionId)
    if (free <= 0) return { id, subscriptionId, event, status: 'pending', dueAt: now, claimed: null }
    left.set(subscriptionId, free - 1)
    const dueAt = now + leaseMs
    const state = { ...fresh, status: 'in_flight', due_at: dueAt } as const
    const body = readAtDial(event.type) ? null : event.body
    const claimed = { id, subscriptionId, eventId: event.id, type: event.type, state, token, claimedAt: now, body }
    return { id, subscriptionId, event, status: 'in_flight', dueAt, claimed }
  })
}

const fresh = {
  trigger: 'automatic',
  chain_attempt: 0,
  attempts: 0,
  interrupted: 0,
  resume_status: null,
  resume_at: null,
  finished_at: null,
} as const

const columns =
  'id, subscription_id, event_id, type, status, due_at, lease_token, claimed_at, created_at, finished_at, "trigger", chain_attempt, attempts, interrupted'
const rowText = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'automatic', 0, 0, 0)`

async function insert(tx: Tx, sql: RawSql, rows: readonly Planned[], now: number): Promise<void> {
  for (const chunk of chunks(rows)) {
    const text = `INSERT INTO webhook_deliveries (${columns}) VALUES ${repeat(rowText, chunk.length)} ON CONFLICT DO NOTHING`
    const values: Value[] = []
    for (const { id, subscriptionId, event, status, dueAt, claimed } of chunk) {
      const finishedAt = dueAt === null ? now : null
      values.push(
        id,
        subscriptionId,
        event.id,
        event.type,
        status,
        dueAt,
        claimed?.token ?? null,
        claimed?.claimedAt ?? null,
        now,
        finishedAt,
      )
    }
    await sql.run(tx, text, values)
  }
}
