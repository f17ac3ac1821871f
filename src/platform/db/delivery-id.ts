// The id of a delivery says which event goes to which subscription: no pair is there twice, and one tree, ordered by subscription
// and then by the time of the event, holds deliveries and finds them all.
import { sql } from 'kysely'
import { timeDigits } from '../ids.ts'

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
