// Which deliveries an event becomes: one per subscription that asked for it, already claimed where there is a free slot.
import { deliveryId } from '../storage/delivery-id.ts'
import type { Store } from '../storage/store.ts'
import type { DomainEventRow } from '../storage/tables/events.ts'
import type { DeliveryRow } from '../storage/tables/webhooks.ts'
import type { ClaimParts } from './claim.ts'
import { type AttemptResult, type Claimed, type Ended, readAtDial } from './attempt.ts'
import type { Owners } from './endpoints.ts'
import type { RawSql } from './raw-sql.ts'
import { eventTypesOf } from './subscription.ts'

export interface ExpandParts extends ClaimParts {
  owners: Owners
}

export type Event = Pick<DomainEventRow, 'id' | 'account_id' | 'session_id' | 'type' | 'at' | 'body' | 'scrubbed_at'> & {
  /** 1: a process that died has written some of what it becomes. */
  is_partly: number | null
  /** Null where the session was deleted. */
  open_session_id: string | null
}

export interface Wanting {
  id: string
  account_id: string
  session_id: string | null
  event_types: string
  disabled_reason: string | null
  owner_credential_id: string | null
  created_at: number
}

export interface Planned {
  id: string
  subscriptionId: string
  event: Event
  status: DeliveryRow['status']
  dueAt: number | null
  claimed: Claimed | null
  createdAt: number
  /** How it ended before it was written. */
  ended: Ended | null
}

interface Wanted {
  /** Of the delivery. */
  id: string
  event: Event
  subscription: Wanting
}

interface Circumstances {
  revoked: ReadonlySet<string>
  /** How many deliveries of a subscription this process can take up at once. */
  room: (subscriptionId: string) => number
  now: number
}

const wantingColumns = 'id, account_id, session_id, event_types, disabled_reason, owner_credential_id, created_at'
const selectWanting = `SELECT ${wantingColumns} FROM webhook_subscriptions WHERE deleted_at IS NULL AND account_id {ids}`

/** The subscriptions of the accounts of these events, and which of them have lost their owner. */
export async function whoAsks(
  { store, sql, owners }: ExpandParts,
  events: readonly Event[],
): Promise<{ subscriptions: readonly Wanting[]; revoked: ReadonlySet<string> }> {
  const accounts = [...new Set(events.map((event) => event.account_id))]
  const subscriptions = await sql.among<Wanting>(store.read, selectWanting, accounts)
  const revoked = new Set<string>()
  for (const { id, disabled_reason, owner_credential_id, event_types } of subscriptions) {
    if (disabled_reason !== null || owner_credential_id === null) continue
    if (!(await owners.isAlive(owner_credential_id, eventTypesOf(event_types)))) revoked.add(id)
  }
  return { subscriptions, revoked }
}

/** Of these, what is there already of events that are written in part, left out. */
export async function unwritten(store: Store, sql: RawSql, wanted: readonly Wanted[]): Promise<readonly Wanted[]> {
  const ids = wanted.filter(({ event }) => event.is_partly === 1).map(({ id }) => id)
  if (ids.length === 0) return wanted
  const rows = await sql.among<{ id: string }>(store.read, 'SELECT id FROM webhook_deliveries WHERE id {ids}', ids)
  const written = new Set(rows.map(({ id }) => id))
  return wanted.filter(({ id }) => !written.has(id))
}

/** Each event with each subscription of its account that asked for its type, before it happened. */
export function match(events: readonly Event[], subscriptions: readonly Wanting[]): Wanted[] {
  const asked = subscriptions.map((subscription) => ({ subscription, types: new Set<string>(eventTypesOf(subscription.event_types)) }))
  const wanted: Wanted[] = []
  for (const event of events) {
    for (const { subscription, types } of asked) {
      const { id, account_id, session_id, created_at } = subscription
      if (account_id !== event.account_id || !types.has(event.type) || created_at > event.at) continue
      if (session_id !== null && session_id !== event.session_id) continue
      wanted.push({ id: deliveryId(id, event.id), event, subscription })
    }
  }
  return wanted
}

export function plan(wanted: readonly Wanted[], { revoked, room, now }: Circumstances, { ids, leaseMs }: ExpandParts): Planned[] {
  const token = ids.uuid()
  const left = new Map<string, number>()
  const bodies = new Map<Event, Uint8Array>()
  const bodyOf = (event: Event): Uint8Array => {
    let body = bodies.get(event)
    if (body === undefined) bodies.set(event, (body = Buffer.from(event.body)))
    return body
  }
  return wanted.map(({ id, event, subscription }) => {
    const { id: subscriptionId } = subscription
    const row = { id, subscriptionId, event, createdAt: now, ended: null }
    const isCalledBack = event.scrubbed_at !== null || event.open_session_id === null
    const isStopped = subscription.disabled_reason !== null || revoked.has(subscriptionId)
    if (isCalledBack || isStopped) return { ...row, status: isCalledBack ? 'canceled' : 'skipped', dueAt: null, claimed: null }
    const free = left.get(subscriptionId) ?? room(subscriptionId)
    if (free <= 0) return { ...row, status: 'pending', dueAt: now, claimed: null }
    left.set(subscriptionId, free - 1)
    const dueAt = now + leaseMs
    const state = { ...untried, status: 'in_flight', due_at: dueAt } as const
    const body = readAtDial(event.type) ? null : bodyOf(event)
    const { id: eventId, type } = event
    const claimed = { id, subscriptionId, eventId, type, state, token, claimedAt: now, body, draft: null }
    return { ...row, status: 'in_flight', dueAt, claimed }
  })
}

const untried = {
  trigger: 'automatic',
  chain_attempt: 0,
  attempts: 0,
  interrupted: 0,
  resume_status: null,
  resume_at: null,
  finished_at: null,
} as const

export function isSuccess(ended: Ended): ended is Ended & { result: AttemptResult } {
  return typeof ended.result === 'object' && ended.result.happening === 'succeeded'
}
