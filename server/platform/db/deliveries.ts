// Deliveries and events in the store, as more than webhooks needs them: their ids, and how they are called back and emptied of personal data.
import { type ExpressionBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Tx } from './store.ts'
import type { Tables } from './tables.ts'
import { timeDigits } from '@rostrum/base/clock'

const envelope = z.looseObject({ data: z.looseObject({ sequence: z.number(), session: z.unknown() }) })
const naming = z.looseObject({ data: z.looseObject({ attendee: z.looseObject({ id: z.string(), name: z.string().nullable() }) }) })
const isNaming = (event: unknown): event is z.output<typeof naming> => naming.safeParse(event).success

/**
 * Empties the event of `dedupeKey`, if there is one: only its sequence and session remain. Deliveries that wait are cancelled,
 * and answers that may echo the data are forgotten. Whoever sends events must look at `scrubbed_at` before it does.
 */
export async function scrubEvent(tx: Tx, dedupeKey: string, now: number): Promise<void> {
  const event = await tx.selectFrom('domain_events').select(['id', 'body']).where('dedupe_key', '=', dedupeKey).executeTakeFirst()
  if (event === undefined) return
  const kept = envelope.parse(JSON.parse(event.body))
  const body = JSON.stringify({ ...kept, data: { sequence: kept.data.sequence, session: kept.data.session } })
  await tx.updateTable('domain_events').set({ body, scrubbed_at: now }).where('id', '=', event.id).execute()
  const found = await tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('event_id', '=', event.id)
    // Said in the text, because there is an index of such.
    .where('type', 'in', [sql.lit('lead.captured'), sql.lit('lead.updated')])
    .execute()
  const deliveries = found.map(({ id }) => id)
  if (deliveries.length === 0) return
  await stopWaiting(tx, 'canceled', now, (eb) => eb.and([eb('id', 'in', deliveries)]))
  await forgetAnswers(tx, deliveries)
}

async function forgetAnswers(tx: Tx, deliveries: readonly string[]): Promise<void> {
  if (deliveries.length === 0) return
  await tx.updateTable('webhook_deliveries').set({ response_head: null }).where('id', 'in', deliveries).execute()
  await tx.updateTable('webhook_attempts').set({ response_head: null }).where('delivery_id', 'in', deliveries).execute()
}

/** To whichever subscription; those of a deleted one are kept with it. */
async function deliveriesOf(tx: Tx, eventId: string): Promise<string[]> {
  const found = await tx
    .selectFrom('domain_events')
    .innerJoin('webhook_subscriptions', (join) => join.onTrue())
    .innerJoin('webhook_deliveries', (join) =>
      join.on('webhook_deliveries.id', '=', deliveryIdOf('webhook_subscriptions.id', 'domain_events.id')),
    )
    .select('webhook_deliveries.id')
    .where('domain_events.id', '=', eventId)
    .execute()
  return found.map(({ id }) => id)
}

/**
 * Takes the name of the attendee out of the events of these `dedupeKeys` that name them, and out of those whose key begins with one of
 * `prefixes`. The events stay good and are delivered as before; answers that may echo the name are forgotten.
 */
export async function eraseAttendeeName(
  tx: Tx,
  attendeeId: string,
  { dedupeKeys, prefixes }: { dedupeKeys: readonly string[]; prefixes: readonly string[] },
): Promise<void> {
  const events = await tx
    .selectFrom('domain_events')
    .select(['id', 'body'])
    .where((eb) =>
      eb.or([
        eb('dedupe_key', 'in', dedupeKeys),
        ...prefixes.map((prefix) => eb.and([eb('dedupe_key', '>=', prefix), eb('dedupe_key', '<', `${prefix}~`)])),
      ]),
    )
    .execute()
  for (const { id, body } of events) {
    const event: unknown = JSON.parse(body)
    if (!isNaming(event) || event.data.attendee.id !== attendeeId || event.data.attendee.name === null) continue
    // Each member stays where it was.
    event.data.attendee.name = null
    await tx
      .updateTable('domain_events')
      .set({ body: JSON.stringify(event) })
      .where('id', '=', id)
      .execute()
    await forgetAnswers(tx, await deliveriesOf(tx, id))
  }
}

// Calls deliveries back (Spec 3.3): what waits for a subscription, a session or an event that is no more, in the transaction of
// that change. One statement writes for many what `webhooks/delivery.ts` says of one.

type Builder = ExpressionBuilder<Tables, 'webhook_deliveries'>

/** Ends waiting deliveries that fit `where`; one in flight ends by itself and is then not tried again. */
export async function stopWaiting(
  tx: Tx,
  status: 'canceled' | 'skipped',
  now: number,
  where: (eb: Builder) => ReturnType<Builder['and']>,
): Promise<void> {
  // What had ended before a manual attempt was asked for keeps its end.
  const keepsEnd = sql<boolean>`resume_status IS NOT NULL AND resume_status <> 'retry_scheduled'`
  await tx
    .updateTable('webhook_deliveries')
    .set({
      status: sql`CASE WHEN ${keepsEnd} THEN resume_status ELSE ${sql.lit(status)} END`,
      trigger: sql`CASE WHEN ${keepsEnd} THEN 'automatic' ELSE "trigger" END`,
      finished_at: sql`CASE WHEN ${keepsEnd} THEN finished_at ELSE CAST(${now} AS BIGINT) END`,
      due_at: null,
      resume_status: null,
      resume_at: null,
    })
    .where('due_at', 'is not', null)
    .where('status', 'in', ['pending', 'retry_scheduled'])
    .where(where)
    .execute()
}

// The id of a delivery says which event goes to which subscription: no pair is there twice, and one tree, ordered by subscription
// and then by the time of the event, holds deliveries and finds them all.

/** `dlv_`, the 32 digits of the subscription and the 32 of the event. */
export function deliveryId(subscriptionId: string, eventId: string): string {
  return idsOf(subscriptionId) + digitsOf(eventId)
}

/** What all deliveries of this subscription begin with. */
const idsOf = (subscriptionId: string): string => `dlv_${digitsOf(subscriptionId)}`

const digitsOf = (id: string): string => id.slice(id.indexOf('_') + 1)

/**
 * Between which ids the deliveries of this subscription lie: the first is not less than `first`, all are less than `end`. `from` and
 * `to`: only of events that happened from then on, and before then.
 */
export function deliveryRange(subscriptionId: string, { from, to }: { from?: number; to?: number } = {}): { first: string; end: string } {
  const start = idsOf(subscriptionId)
  return { first: from === undefined ? start : start + timeDigits(from), end: start + (to === undefined ? beyondDigits : timeDigits(to)) }
}

const beyondDigits = 'g'

/** The same as `deliveryId`, of two columns. */
export const deliveryIdOf = (subscriptionId: string, eventId: string) =>
  sql<string>`'dlv_' || substr(${sql.ref(subscriptionId)}, 4) || substr(${sql.ref(eventId)}, 5)`
