// Domain events and the outbox (spec 6): a fact is appended in the transaction of the change it reports, so that it is
// neither lost nor told of a change that never happened. Consumers have one outbox row per event as their cursor.
import type { NewDomainEvent } from '@rostrum/contract/events'
import { iso, systemIds, uuidV7Hex } from '@rostrum/base/clock'
import { prepared } from './statements.ts'
import { contextOf, type OutboxSettings, ringAfter, type Tx } from './store.ts'
import type { DomainEventRow, OutboxRow, Tables } from './tables.ts'

/** No member of an event is unbounded, so a larger body is a bug of ours. */
const bodyMaxBytes = 64 * 1024

/** Rung after an append commits. */
export const outboxTopic = 'outbox'

const takeSequence = prepared((db, of: { id: string; accountId: string }) =>
  db
    .updateTable('sessions')
    .set((row) => ({ event_seq: row('event_seq', '+', 1) }))
    .where('id', '=', of.id)
    .where('account_id', '=', of.accountId)
    .returning(['id', 'title', 'slug', 'status', 'mode', 'event_seq']),
)

const putEvent = prepared((db, event: DomainEventRow) =>
  db
    .insertInto('domain_events')
    .values(event)
    .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
    .returning('id'),
)

const putOutbox = prepared((db, rows: readonly OutboxRow[]) => db.insertInto('outbox').values(rows))

/**
 * Appends `event` and leaves an outbox row for every consumer. The session's counter row is locked until the transaction ends:
 * `sequence` is gapless from 1 and rises in commit order. Returns null, and uses no number, when the `dedupeKey` was appended
 * before or the session is gone. A rehearsal never calls this.
 */
export async function append(tx: Tx, event: NewDomainEvent): Promise<DomainEventRow | null> {
  const { outbox } = contextOf(tx)
  const [session] = await takeSequence(tx, { id: event.sessionId, accountId: event.accountId })
  if (session === undefined) return null
  const row = rowOf(event, session, outbox)
  if ((await putEvent(tx, row)).length === 0) {
    await moveSequence(tx, event.sessionId, -1)
    return null
  }
  await handOut(tx, [row])
  return row
}

/** Appends events of one session in their order, each as `append` does, in as few statements as one of them takes. */
export async function appendAll(tx: Tx, events: readonly NewDomainEvent[]): Promise<void> {
  const [first] = events
  if (first === undefined) return
  if (events.length === 1) return void (await append(tx, first))
  if (events.some(({ sessionId }) => sessionId !== first.sessionId)) throw new Error('Append the events of one session at a time.')
  const session = await tx
    .updateTable('sessions')
    // Changes nothing and locks the counter: what is found below stays true until the end of the transaction.
    .set((eb) => ({ event_seq: eb.ref('event_seq') }))
    .where('id', '=', first.sessionId)
    .where('account_id', '=', first.accountId)
    .returning(['id', 'title', 'slug', 'status', 'mode', 'event_seq'])
    .executeTakeFirst()
  if (session === undefined) return
  const byKey = new Map(events.toReversed().map((event) => [event.dedupeKey, event]))
  const known = await tx
    .selectFrom('domain_events')
    .select('dedupe_key')
    .where('dedupe_key', 'in', [...byKey.keys()])
    .execute()
  for (const { dedupe_key } of known) byKey.delete(dedupe_key)
  const fresh = events.filter((event) => byKey.get(event.dedupeKey) === event)
  const { outbox } = contextOf(tx)
  const rows = fresh.map((event, at) => rowOf(event, { ...session, event_seq: session.event_seq + at + 1 }, outbox))
  if (rows.length === 0) return
  await tx.insertInto('domain_events').values(rows).execute()
  await moveSequence(tx, session.id, rows.length)
  await handOut(tx, rows)
}

type Numbered = Pick<Tables['sessions'], 'id' | 'title' | 'slug' | 'status' | 'mode' | 'event_seq'>

function rowOf(event: NewDomainEvent, session: Numbered, outbox: OutboxSettings): DomainEventRow {
  const id = `msg_${uuidV7Hex(systemIds, event.at)}`
  const body = JSON.stringify({
    type: event.type,
    timestamp: iso(event.at),
    id,
    data: {
      sequence: session.event_seq,
      session: {
        id: session.id,
        title: session.title,
        slug: session.slug,
        status: session.status,
        mode: session.mode,
        roomUrl: `${outbox.baseUrl}/join/${session.slug}`,
      },
      ...event.data,
    },
  })
  if (Buffer.byteLength(body) > bodyMaxBytes) throw new Error(`The body of ${event.type} exceeds ${bodyMaxBytes} bytes.`)
  return {
    id,
    account_id: event.accountId,
    session_id: event.sessionId,
    sequence: session.event_seq,
    type: event.type,
    at: event.at,
    dedupe_key: event.dedupeKey,
    body,
    scrubbed_at: null,
  }
}

async function handOut(tx: Tx, rows: readonly DomainEventRow[]): Promise<void> {
  const { consumers } = contextOf(tx).outbox
  if (consumers.length === 0) return
  await putOutbox(
    tx,
    rows.flatMap(({ id }) => consumers.map((consumer) => ({ consumer, event_id: id }))),
  )
  ringAfter(tx, outboxTopic)
}

/** Safe because the counter row stays locked from the increment to the end of the transaction. */
async function moveSequence(tx: Tx, sessionId: string, by: number): Promise<void> {
  await tx
    .updateTable('sessions')
    .set((eb) => ({ event_seq: eb('event_seq', '+', by) }))
    .where('id', '=', sessionId)
    .execute()
}
