// The queue of deliveries in the store: events become deliveries, those that are due are claimed under a lease, and how they ended is
// written. Each is one transaction over a group. A row whose lease was lost changes nothing.
import { type RawBuilder, sql } from 'kysely'
import { holdsContacts } from '@rostrum/contract/events'
import type { Ids } from '@rostrum/base/clock'
import type { Config } from '../config/config.ts'
import { deliveryId } from '../platform/db/deliveries.ts'
import { heldUnlessTaken } from '../platform/db/statements.ts'
import type { Store, Tx } from '../platform/db/store.ts'
import type { AttemptRow, DeliveryRow } from '../platform/db/tables.ts'
import type { AttemptResult, Claimed, Ended } from './attempt.ts'
import { type DeliveryState, isDeadLetter, next } from './delivery.ts'
import { countDeadLetter, disableSubscription, eventTypesOf } from './subscription.ts'

export interface QueueDeps {
  store: Store
  ids: Ids
  settings: Pick<Config, 'webhookTimeoutMs' | 'webhookRetryMs' | 'webhookDisableAfterMs'>
}

/** A lease outlives the attempt by this: five seconds in the queue and ten to spare. */
const leaseMarginMs = 15_000
const leaseMs = ({ webhookTimeoutMs }: QueueDeps['settings']): number => webhookTimeoutMs + leaseMarginMs

/** What cannot be signed is looked at again so much later: its secret may be there then. */
const unreadableMs = 60_000

type Ring = (topic: string) => void

/** Registered as a consumer of the outbox. */
const consumer = 'webhooks'
const eventsMax = 128
const byKey = { isByKey: true }
/** No more deliveries than this in one transaction, but for what one event becomes. */
const deliveriesMax = 512

const untried = {
  trigger: 'automatic',
  chain_attempt: 0,
  attempts: 0,
  interrupted: 0,
  resume_status: null,
  resume_at: null,
  finished_at: null,
} as const

/**
 * Turns the oldest events of the outbox into deliveries, one for each subscription that asked for the type before it happened. `room`: how
 * many of a subscription this process can take up at once: these it holds already, which saves the claim; the others wait. `lagMs`: the
 * age of the oldest event.
 */
export function expand({ store, ids, settings }: QueueDeps, room: (subscriptionId: string) => number, now: number) {
  return store.write(async (tx) => {
    const oldest = tx
      .selectFrom('outbox')
      .innerJoin('domain_events as e', 'e.id', 'outbox.event_id')
      .leftJoin('sessions as s', 's.id', 'e.session_id')
      .select(['e.id', 'e.account_id', 'e.session_id', 'e.type', 'e.at', 'e.body', 'e.scrubbed_at', 's.id as open_session_id'])
      .where('outbox.consumer', '=', consumer)
      .orderBy('outbox.event_id')
      .limit(eventsMax)
    const events = await heldUnlessTaken(tx, oldest, 'outbox').execute()
    const claimed: Claimed[] = []
    const waiting = new Set<string>()
    if (events.length === 0) return { events: 0, isMore: false, claimed, waiting, lagMs: 0 }
    const subscriptions = await tx
      .selectFrom('webhook_subscriptions')
      .select(['id', 'account_id', 'session_id', 'event_types', 'disabled_reason', 'created_at'])
      .where('account_id', 'in', [...new Set(events.map((event) => event.account_id))])
      .where('deleted_at', 'is', null)
      .execute()
    const asking = subscriptions.map((each) => ({ ...each, types: new Set<string>(eventTypesOf(each.event_types)) }))
    const token = ids.uuid()
    const left = new Map<string, number>()
    const rows: NewDelivery[] = []
    const done: string[] = []
    for (const event of events) {
      if (rows.length >= deliveriesMax) break
      done.push(event.id)
      const isCalledBack = event.scrubbed_at !== null || event.open_session_id === null
      let body: Uint8Array | null = null
      for (const { id: subscriptionId, types, ...of } of asking) {
        if (of.account_id !== event.account_id || !types.has(event.type) || of.created_at > event.at) continue
        if (of.session_id !== null && of.session_id !== event.session_id) continue
        const id = deliveryId(subscriptionId, event.id)
        const row = { id, subscription_id: subscriptionId, event_id: event.id, type: event.type, created_at: now }
        const free = left.get(subscriptionId) ?? room(subscriptionId)
        if (isCalledBack || of.disabled_reason !== null) {
          const status = isCalledBack ? 'canceled' : 'skipped'
          rows.push({ ...row, status, due_at: null, lease_token: null, claimed_at: null, finished_at: now })
        } else if (free <= 0) {
          waiting.add(subscriptionId)
          rows.push({ ...row, status: 'pending', due_at: now, lease_token: null, claimed_at: null, finished_at: null })
        } else {
          left.set(subscriptionId, free - 1)
          const state = { ...untried, status: 'in_flight', due_at: now + leaseMs(settings) } as const
          rows.push({ ...row, status: 'in_flight', due_at: state.due_at, lease_token: token, claimed_at: now, finished_at: null })
          if (!holdsContacts(event.type)) body ??= Buffer.from(event.body)
          claimed.push({ id, subscriptionId, eventId: event.id, type: event.type, state, token, claimedAt: now, body })
        }
      }
    }
    if (rows.length > 0) await insertDeliveries(store.dialect, rows).execute(tx)
    await tx.deleteFrom('outbox').where('consumer', '=', consumer).where('event_id', 'in', done).execute()
    const lagMs = Math.max(0, now - Math.min(...events.map(({ at }) => at)))
    return { events: done.length, isMore: events.length === eventsMax || done.length < events.length, claimed, waiting, lagMs }
  }, byKey)
}

