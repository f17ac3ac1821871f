// Who is served next: one lane per subscription with claimed deliveries, slots per lane and in all, and at most half of all
// slots for lanes whose last attempt failed, so that an endpoint that hangs never delays one that answers.
import type { Claimed } from './attempt.ts'

export interface LaneSettings {
  /** Attempts at once, in all. */
  concurrency: number
  /** Attempts at once to one subscription. */
  endpointConcurrency: number
  ahead: Ahead
}

/** What is claimed ahead for a lane that is answered fast: what it takes up in so long, so many at most, and so many in all. */
export interface Ahead {
  ms: number
  max: number
  totalMax: number
}

/** Enough to be busy until more is read, and little enough that twice as much ends before it would be written unfinished. */
export const shippedAhead: Ahead = { ms: 200, max: 128, totalMax: 384 }

export interface Lanes {
  /** How many more deliveries of this subscription to claim now. */
  room(subscriptionId: string): number
  /** The same for what is not in the store yet: twice as much, because three writes instead of one are worse than a wait. */
  roomForFresh(subscriptionId: string): number
  add(claimed: Claimed): void
  /** There is more in the store than this lane had room for. */
  wantMore(subscriptionId: string): void
  /** Takes the lanes that want more and have room for a worthwhile claim. */
  wanting(): string[]
  /** Whether `wanting` would give anything. */
  hasWanting(): boolean
  /** The next delivery to dial; it holds a slot until `finish`. */
  take(): Claimed | undefined
  finish(claimed: Claimed, attempt: { isFailed: boolean; ms: number } | null): void
  /** Takes back what was claimed before `at` and not dialled. */
  takeStale(at: number): Claimed[]
  inFlight(): number
  queued(): number
  /** Lanes that are answered fast have enough to do. */
  haveEnough(): boolean
  /** How much the emptiest of the lanes that are answered fast, as far as is known, should take; 0 where none is half empty. */
  roomAhead(): number
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
  /** How long attempts take of late; null before the first. */
  typicalMs: number | null
}

/** Enough is claimed ahead that taking more from the outbox can wait a moment. */
const enough = 128
const latestShare = 0.2
/** What a lane that has not been answered yet is given ahead: what it has no room for costs three writes instead of one. */
const untriedMax = 32

