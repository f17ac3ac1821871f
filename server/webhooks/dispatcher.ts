// Sends deliveries: takes events from the outbox, claims what is due, keeps the slots busy and writes down how it ended. Woken
// by the bell, by the next due time, and every five seconds because a bell can be lost.
import type { Config } from '../config/config.ts'
import { outboxTopic } from '../platform/db/domain-events.ts'
import { counter, type Gauges } from '../platform/gauges.ts'
import { type Claimed, createSender, type Ended, notDialled, type SenderDeps } from './attempt.ts'
import { claimDue, expand, findWork, freeLeases, type QueueDeps, readBacklog, writeEnds } from './queue.ts'
import { dueTopic, subscriptionTopic } from './subscription.ts'

export interface DispatcherDeps extends SenderDeps, QueueDeps {
  settings: SenderDeps['settings'] & QueueDeps['settings'] & Pick<Config, 'webhookConcurrency' | 'webhookEndpointConcurrency'>
  /** True where this process alone uses the store: leases of a dead one are freed at the start. */
  isAlone: boolean
}

export interface Dispatcher {
  start(): Promise<void>
  /** Resolves when nothing is queued, on the wire or waiting to be written. */
  idle(): Promise<void>
  /** Stops claiming, lets attempts on the wire end for ten seconds and gives the rest back. */
  close(): Promise<void>
  gauges: Gauges
}

