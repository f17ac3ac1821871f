// Deliveries of events that are still in the outbox: they are dialled at once and each is written once, with its end. The event
// leaves the outbox in the transaction that writes the last of them. A kill -9 before leaves it where it was, so nothing is lost.
import type { Claimed, Ended } from './claimed.ts'
import type { Event, ExpandParts, Planned } from './plan.ts'
import { match, plan, whoAsks, writtenBefore } from './plan.ts'
import { disableSubscription } from './stop.ts'
import type { EventSource } from './take-events.ts'

/** What is to be written of an event now; `isLast`: then nothing of it is left. */
export interface Batch {
  event: Event
  rows: readonly Planned[]
  isLast: boolean
}

export interface Expanded {
  /** Events taken from the outbox; as many as the limit means that there may be more. */
  taken: number
  claimed: readonly Claimed[]
  /** Age of the oldest event that was taken. */
  lagMs: number
}

export interface Drafts {
  /** `room`: how many deliveries of a subscription this process can take up at once. */
  expand(room: (subscriptionId: string) => number, now: number, limit: number): Promise<Expanded>
  /** Keeps the end of a delivery that is not written yet; false for any other. */
  keep(ended: Ended): boolean
  /** Gives up to 256 deliveries to be written now: all that have ended, and the rest of events taken at `until` or before. */
  take(until: number): Batch[]
  /** What came of the write: after `failed` they are to be taken again. */
  settle(batches: readonly Batch[], outcome: 'written' | 'failed' | 'dropped'): void
  isEmpty(): boolean
  /** Ends that are kept. */
  ended(): number
}

interface Draft {
  event: Event
  open: Planned[]
  /** Ended, or nobody's to send. */
  ready: Planned[]
  takenAt: number
}

const rowsMax = 256

export function createDrafts(parts: ExpandParts, source: EventSource): Drafts {
  /** By event; still in the outbox. */
  const drafts = new Map<string, Draft>()
  /** By delivery, while it is open. */
  const byDelivery = new Map<string, Draft>()
  /** Still in the outbox, on their way out. */
  const leaving = new Set<string>()
  let ended = 0

  function add(event: Event, rows: readonly Planned[], takenAt: number): void {
    let draft = drafts.get(event.id)
    if (draft === undefined) drafts.set(event.id, (draft = { event, open: [], ready: [], takenAt }))
    for (const row of rows) {
      if (row.claimed === null || row.ended !== null) draft.ready.push(row)
      else {
        draft.open.push(row)
        byDelivery.set(row.id, draft)
      }
      if (row.ended !== null) ended++
    }
  }

  return {
    async expand(room, now, limit) {
      const held = new Set([...drafts.keys(), ...leaving])
      const events = await source.next(limit, held, now)
      const [oldest] = events
      if (oldest === undefined) return { taken: 0, claimed: [], lagMs: 0 }
      const { store, sql } = parts
      const { subscriptions, revoked } = await whoAsks(parts, events)
      if (revoked.size > 0) {
        await store.write(async (tx, ring) => {
          for (const id of revoked) await disableSubscription(tx, ring, id, 'owner_revoked', now)
        })
      }
      const written = await writtenBefore(store, sql, events)
      const planned = plan(match(events, subscriptions, written), { revoked, room, now }, parts)
      const rowsOf = Map.groupBy(planned, ({ event }) => event.id)
      for (const event of events) add(event, rowsOf.get(event.id) ?? [], now)
      const claimed = planned.flatMap((row) => (row.claimed === null ? [] : [row.claimed]))
      return { taken: events.length, claimed, lagMs: Math.max(0, now - oldest.at) }
    },
    keep(end) {
      const draft = byDelivery.get(end.claimed.id)
      const at = draft?.open.findIndex(({ id }) => id === end.claimed.id) ?? -1
      const [row] = at < 0 ? [] : (draft?.open.splice(at, 1) ?? [])
      if (draft === undefined || row === undefined) return false
      byDelivery.delete(row.id)
      row.ended = end
      draft.ready.push(row)
      ended++
      return true
    },
    take(until) {
      const batches: Batch[] = []
      let count = 0
      for (const draft of drafts.values()) {
        if (count >= rowsMax) break
        const { event, open, ready, takenAt } = draft
        const isLast = open.length === 0 || takenAt <= until
        if (!isLast && ready.length === 0) continue
        const rows = isLast ? [...ready, ...open] : ready
        batches.push({ event, rows, isLast })
        count += rows.length
        for (const { ended: end } of ready) if (end !== null) ended--
        draft.ready = []
        if (!isLast) continue
        drafts.delete(event.id)
        leaving.add(event.id)
        for (const { id } of open) byDelivery.delete(id)
      }
      return batches
    },
    settle(batches, outcome) {
      for (const { event, rows } of batches) {
        leaving.delete(event.id)
        if (outcome === 'failed') add(event, rows, Number.NEGATIVE_INFINITY)
      }
    },
    isEmpty: () => drafts.size === 0 && leaving.size === 0,
    ended: () => ended,
  }
}
