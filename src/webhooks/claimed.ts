// A delivery in the hands of this process, and what came of it.
import type { AttemptRow, DeliveryRow } from '../storage/tables/webhooks.ts'
import type { DeliveryState } from './retry.ts'

export interface Claimed {
  id: string
  subscriptionId: string
  eventId: string
  type: DeliveryRow['type']
  state: DeliveryState
  token: string
  claimedAt: number
  /** Shared by all deliveries of an event. Null: read at the dial, because it may be erased until then. */
  body: Uint8Array | null
  /** Takes its end as long as nothing is written of it. */
  draft: { keep(ended: Ended): boolean } | null
}

/** One HTTP try. `gone` is a 410; every `reason` is a word of the wire. */
export interface AttemptResult {
  happening: 'succeeded' | 'failed' | 'gone'
  outcome: AttemptRow['outcome']
  reason: string | null
  httpStatus: number | null
  responseHead: string | null
  peer: string | null
}

/** `released`: not dialled, somebody may take it. `cancel`, `disable`: not dialled, and nobody wants it any more. */
export interface Ended {
  claimed: Claimed
  startedAt: number
  endedAt: number
  result: AttemptResult | 'released' | 'cancel' | 'disable'
}

/** Bodies with contact details are read when they are sent: an erasure since the claim must hold. */
export { holdsContacts as readAtDial } from '../kernel/events.ts'
