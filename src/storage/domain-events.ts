// Domain events and the outbox (spec 6): a fact is appended in the transaction of the change it reports, so that it is
// neither lost nor told of a change that never happened. Consumers have one outbox row per event as their cursor.
import { sql } from 'kysely'
import type { NewDomainEvent } from '../kernel/events.ts'
import { systemIds, uuidV7 } from '../kernel/ids.ts'
import type { Reader, Tx } from './store.ts'
import type { DomainEventRow } from './tables/events.ts'
import { contextOf, ringAfter } from './transaction-context.ts'

/** No member of an event is unbounded, so a larger body is a bug of ours. */
const bodyMaxBytes = 64 * 1024

/** Rung after an append commits. */
export const outboxTopic = 'outbox'

/**
 * Appends `event` and leaves an outbox row for every consumer. The session's counter row is locked until the transaction ends:
 * `sequence` is gapless from 1 and rises in commit order. Returns null, and uses no number, when the `dedupeKey` was appended
 * before or the session is gone. A rehearsal never calls this.
 */
export async function append(tx: Tx, event: NewDomainEvent): Promise<DomainEventRow | null> {
  const { outbox } = contextOf(tx)
  const session = await tx
    .updateTable('sessions')
    .set((eb) => ({ event_seq: eb('event_seq', '+', 1) }))
    .where('id', '=', event.sessionId)
    .where('account_id', '=', event.accountId)
    .returning(['id', 'title', 'slug', 'status', 'mode', 'event_seq'])
    .executeTakeFirst()
  if (session === undefined) return null
  const id = `msg_${uuidV7(systemIds, event.at).replaceAll('-', '')}`
  const body = JSON.stringify({
    type: event.type,
    timestamp: new Date(event.at).toISOString(),
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
  const row: DomainEventRow = {
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
  const inserted = await tx
    .insertInto('domain_events')
    .values(row)
    .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) {
    await giveBackSequence(tx, event.sessionId)
    return null
  }
  if (outbox.consumers.length > 0) {
    await tx
      .insertInto('outbox')
      .values(outbox.consumers.map((consumer) => ({ consumer, event_id: id })))
      .execute()
    ringAfter(tx, outboxTopic)
  }
  return row
}

/** Safe because the counter row stays locked from the increment to the end of the transaction. */
async function giveBackSequence(tx: Tx, sessionId: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ event_seq: sql<number>`event_seq - 1` })
    .where('id', '=', sessionId)
    .execute()
}

/** The oldest events that `consumer` has still to take, each session's in `sequence` order. */
export async function readOutbox(read: Reader, consumer: string, limit: number): Promise<DomainEventRow[]> {
  return read
    .selectFrom('outbox')
    .innerJoin('domain_events', 'domain_events.id', 'outbox.event_id')
    .selectAll('domain_events')
    .where('outbox.consumer', '=', consumer)
    .orderBy('domain_events.at')
    .orderBy('domain_events.session_id')
    .orderBy('domain_events.sequence')
    .limit(limit)
    .execute()
}

/** Moves the consumer past these events, in the transaction that records what it did with them. */
export async function takeFromOutbox(tx: Tx, consumer: string, eventIds: readonly string[]): Promise<void> {
  if (eventIds.length === 0) return
  await tx.deleteFrom('outbox').where('consumer', '=', consumer).where('event_id', 'in', eventIds).execute()
}