const newDelivery = columns('id subscription_id event_id type status lease_token', 'due_at claimed_at created_at finished_at')
type NewDelivery = Pick<DeliveryRow, 'id' | 'subscription_id' | 'event_id' | 'type' | 'status' | 'lease_token' | 'due_at'> &
  Pick<DeliveryRow, 'claimed_at' | 'created_at' | 'finished_at'>

// `WHERE true` parts the ON of the conflict from that of a join.
const insertDeliveries = (dialect: Store['dialect'], rows: readonly object[]) =>
  sql`INSERT INTO webhook_deliveries (${columnsOf(newDelivery)}, attempts, "trigger", chain_attempt, interrupted)
    SELECT ${columnsOf(newDelivery)}, 0, 'automatic', 0, 0 FROM (${given(dialect, newDelivery, rows)}) AS given WHERE true
    ON CONFLICT DO NOTHING`

/**
 * Claims the longest due of each subscription. What another process left in flight beyond its lease is found by the same index: its
 * attempt is logged as interrupted, and made again. `more`: subscriptions whose limit was reached.
 */
export function claimDue(
  { store, ids, settings }: QueueDeps,
  /** How many deliveries of a subscription to claim at most. */
  wishes: readonly { subscriptionId: string; limit: number }[],
  now: number,
): Promise<{ claimed: Claimed[]; more: string[] }> {
  return store.write(async (tx) => {
    const token = ids.uuid()
    const until = now + leaseMs(settings)
    const delays = settings.webhookRetryMs
    const claimed: Claimed[] = []
    const more: string[] = []
    for (const { subscriptionId, limit } of wishes) {
      const due = tx
        .selectFrom('webhook_deliveries')
        .select(['id', 'event_id', 'type', 'test_body', 'claimed_at', 'status', 'trigger', 'chain_attempt', 'attempts', 'interrupted'])
        .select(['due_at', 'resume_status', 'resume_at', 'finished_at'])
        .where('subscription_id', '=', subscriptionId)
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(limit)
      const rows = await heldUnlessTaken(tx, due).execute()
      let hasMore = rows.length === limit
      for (const { id, event_id: eventId, type, test_body: text, claimed_at: startedAt, ...before } of rows) {
        const state = next(before, { type: 'claimed', until }, now, delays)
        if (state === null) {
          hasMore = true
          await writeInterruption(tx, id, before, startedAt ?? now, now, delays)
        } else {
          const body = text === null ? null : Buffer.from(text)
          claimed.push({ id, subscriptionId, eventId, type, state, token, claimedAt: now, body })
        }
      }
      if (hasMore) more.push(subscriptionId)
    }
    if (claimed.length > 0) {
      const these = claimed.map(({ id }) => id)
      const lease = { status: 'in_flight', due_at: until, lease_token: token, claimed_at: now } as const
      await tx.updateTable('webhook_deliveries').set(lease).where('id', 'in', these).execute()
      await readBodies(tx, claimed)
    }
    return { claimed, more }
  }, byKey)
}

