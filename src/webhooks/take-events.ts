// Takes events from the outbox, where they stay until what they become is written. Who uses the store alone only reads them;
// where processes share it, each leases what it takes, so that nobody else sends it.
import type { Ids } from '../kernel/ids.ts'
import type { Store } from '../storage/store.ts'
import type { Event } from './plan.ts'
import type { RawSql } from './raw-sql.ts'

/** Registered as a consumer of the outbox. */
export const consumer = 'webhooks'

export interface TakeParts {
  store: Store
  sql: RawSql
  ids: Ids
  /** Longer than any attempt. */
  leaseMs: number
}

export interface EventSource {
  /** Up to `limit` events, oldest first, that are not held already; `held` makes a set anew. */
  next(limit: number, held: () => Set<string>, now: number): Promise<readonly Event[]>
  /** What the row of an event in the outbox must say for it to be ours; null where nobody else could have taken it. */
  readonly leaseToken: string | null
}

/** An event may be committed after others with a greater id, or held by a process that died: all are looked through this often. */
const wholeMs = 1_000

const eventColumns = `e.id, e.account_id, e.session_id, e.type, e.at, e.body, e.scrubbed_at, o.is_partly, s.id AS open_session_id`
const besides = 'JOIN domain_events e ON e.id = o.event_id LEFT JOIN sessions s ON s.id = e.session_id'
const eventTables = `outbox o ${besides}`
const ofOurs = `consumer = '${consumer}'`
const selectAfter = `SELECT ${eventColumns} FROM ${eventTables} WHERE o.${ofOurs} AND o.event_id > ? ORDER BY o.event_id LIMIT ?`
const selectThese = `SELECT ${eventColumns} FROM ${eventTables} WHERE o.${ofOurs} AND o.event_id {ids}`
/** Locks rows, writes whose they are where they lie, and reads what they say, in one message. PostgreSQL's alone. */
const leaseNext = `WITH free AS MATERIALIZED (
    SELECT ctid FROM outbox WHERE ${ofOurs} AND event_id > ? AND (lease_until IS NULL OR lease_until <= ?)
    ORDER BY event_id LIMIT ? FOR UPDATE SKIP LOCKED),
  o AS (UPDATE outbox SET lease_token = ?, lease_until = ? FROM free WHERE outbox.ctid = free.ctid RETURNING event_id, is_partly)
  SELECT ${eventColumns} FROM o ${besides}`
const selectAll = `SELECT event_id FROM outbox WHERE ${ofOurs} ORDER BY event_id LIMIT ?`

/** What a crash of the database forgets of this is sent twice at worst. */
const taking = { isByKey: true, isForgettable: true }

export function createEventSource({ store, sql, ids, leaseMs }: TakeParts): EventSource {
  // One process at a time has the embedded store open to send from.
  const isAlone = sql.dialect === 'sqlite'
  const token = ids.uuid()
  let last = ''
  let wholeAt = Number.NEGATIVE_INFINITY

  async function read(limit: number, held: () => Set<string>): Promise<readonly Event[]> {
    const events = await sql.run<Event>(store.read, selectAfter, [last, limit])
    last = events.at(-1)?.id ?? last
    if (events.length === limit) return events
    // An event may be committed after others with a greater id. What is being written while this is read is known too.
    const known = held()
    for (const { id } of events) known.add(id)
    const all = await sql.run<{ event_id: string }>(store.read, selectAll, [known.size + limit])
    const missed = all.map(({ event_id: id }) => id).filter((id) => !known.has(id))
    if (missed.length === 0) return events
    return [...(await sql.among<Event>(store.read, selectThese, missed)), ...events].slice(0, limit)
  }

  async function leased(limit: number, now: number): Promise<readonly Event[]> {
    const events = await store.write(async (tx) => {
      const take = (after: string, most: number) => sql.run<Event>(tx, leaseNext, [after, now, most, token, now + leaseMs])
      // Behind what was taken before: all that has left the outbox since the last vacuum would be passed over each time.
      const isWhole = now - wholeAt >= wholeMs
      const taken = [...(await take(isWhole ? '' : last, limit))]
      if (isWhole || taken.length < limit) wholeAt = now
      if (!isWhole && taken.length < limit) taken.push(...(await take('', limit - taken.length)))
      for (const { id } of taken) if (id > last) last = id
      return taken
    }, taking)
    return events.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  return {
    leaseToken: isAlone ? null : token,
    async next(limit, held, now) {
      if (isAlone) return read(limit, held)
      // What is leased anew because its write takes so long.
      const known = held()
      return (await leased(limit, now)).filter(({ id }) => !known.has(id))
    },
  }
}
