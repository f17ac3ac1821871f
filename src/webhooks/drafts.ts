// Deliveries of events that are still in the outbox: they are dialled at once and each is written once, with its end. The event
// leaves the outbox in the transaction that writes the last of them. A kill -9 before leaves it where it was, so nothing is lost.
import type { Claimed, Ended } from './attempt.ts'
import type { Event, ExpandParts, Planned } from './plan.ts'
import { match, plan, unwritten, whoAsks } from './plan.ts'
import { disableSubscription } from './subscription.ts'
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
  /** What came of the write of all that was given last: after `failed` they are to be taken again. */
  settle(batches: readonly Batch[], outcome: 'written' | 'failed' | 'dropped'): void
  isEmpty(): boolean
  /** Ends that are kept. */
  ended(): number
}

/** What is to become of an event that is still in the outbox. */
class Draft {
  readonly event: Event
  readonly takenAt: number
  open: Planned[] = []
  /** Ended, or nobody's to send. */
  ready: Planned[] = []

  constructor(event: Event, takenAt: number) {
    this.event = event
    this.takenAt = takenAt
  }

  keep(ended: Ended): boolean {
    const { claimed } = ended
    const at = this.open.findIndex((row) => row.claimed === claimed)
    const [row] = at < 0 ? [] : this.open.splice(at, 1)
    if (row === undefined) return false
    claimed.draft = null
    row.ended = ended
    this.ready.push(row)
    return true
  }

  /** What is open is to be written as it is, and gets its end later. */
  close(): void {
    for (const { claimed } of this.open) if (claimed !== null) claimed.draft = null
  }
}

const rowsMax = 256

export function createDrafts(parts: ExpandParts, source: EventSource): Drafts {
  /** Oldest first. */
  let drafts: Draft[] = []
  /** Still in the outbox, on their way out. */
  let leaving: readonly Event[] = []
  let ended = 0

  function fill(draft: Draft, rows: readonly Planned[]): void {
    for (const row of rows) {
      if (row.claimed === null || row.ended !== null) draft.ready.push(row)
      else {
        draft.open.push(row)
        row.claimed.draft = draft
      }
      if (row.ended !== null) ended++
    }
  }

  function open(event: Event, takenAt: number): Draft {
    const draft = new Draft(event, takenAt)
    drafts.push(draft)
    return draft
  }

  return {
    async expand(room, now, limit) {
      const held = () => new Set([...drafts.map(({ event }) => event.id), ...leaving.map(({ id }) => id)])
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
      const wanted = await unwritten(store, sql, match(events, subscriptions))
      const planned = plan(wanted, { revoked, room, now }, parts)
      const rowsOf = Map.groupBy(planned, ({ event }) => event.id)
      for (const event of events) fill(open(event, now), rowsOf.get(event.id) ?? [])
      const claimed = planned.flatMap((row) => (row.claimed === null ? [] : [row.claimed]))
      return { taken: events.length, claimed, lagMs: Math.max(0, now - oldest.at) }
    },
    keep(end) {
      const isKept = end.claimed.draft?.keep(end) === true
      if (isKept) ended++
      return isKept
    },
    take(until) {
      const batches: Batch[] = []
      const left: Draft[] = []
      let count = 0
      for (const draft of drafts) {
        const { event, open, ready, takenAt } = draft
        const isLast = open.length === 0 || takenAt <= until
        if (count >= rowsMax || !isLast) left.push(draft)
        if (count >= rowsMax || (!isLast && ready.length === 0)) continue
        const rows = isLast ? [...ready, ...open] : ready
        batches.push({ event, rows, isLast })
        count += rows.length
        for (const { ended: end } of ready) if (end !== null) ended--
        draft.ready = []
        if (isLast) draft.close()
      }
      drafts = left
      leaving = batches.flatMap(({ event, isLast }) => (isLast ? [event] : []))
      return batches
    },
    settle(batches, outcome) {
      leaving = []
      if (outcome === 'written') for (const { event, isLast } of batches) if (!isLast) event.is_partly = 1
      if (outcome !== 'failed') return
      for (const { event, rows } of batches)
        fill(drafts.find((draft) => draft.event.id === event.id) ?? open(event, Number.NEGATIVE_INFINITY), rows)
    },
    isEmpty: () => drafts.length === 0 && leaving.length === 0,
    ended: () => ended,
  }
}