async function readBodies(tx: Tx, claimed: readonly Claimed[]): Promise<void> {
  const wanted = claimed.filter(({ body, type }) => body === null && !holdsContacts(type))
  if (wanted.length === 0) return
  const eventIds = [...new Set(wanted.map(({ eventId }) => eventId))]
  const rows = await tx.selectFrom('domain_events').select(['id', 'body']).where('id', 'in', eventIds).execute()
  const bodies = new Map(rows.map(({ id, body }) => [id, Buffer.from(body)]))
  for (const each of wanted) each.body = bodies.get(each.eventId) ?? null
}

async function writeInterruption(
  tx: Tx,
  id: string,
  state: DeliveryState,
  startedAt: number,
  now: number,
  delays: readonly number[],
): Promise<void> {
  const after = next(state, { type: 'interrupted' }, now, delays)
  if (after === null) return
  await tx
    .updateTable('webhook_deliveries')
    .set({ ...after, lease_token: null, last_reason: 'interrupted' })
    .where('id', '=', id)
    .execute()
  const attempt = { outcome: 'interrupted', reason: 'interrupted', http_status: null, response_head: null, peer: null } as const
  await tx
    .insertInto('webhook_attempts')
    .values({ ...attempt, delivery_id: id, n: numberOf(state), trigger: state.trigger, started_at: startedAt, ended_at: now })
    .execute()
}

/** Of the attempt that is under way: it follows those that were counted and those that were cut off. */
const numberOf = ({ attempts, interrupted }: DeliveryState): number => attempts + interrupted + 1

/** The subscriptions that have something waiting or in flight, each with its earliest time: one index step for each. */
export async function findWork(store: Store): Promise<{ lanes: { id: string; dueAt: number }[]; hasEvents: boolean }> {
  const { rows } = await sql<{ id: string | null; due_at: number | null }>`WITH RECURSIVE lane(id) AS (
      SELECT MIN(subscription_id) FROM webhook_deliveries WHERE due_at IS NOT NULL
      UNION ALL
      SELECT (SELECT MIN(subscription_id) FROM webhook_deliveries WHERE due_at IS NOT NULL AND subscription_id > lane.id)
      FROM lane WHERE lane.id IS NOT NULL)
    SELECT id, (SELECT MIN(due_at) FROM webhook_deliveries WHERE due_at IS NOT NULL AND subscription_id = lane.id) AS due_at
    FROM lane WHERE id IS NOT NULL
    UNION ALL
    SELECT NULL, NULL FROM (SELECT MIN(event_id) AS first FROM outbox WHERE consumer = ${consumer}) AS waiting WHERE first IS NOT NULL`.execute(
    store.read,
  )
  const lanes = rows.flatMap(({ id, due_at: dueAt }) => (id === null || dueAt === null ? [] : [{ id, dueAt }]))
  return { lanes, hasEvents: lanes.length < rows.length }
}

export async function readBacklog(store: Store): Promise<{ count: number; dueAt: number | null }> {
  return store.read
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('due_at').as('dueAt')])
    .where('due_at', 'is not', null)
    .executeTakeFirstOrThrow()
}

/** Only for a process that alone uses the store: whoever held a lease is dead, so nothing waits for it to run out. */
export async function freeLeases(store: Store, now: number): Promise<void> {
  await store.write((tx) =>
    tx.updateTable('webhook_deliveries').set({ due_at: now }).where('due_at', 'is not', null).where('status', '=', 'in_flight').execute(),
  )
}