const pollMs = 5_000
/** What was claimed and not dialled for so long goes back, so that a lease always outlives its attempt. */
const staleMs = 5_000
const drainMs = 10_000
/** While so many are claimed ahead, events wait a moment in the outbox, for the sake of larger groups. */
const enoughAhead = 64
const heldMs = 50
/** Ends are gathered for so long, or so many, before they are written; one write at a time. */
const gatherMs = 20
const gatherMax = 64
const writeMax = 256
const retryMs = 1_000
const sampleMs = 10_000
const outcomes = ['succeeded', 'failed', 'blocked', 'interrupted'] as const

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { store, clock, settings, warn } = deps
  const lanes = createLanes(settings.webhookConcurrency, settings.webhookEndpointConcurrency)
  /** What a kill -9 would repeat: on the wire, or ended and not yet durable. */
  const inFlightMax = 2 * settings.webhookConcurrency
  const onTheWire = new Set<Claimed>()
  const ended: Ended[] = []
  let writing: Promise<void> | null = null
  let writingCount = 0
  let cancelGather: (() => void) | null = null
  const gaveUp = new AbortController()
  const sender = createSender(deps, gaveUp.signal)
  let isRunning = false
  let hasEvents = false
  let mustLook = false
  let pumping: Promise<void> | null = null
  let heldUntil = 0
  let cancelTimer: () => void = () => {}
  let timerAt = Number.POSITIVE_INFINITY
  let whenIdle: (() => void)[] = []
  let stopListening: (() => void)[] = []
  // What operators see: counters of this process, and the backlog of the store, read now and then.
  const counts = new Map<string, number>(outcomes.slice(0, 3).map((outcome) => [outcome, 0]))
  let seconds = 0
  let lagMs = 0
  let backlog: { count: number; dueAt: number | null } = { count: 0, dueAt: null }
  let nextSampleAt = 0

  function wake(): void {
    if (!isRunning) return
    pumping ??= pump().finally(() => {
      pumping = null
      wakeAt(clock.now() + pollMs)
      settle()
    })
  }

  async function pump(): Promise<void> {
    try {
      for (let isWorking = true; isWorking && isRunning;) {
        isWorking = mustLook ? await look() : (await claimMore()) || (await takeEvents())
        dial()
      }
    } catch (error) {
      warn('Webhooks could not be read from the store', error)
    }
  }

  /** Every subscription with something due joins the lanes; the timer is set for the others. */
  async function look(): Promise<boolean> {
    mustLook = false
    const now = clock.now()
    for (const claimed of lanes.takeStale(now - staleMs)) end(notDialled(now, claimed, 'released'))
    const work = await findWork(store)
    hasEvents ||= work.hasEvents
    for (const { id, dueAt } of work.lanes) {
      if (dueAt <= now) lanes.wantMore(id)
      else wakeAt(dueAt)
    }
    lanes.prune(new Set(work.lanes.map(({ id }) => id)))
    if (clock.elapsed() >= nextSampleAt) {
      nextSampleAt = clock.elapsed() + sampleMs
      backlog = await readBacklog(store)
    }
    return true
  }

  async function claimMore(): Promise<boolean> {
    const wishes = lanes.wanting().map((subscriptionId) => ({ subscriptionId, limit: lanes.room(subscriptionId) }))
    if (wishes.length === 0) return false
    for (const { subscriptionId } of wishes) lanes.wantMore(subscriptionId, false)
    const { claimed, more } = await claimDue(deps, wishes, clock.now())
    for (const each of claimed) lanes.add(each)
    for (const id of more) lanes.wantMore(id)
    return true
  }

  async function takeEvents(): Promise<boolean> {
    const now = clock.now()
    if (!hasEvents) return false
    if (lanes.queued() >= enoughAhead && now < heldUntil) {
      wakeAt(heldUntil)
      return false
    }
    hasEvents = false
    heldUntil = now + heldMs
    const taken = await expand(deps, lanes.room, now)
    hasEvents ||= taken.isMore
    if (taken.events > 0) ({ lagMs } = taken)
    for (const each of taken.claimed) lanes.add(each)
    for (const id of taken.waiting) lanes.wantMore(id)
    return true
  }

  function dial(): void {
    while (isRunning && onTheWire.size + ended.length + writingCount < inFlightMax) {
      const claimed = lanes.take()
      if (claimed === undefined) return
      void carry(claimed)
    }
    if (isRunning) write()
  }

  async function carry(claimed: Claimed): Promise<void> {
    onTheWire.add(claimed)
    const began = clock.elapsed()
    const result = await sender.send(claimed).catch((error: unknown) => {
      warn('A webhook could not be sent by a fault of ours', error)
      return notDialled(clock.now(), claimed, 'released')
    })
    const tried = typeof result.result === 'object' ? result.result : null
    const ms = clock.elapsed() - began
    lanes.finish(claimed, tried && { isFailed: tried.happening !== 'succeeded', ms })
    if (tried !== null) {
      counts.set(tried.outcome, (counts.get(tried.outcome) ?? 0) + 1)
      seconds += ms / 1_000
    }
    // Given back at the close: what comes of it is nobody's business any more.
    if (onTheWire.delete(claimed)) end(result)
    dial()
    if (hasEvents || lanes.wanting().length > 0) wake()
    settle()
  }

  function end(one: Ended): void {
    ended.push(one)
    if (ended.length >= gatherMax || lanes.inFlight() === 0) write()
    else
      cancelGather ??= clock.after(gatherMs, () => {
        cancelGather = null
        write()
      })
  }

  function write(): void {
    if (writing !== null || ended.length === 0) return
    cancelGather?.()
    cancelGather = null
    const group = ended.splice(0, writeMax)
    writingCount = group.length
    writing = writeGroup(group).finally(() => {
      writing = null
      writingCount = 0
      if (ended.length >= gatherMax || lanes.inFlight() === 0) write()
      dial()
      settle()
    })
  }

  async function writeGroup(group: readonly Ended[]): Promise<void> {
    try {
      const dueAt = await writeEnds(deps, group)
      if (dueAt !== null) wakeAt(dueAt)
    } catch (error) {
      warn('The ends of webhook attempts could not be written', error)
      // At a close they are sent again once their lease has run out.
      if (!isRunning) return
      ended.unshift(...group)
      await new Promise<void>((resolve) => void clock.after(retryMs, resolve))
    }
  }

  /** One timer for everything: the earliest time that is known. */
  function wakeAt(at: number): void {
    if (!isRunning || at >= timerAt) return
    cancelTimer()
    timerAt = at
    cancelTimer = clock.after(at - clock.now(), () => {
      timerAt = Number.POSITIVE_INFINITY
      mustLook = true
      wake()
    })
  }

  const isIdle = (): boolean =>
    pumping === null && onTheWire.size === 0 && lanes.queued() === 0 && ended.length === 0 && writing === null && !mustLook && !hasEvents

  function settle(): void {
    if (!isIdle()) return
    for (const resolve of whenIdle) resolve()
    whenIdle = []
  }

  async function drained(): Promise<void> {
    if (onTheWire.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = clock.after(drainMs, resolve)
    whenIdle.push(resolve)
    await promise
    cancel()
  }

  return {
    async start() {
      if (deps.isAlone) await freeLeases(store, clock.now())
      isRunning = true
      stopListening = [
        store.listen(outboxTopic, () => {
          hasEvents = true
          wake()
        }),
        store.listen(subscriptionTopic, (topic) => sender.forget(topic.slice(subscriptionTopic.length))),
        store.listen(dueTopic, (topic) => {
          lanes.wantMore(topic.slice(dueTopic.length))
          wake()
        }),
      ]
      mustLook = true
      wake()
    },
    async idle() {
      write()
      if (!isIdle()) await new Promise<void>((resolve) => void whenIdle.push(resolve))
    },
    async close() {
      isRunning = false
      cancelTimer()
      for (const stop of stopListening) stop()
      await pumping
      hasEvents = mustLook = false
      for (const claimed of lanes.takeStale(Number.POSITIVE_INFINITY)) end(notDialled(clock.now(), claimed, 'released'))
      await drained()
      for (const claimed of onTheWire) end(notDialled(clock.now(), claimed, 'released'))
      onTheWire.clear()
      gaveUp.abort()
      while (ended.length > 0 || writing !== null) {
        write()
        await writing
      }
      cancelGather?.()
    },
    gauges: () => ({
      rostrum_webhook_attempts_total: counter('Webhook attempts of this process by how they ended.', 'outcome', counts),
      rostrum_webhook_attempt_seconds: {
        help: 'Time that webhook attempts of this process took.',
        type: 'summary',
        value: [
          { suffix: '_sum', value: seconds },
          { suffix: '_count', value: [...counts.values()].reduce((sum, count) => sum + count, 0) },
        ],
      },
      rostrum_webhook_backlog: { help: 'Deliveries that wait or are on the wire, at the last reading.', value: backlog.count },
      rostrum_webhook_oldest_due_seconds: {
        help: 'How long the longest due delivery has waited.',
        value: Math.max(0, (clock.now() - (backlog.dueAt ?? clock.now())) / 1_000),
      },
      rostrum_webhook_expand_lag_seconds: { help: 'Age of the oldest event when it was taken from the outbox.', value: lagMs / 1_000 },
    }),
  }
}

