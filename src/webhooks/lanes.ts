// Who is served next: one lane per subscription with claimed deliveries, slots per lane and in all, and at most half of all
// slots for lanes whose last attempt failed, so that an endpoint that hangs never delays one that answers.
import type { Claimed } from './attempt.ts'

export interface LaneSettings {
  /** Attempts at once, in all. */
  concurrency: number
  /** Attempts at once to one subscription. */
  endpointConcurrency: number
}

export interface Lanes {
  /** How many more deliveries of this subscription to claim now. */
  room(subscriptionId: string): number
  add(claimed: Claimed): void
  /** There is more in the store than this lane had room for. */
  wantMore(subscriptionId: string, isMore?: boolean): void
  /** Lanes that want more and are half empty at least: a claim costs the same for one as for many. */
  wanting(): string[]
  /** The next delivery to dial; it holds a slot until `finish`. */
  take(): Claimed | undefined
  /** `attempt`: null where it was not dialled. */
  finish(claimed: Claimed, attempt: { isFailed: boolean; ms: number } | null): void
  /** Takes back what was claimed before `at` and not dialled. */
  takeStale(at: number): Claimed[]
  inFlight(): number
  queued(): number
  /** Drops lanes that hold nothing, except failing ones in `waiting`, whose failure is worth remembering. */
  prune(waiting: ReadonlySet<string>): void
}

interface Lane {
  id: string
  queue: Claimed[]
  inFlight: number
  /** It is among those with something to dial. */
  isReady: boolean
  isFailing: boolean
  /** Its last attempt was answered within `fastMs`. */
  isFast: boolean
  wantsMore: boolean
}

const fastMs = 50
/** Claimed ahead for a lane that is answered fast, and for all of them. */
const aheadMax = 128
const aheadTotalMax = 1_024

export function createLanes({ concurrency, endpointConcurrency }: LaneSettings): Lanes {
  const lanes = new Map<string, Lane>()
  /** Lanes with something to dial and a slot of their own, in turn. */
  const ready: Lane[] = []
  const failingMax = Math.max(1, Math.floor(concurrency / 2))
  let inFlight = 0
  let queued = 0

  function laneOf(id: string): Lane {
    let lane = lanes.get(id)
    if (lane === undefined) {
      lane = { id, queue: [], inFlight: 0, isReady: false, isFailing: false, isFast: false, wantsMore: false }
      lanes.set(id, lane)
    }
    return lane
  }

  function capacityOf({ isFast, inFlight: busy }: Lane): number {
    return isFast && queued < aheadTotalMax ? aheadMax : Math.max(0, endpointConcurrency - busy)
  }

  function refresh(lane: Lane): void {
    const isReady = lane.queue.length > 0 && lane.inFlight < endpointConcurrency
    if (isReady === lane.isReady) return
    lane.isReady = isReady
    if (isReady) ready.push(lane)
    else ready.splice(ready.indexOf(lane), 1)
  }

  const isIdle = ({ inFlight: busy, queue, wantsMore }: Lane) => busy === 0 && queue.length === 0 && !wantsMore

  return {
    room(id) {
      const lane = laneOf(id)
      return Math.max(0, capacityOf(lane) - lane.queue.length)
    },
    add(claimed) {
      const lane = laneOf(claimed.subscriptionId)
      lane.queue.push(claimed)
      queued++
      refresh(lane)
    },
    wantMore: (id, isMore = true) => void (laneOf(id).wantsMore = isMore),
    wanting: () => [...lanes.values()].filter((lane) => lane.wantsMore && lane.queue.length < capacityOf(lane) / 2).map(({ id }) => id),
    take() {
      if (inFlight >= concurrency) return undefined
      let failing: number | undefined
      for (const lane of ready) {
        failing ??= [...lanes.values()].reduce((sum, each) => sum + (each.isFailing ? each.inFlight : 0), 0)
        if (lane.isFailing && failing >= failingMax) continue
        const claimed = lane.queue.shift()
        lane.inFlight++
        inFlight++
        queued--
        // To the end of the line.
        ready.push(...ready.splice(ready.indexOf(lane), 1))
        refresh(lane)
        return claimed
      }
      return undefined
    },
    finish({ subscriptionId }, attempt) {
      const lane = laneOf(subscriptionId)
      lane.inFlight--
      inFlight--
      if (attempt !== null) {
        lane.isFailing = attempt.isFailed
        lane.isFast = !attempt.isFailed && attempt.ms < fastMs
      }
      refresh(lane)
    },
    takeStale(at) {
      const stale: Claimed[] = []
      for (const lane of lanes.values()) {
        const old = lane.queue.filter(({ claimedAt }) => claimedAt < at)
        if (old.length === 0) continue
        stale.push(...old)
        lane.queue = lane.queue.filter(({ claimedAt }) => claimedAt >= at)
        lane.isFast = false
        refresh(lane)
      }
      queued -= stale.length
      return stale
    },
    inFlight: () => inFlight,
    queued: () => queued,
    prune(waiting) {
      for (const lane of lanes.values()) if (isIdle(lane) && !(lane.isFailing && waiting.has(lane.id))) lanes.delete(lane.id)
    },
  }
}