/** Writes how attempts ended: the deliveries, the log of attempts, what it means for the subscriptions. Gives when one is due again. */
export function writeEnds(deps: QueueDeps, ended: readonly Ended[]): Promise<number | null> {
  return deps.store.write(async (tx, ring) => {
    const kept = await writeSuccesses(tx, deps.store.dialect, ended.filter(isSuccess))
    let earliest: number | null = null
    for (const each of ended) {
      if (isSuccess(each)) continue
      const after = await writeOther(tx, ring, deps.settings, each)
      if (after === null) continue
      kept.push(each)
      if (after.due_at !== null) earliest = Math.min(earliest ?? after.due_at, after.due_at)
    }
    await logAttempts(tx, deps.store.dialect, kept)
    return earliest
  }, byKey)
}

type Success = Ended & { result: AttemptResult }
const isSuccess = (ended: Ended): ended is Success => typeof ended.result === 'object' && ended.result.happening === 'succeeded'
const isFirst = ({ trigger, attempts, interrupted }: DeliveryState): boolean => trigger === 'automatic' && attempts + interrupted === 0
const triedOf = ({ result }: Ended): AttemptResult | null => (typeof result === 'object' ? result : null)

const success = columns('id token response_head peer', 'began_at at http_status')

/** Gives those whose attempt is to be logged; that of the others is kept in its delivery. */
async function writeSuccesses(tx: Tx, dialect: Store['dialect'], ended: readonly Success[]): Promise<Ended[]> {
  if (ended.length === 0) return []
  const erased = await erasedAmong(tx, ended)
  const rows = ended.map(({ claimed: { id, token, eventId, state }, startedAt, endedAt, result: { httpStatus, responseHead, peer } }) => {
    const answer = isFirst(state) ? { response_head: erased.has(eventId) ? null : responseHead, peer } : null
    return { id, token, began_at: startedAt, at: endedAt, http_status: httpStatus, ...answer }
  })
  const written = await sql<{ id: string }>`UPDATE webhook_deliveries SET status = 'succeeded', due_at = NULL, lease_token = NULL,
      resume_status = NULL, resume_at = NULL, attempts = attempts + 1, last_reason = NULL, last_http_status = given.http_status,
      claimed_at = given.began_at, finished_at = given.at, response_head = given.response_head, peer = given.peer
    FROM (${given(dialect, success, rows)}) AS given
    WHERE webhook_deliveries.id = given.id AND webhook_deliveries.lease_token = given.token
    RETURNING webhook_deliveries.id AS id`.execute(tx)
  const ours = new Set(written.rows.map(({ id }) => id))
  const kept = ended.filter(({ claimed }) => ours.has(claimed.id))
  const subscriptions = [...new Set(kept.map(({ claimed }) => claimed.subscriptionId))]
  if (subscriptions.length > 0) {
    const cleared = { dead_letters: 0, failing_since: null }
    await tx.updateTable('webhook_subscriptions').set(cleared).where('dead_letters', '>', 0).where('id', 'in', subscriptions).execute()
  }
  return kept.filter(({ claimed }) => !isFirst(claimed.state))
}

/** Null where the lease was lost. */
async function writeOther(tx: Tx, ring: Ring, settings: QueueDeps['settings'], ended: Ended): Promise<DeliveryState | null> {
  const { claimed, endedAt, result } = ended
  const { id, token, state, subscriptionId } = claimed
  const tried = triedOf(ended)
  const why = result === 'unreadable' ? { last_reason: 'secret_unreadable' } : null
  const after = afterEnd(state, result, endedAt, settings.webhookRetryMs)
  const later = after.due_at === null ? after : { ...after, due_at: Math.max(after.due_at, tried?.retryAt ?? 0) }
  const final = later.due_at === null ? later : await calledBack(tx, later, claimed, endedAt)
  const changed = await tx
    .updateTable('webhook_deliveries')
    .set({ ...final, lease_token: null, ...(tried && { last_reason: tried.reason, last_http_status: tried.httpStatus }), ...why })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) return null
  if (isDeadLetter(state, after)) await countDeadLetter(tx, ring, claimed, endedAt, settings.webhookDisableAfterMs)
  if (tried?.happening === 'gone') await disableSubscription(tx, ring, subscriptionId, 'gone', endedAt)
  if (result === 'revoked') await disableSubscription(tx, ring, subscriptionId, 'owner_revoked', endedAt)
  return final
}