// Who is served next: one lane per subscription with claimed deliveries, slots per lane and in all, and at most half of all
// slots for lanes whose last attempt failed, so that an endpoint that hangs never delays one that answers.

interface Lane {
  queue: Claimed[]
  inFlight: number
  isFailing: boolean
  /** Its last attempt was answered within `fastMs`. */
  isFast: boolean
  /** There is more in the store than it had room for. */
  wantsMore: boolean
}

const fastMs = 50
/** Claimed ahead for a lane that is answered fast, and for all of them. */
const aheadMax = 128
const aheadTotalMax = 1_024

/** Attempts at once, in all and to one subscription. */
export function createLanes(concurrency: number, endpointConcurrency: number) {
  /** In turn: who was served last stands last. */
  const lanes = new Map<string, Lane>()
  const failingMax = Math.max(1, Math.floor(concurrency / 2))
  let inFlight = 0
  let queued = 0
  const laneOf = (id: string) =>
    lanes.getOrInsertComputed(id, (): Lane => ({ queue: [], inFlight: 0, isFailing: false, isFast: false, wantsMore: false }))
  const capacityOf = ({ isFast, inFlight: busy }: Lane) =>
    isFast && queued < aheadTotalMax ? aheadMax : Math.max(0, endpointConcurrency - busy)
  return {
    /** How many more deliveries of this subscription to claim now. */
    room(id: string): number {
      const lane = laneOf(id)
      return Math.max(0, capacityOf(lane) - lane.queue.length)
    },
    add(claimed: Claimed) {
      laneOf(claimed.subscriptionId).queue.push(claimed)
      queued++
    },
    wantMore: (id: string, isMore = true) => void (laneOf(id).wantsMore = isMore),
    /** Lanes that want more and are half empty at least: a claim costs the same for one as for many. */
    wanting(): string[] {
      const ids: string[] = []
      for (const [id, lane] of lanes) if (lane.wantsMore && lane.queue.length < capacityOf(lane) / 2) ids.push(id)
      return ids
    },
    /** The next delivery to dial; it holds a slot until `finish`. */
    take(): Claimed | undefined {
      if (inFlight >= concurrency || queued === 0) return undefined
      let failing = 0
      for (const lane of lanes.values()) if (lane.isFailing) failing += lane.inFlight
      for (const [id, lane] of lanes) {
        if (lane.inFlight >= endpointConcurrency || (lane.isFailing && failing >= failingMax)) continue
        const claimed = lane.queue.shift()
        if (claimed === undefined) continue
        lane.inFlight++
        inFlight++
        queued--
        lanes.delete(id)
        lanes.set(id, lane)
        return claimed
      }
      return undefined
    },
    /** `attempt`: null where it was not dialled. */
    finish({ subscriptionId }: Claimed, attempt: { isFailed: boolean; ms: number } | null) {
      const lane = laneOf(subscriptionId)
      lane.inFlight--
      inFlight--
      if (attempt === null) return
      lane.isFailing = attempt.isFailed
      lane.isFast = !attempt.isFailed && attempt.ms < fastMs
    },
    /** Takes back what was claimed before `at` and not dialled. */
    takeStale(at: number): Claimed[] {
      const stale: Claimed[] = []
      for (const lane of lanes.values()) {
        const old = lane.queue.filter(({ claimedAt }) => claimedAt < at)
        if (old.length === 0) continue
        stale.push(...old)
        lane.queue = lane.queue.filter(({ claimedAt }) => claimedAt >= at)
        lane.isFast = false
      }
      queued -= stale.length
      return stale
    },
    inFlight: () => inFlight,
    queued: () => queued,
    /** Drops lanes that hold nothing, except failing ones in `waiting`, whose failure is worth remembering. */
    prune(waiting: ReadonlySet<string>) {
      for (const [id, { inFlight: busy, queue, wantsMore, isFailing }] of lanes)
        if (busy === 0 && queue.length === 0 && !wantsMore && !(isFailing && waiting.has(id))) lanes.delete(id)
    },
  }
}