export function createLanes({ concurrency, endpointConcurrency, ahead }: LaneSettings): Lanes {
  const lanes = new Map<string, Lane>()
  /** Lanes with something to dial and a slot of their own, in turn. */
  const ready: Lane[] = []
  const more = new Set<Lane>()
  /** Too long for anything to be claimed ahead. */
  const slowMs = endpointConcurrency * ahead.ms + 1
  const failingMax = Math.max(1, Math.floor(concurrency / 2))
  let inFlight = 0
  let queued = 0
  /** Of these, for lanes that have been answered. */
  let queuedTried = 0

  function laneOf(id: string): Lane {
    let lane = lanes.get(id)
    if (lane === undefined) {
      lane = { id, queue: [], inFlight: 0, isReady: false, isFailing: false, typicalMs: null }
      lanes.set(id, lane)
    }
    return lane
  }

  function aheadOf({ typicalMs, isFailing }: Lane): number {
    if (isFailing) return 0
    if (typicalMs === null) return Math.min(ahead.max, untriedMax)
    return Math.min(ahead.max, Math.floor((endpointConcurrency * ahead.ms) / Math.max(1, typicalMs)))
  }

  function capacity(lane: Lane): number {
    return Math.max(aheadOf(lane), endpointConcurrency - lane.inFlight)
  }

  /** `times`: so much more than what is claimed ahead. */
  function roomOf(lane: Lane, times = 1): number {
    const room = times * capacity(lane) - lane.queue.length
    // What waits for lanes that may turn out to hang takes nothing from the others.
    return Math.max(0, lane.typicalMs === null ? room : Math.min(room, times * ahead.totalMax - queuedTried))
  }

  function learn(lane: Lane, ms: number): void {
    if (lane.typicalMs === null) queuedTried += lane.queue.length
    lane.typicalMs = lane.typicalMs === null ? ms : lane.typicalMs + (ms - lane.typicalMs) * latestShare
  }

  /** A claim costs the same for one as for many: it waits until half of the room ahead is free. */
  function isWorthClaiming(lane: Lane): boolean {
    return roomOf(lane) > 0 && lane.queue.length <= capacity(lane) / 2
  }

  function failingInFlight(): number {
    let count = 0
    for (const lane of lanes.values()) if (lane.isFailing) count += lane.inFlight
    return count
  }

  function refresh(lane: Lane): void {
    const isReady = lane.queue.length > 0 && lane.inFlight < endpointConcurrency
    if (isReady === lane.isReady) return
    lane.isReady = isReady
    if (isReady) ready.push(lane)
    else ready.splice(ready.indexOf(lane), 1)
  }

  return {
    room: (id) => roomOf(laneOf(id)),
    roomForFresh: (id) => roomOf(laneOf(id), 2),
    add(claimed) {
      const lane = laneOf(claimed.subscriptionId)
      lane.queue.push(claimed)
      queued++
      if (lane.typicalMs !== null) queuedTried++
      refresh(lane)
    },
    wantMore: (id) => void more.add(laneOf(id)),
    wanting() {
      const found = [...more].filter(isWorthClaiming)
      for (const lane of found) more.delete(lane)
      return found.map(({ id }) => id)
    },
    hasWanting() {
      for (const lane of more) if (isWorthClaiming(lane)) return true
      return false
    },
    take() {
      if (inFlight >= concurrency) return undefined
      let failing: number | undefined
      for (const [at, lane] of ready.entries()) {
        if (lane.isFailing && (failing ??= failingInFlight()) >= failingMax) continue
        const claimed = lane.queue.shift()
        if (claimed === undefined) continue
        lane.inFlight++
        inFlight++
        queued--
        if (lane.typicalMs !== null) queuedTried--
        // To the end of the line.
        if (ready.length > 1) ready.push(...ready.splice(at, 1))
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
        learn(lane, attempt.ms)
      }
      refresh(lane)
    },
    takeStale(at) {
      const stale: Claimed[] = []
      for (const lane of lanes.values()) {
        if (lane.queue.length === 0 || (lane.queue[0]?.claimedAt ?? at) >= at) continue
        // Not answered for all that time.
        if (lane.typicalMs === null) learn(lane, slowMs)
        const left = lane.queue.filter(({ claimedAt }) => claimedAt >= at)
        stale.push(...lane.queue.filter(({ claimedAt }) => claimedAt < at))
        queuedTried -= lane.queue.length - left.length
        lane.queue = left
        refresh(lane)
      }
      queued -= stale.length
      return stale
    },
    inFlight: () => inFlight,
    queued: () => queued,
    haveEnough() {
      if (queued < enough) return false
      let fast = 0
      for (const lane of lanes.values()) if (lane.typicalMs !== null && aheadOf(lane) > 0) fast += lane.queue.length
      return fast >= enough
    },
    roomAhead() {
      let fast = 0
      for (const lane of lanes.values()) if (lane.typicalMs !== null && aheadOf(lane) > endpointConcurrency) fast++
      // Each event may go to all of them.
      const share = ahead.totalMax / Math.max(1, fast)
      const left = (ahead.totalMax - queuedTried) / Math.max(1, fast)
      let room = 0
      for (const lane of lanes.values()) {
        const of = aheadOf(lane)
        if (of <= endpointConcurrency) continue
        const most = Math.min(of, share)
        if (lane.queue.length <= most / 2) room = Math.max(room, Math.floor(Math.min(left, most - lane.queue.length)))
      }
      return room
    },
    prune(waiting) {
      for (const lane of lanes.values()) {
        const isEmpty = lane.inFlight === 0 && lane.queue.length === 0 && !more.has(lane)
        if (isEmpty && !(lane.isFailing && waiting.has(lane.id))) lanes.delete(lane.id)
      }
    },
  }
}