function afterEnd(state: DeliveryState, result: Ended['result'], now: number, delays: readonly number[]): DeliveryState {
  if (typeof result === 'object') return next(state, { type: result.happening }, now, delays) ?? state
  const released = next(state, { type: 'released' }, now, delays) ?? state
  if (result === 'released') return released
  if (result === 'unreadable') return { ...released, due_at: now + unreadableMs }
  return next(released, { type: result === 'cancel' ? 'cancel' : 'disable' }, now, delays) ?? released
}

/** It would be tried again: not if the subscription, the session or the payload is gone meanwhile. */
async function calledBack(tx: Tx, state: DeliveryState, { subscriptionId, eventId }: Claimed, now: number): Promise<DeliveryState> {
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

const attempted = columns('delivery_id trigger outcome reason response_head peer', 'n started_at ended_at http_status')

async function logAttempts(tx: Tx, dialect: Store['dialect'], ended: readonly Ended[]): Promise<void> {
  const erased = await erasedAmong(tx, ended)
  const rows = ended.flatMap((each): AttemptRow[] => {
    const { claimed, startedAt, endedAt } = each
    const tried = triedOf(each)
    if (tried === null) return []
    const { outcome, reason, httpStatus: http_status, peer } = tried
    const response_head = erased.has(claimed.eventId) ? null : tried.responseHead
    const { trigger } = claimed.state
    const times = { started_at: startedAt, ended_at: endedAt }
    return [{ delivery_id: claimed.id, n: numberOf(claimed.state), trigger, ...times, outcome, reason, http_status, response_head, peer }]
  })
  if (rows.length === 0) return
  await sql`INSERT INTO webhook_attempts (${columnsOf(attempted)})
    SELECT ${columnsOf(attempted)} FROM (${given(dialect, attempted, rows)}) AS given`.execute(tx)
}

/** An answer may echo what was sent: where that was erased while the attempt ran, it is not kept. */
async function erasedAmong(tx: Tx, ended: readonly Ended[]): Promise<ReadonlySet<string>> {
  const asked = ended.filter((each) => holdsContacts(each.claimed.type) && typeof triedOf(each)?.responseHead === 'string')
  if (asked.length === 0) return new Set()
  const ids = asked.map(({ claimed }) => claimed.eventId)
  const rows = await tx.selectFrom('domain_events').select('id').where('scrubbed_at', 'is not', null).where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

type Columns = Readonly<Record<string, 'TEXT' | 'BIGINT'>>

function columns(texts: string, numbers: string): Columns {
  const of = (names: string, type: 'TEXT' | 'BIGINT') => names.split(' ').map((name) => [name, type] as const)
  return Object.fromEntries([...of(texts, 'TEXT'), ...of(numbers, 'BIGINT')])
}

const columnsOf = (columns: Columns) => sql.join(Object.keys(columns).map((name) => sql.ref(name)))

/** Gives each row in a form that is not parsed for every member; SQLite has it since 3.51. */
const eachOf = sql.raw(Number(process.versions['sqlite']?.split('.')[1]) >= 51 ? 'jsonb_each' : 'json_each')

/** A group of rows as one parameter: the text of a statement over them is the same for one and for many. */
function given(dialect: Store['dialect'], columns: Columns, rows: readonly object[]): RawBuilder<unknown> {
  const names = Object.keys(columns)
  const json = JSON.stringify(rows)
  return dialect === 'postgres'
    ? sql`SELECT * FROM json_to_recordset(${json}::json) AS each(${sql.join(names.map((name) => sql`${sql.ref(name)} ${sql.raw(columns[name] ?? 'TEXT')}`))})`
    : sql`SELECT ${sql.join(names.map((name) => sql`value ->> ${sql.lit(name)} AS ${sql.ref(name)}`))} FROM ${eachOf}(${json})`
}
