// Sends deliveries: takes events from the outbox, claims what is due, keeps the slots busy and writes down how it ended. Woken
// by the bell, by the next due time, and every second because a bell can be lost.
import type { Place } from '../kernel/bag.ts'
import { Bag } from '../kernel/bag.ts'
import type { Clock } from '../kernel/clock.ts'
import { outboxTopic } from '../storage/domain-events.ts'
import { claimDue, freeLeases, listLanes } from './claim.ts'
import { type Claimed, createSender, type Ended, notDialled, type SenderParts } from './attempt.ts'
import { createDrafts } from './drafts.ts'
import type { LaneSettings } from './lanes.ts'
import { createLanes } from './lanes.ts'
import type { Marks } from './marks.ts'
import { createMarks } from './marks.ts'
import type { MarkParts } from './mark.ts'
import type { WebhookMetrics } from './metrics.ts'
import type { ExpandParts } from './plan.ts'
import { dueTopic, subscriptionTopic } from './subscription.ts'
import { createEventSource } from './take-events.ts'

export interface DispatcherParts extends ExpandParts, Omit<MarkParts, 'leaseToken'>, Omit<SenderParts, 'signal'> {
  clock: Clock
  lanes: LaneSettings
  metrics: WebhookMetrics
  /** This process alone uses the store. */
  isAlone: boolean
  warn(words: string, error: unknown): void
}

export interface Dispatcher {
  start(): Promise<void>
  /** Resolves when nothing is queued, on the wire or waiting to be written. */
  idle(): Promise<void>
  /** Stops claiming, lets attempts on the wire end for ten seconds and gives the rest back. */
  close(): Promise<void>
}

const pollMs = 1_000
/** What was claimed and not dialled for so long goes back, so that a lease always outlives its attempt. */
const staleMs = 5_000
const drainMs = 10_000
/** The longest that events wait in the outbox for the sake of larger groups; the second while fast lanes have enough to do. */
const heldMs = 50
const heldBehindMs = 200
/** What is taken then all the same, for endpoints that have nothing to do; and first, when nobody is known. */
const fewEvents = 8
const manyEvents = 64

export function createDispatcher(parts: DispatcherParts): Dispatcher {
  const { store, clock, endpoints, metrics, warn } = parts
  const lanes = createLanes(parts.lanes)
  const inFlightMax = 2 * parts.lanes.concurrency
  const source = createEventSource(parts)
  const drafts = createDrafts(parts, source)
  const { leaseToken } = source
  const marks: Marks = createMarks({ ...parts, leaseToken, drafts, onDue: wakeAt, onWaiting, onWritten: settle })
  const onTheWire = new Bag<Claimed>()
  const gaveUp = new AbortController()
  const send = createSender({ ...parts, signal: gaveUp.signal })
  let wanted: 'nothing' | 'claims' | 'outbox' | 'all' = 'nothing'
  let pumping: Promise<void> | null = null
  let isRunning = false
  let isHeld = false
  let lastTakenAt = 0
  let finished = 0
  let cancelTimer: () => void = () => {}
  let timerAt = Number.POSITIVE_INFINITY
  let whenIdle: (() => void)[] = []
  let stopListening: (() => void)[] = []

  function wake(what: 'claims' | 'outbox' | 'all'): void {
    if (!isRunning) return
    wanted = wanted === 'nothing' || wanted === what ? what : 'all'
    pumping ??= pump().finally(() => {
      pumping = null
      wakeAt(clock.now() + pollMs)
      if (lanes.inFlight() === 0) marks.flush()
      settle()
    })
  }

  function takeWanted(): typeof wanted {
    const what = isRunning ? wanted : 'nothing'
    wanted = 'nothing'
    return what
  }

  async function pump(): Promise<void> {
    try {
      for (let what = takeWanted(); what !== 'nothing'; what = takeWanted()) {
        if (what === 'all') await scan()
        await claimMore()
        if (what !== 'claims') await takeEvents()
        dial()
        if (lanes.hasWanting()) wake('claims')
      }
    } catch (error) {
      warn('Webhooks could not be read from the store', error)
    }
  }

  /** Every subscription with something due joins the lanes; the timer is set for the others. */
  async function scan(): Promise<void> {
    const now = clock.now()
    marks.push(lanes.takeStale(now - staleMs).map((claimed) => notDialled(clock.now(), claimed, 'released')))
    const waiting = new Set<string>()
    for (const { id, due_at: dueAt } of await listLanes(parts)) {
      waiting.add(id)
      if (dueAt <= now) lanes.wantMore(id)
      else wakeAt(dueAt)
    }
    lanes.prune(waiting)
  }

  /** How many events to take now: as many as fast lanes can be given already claimed, which saves the claim. 0: later. */
  function takeLimit(): number {
    const room = lanes.roomAhead()
    if (room >= fewEvents) return Math.min(room, manyEvents)
    if (clock.now() < heldUntil()) return 0
    return lanes.inFlight() === 0 || lanes.haveEnough() ? fewEvents : manyEvents
  }

  /** Where nobody has room to spare, a moment in the outbox makes larger groups. */
  function heldUntil(): number {
    if (lanes.inFlight() === 0) return 0
    return lastTakenAt + (lanes.haveEnough() ? heldBehindMs : heldMs)
  }

  async function takeEvents(): Promise<void> {
    const limit = takeLimit()
    isHeld = limit === 0
    if (isHeld) return wakeAt(heldUntil())
    lastTakenAt = clock.now()
    const { taken, claimed, lagMs } = await drafts.expand((id) => lanes.roomForFresh(id), lastTakenAt, limit)
    metrics.expanded(taken, lagMs)
    for (const each of claimed) lanes.add(each)
    // What is drafted and cannot end, because nobody wants it, is written too.
    marks.push([])
    if (taken === limit) wake('outbox')
  }

  function onWaiting(subscriptionIds: ReadonlySet<string>): void {
    for (const id of subscriptionIds) lanes.wantMore(id)
    wake('claims')
  }

  async function claimMore(): Promise<void> {
    const wishes = lanes.wanting().map((subscriptionId) => ({ subscriptionId, limit: lanes.room(subscriptionId) }))
    if (wishes.length === 0) return
    marks.flush()
    const { claimed, more } = await claimDue(parts, wishes, clock.now())
    for (const each of claimed) lanes.add(each)
    for (const id of more) lanes.wantMore(id)
  }

  /** What a kill -9 would repeat: on the wire, or ended and not yet durable. */
  const isFull = () => lanes.inFlight() + marks.unwritten() >= inFlightMax
  const takeNext = () => (isFull() ? undefined : lanes.take())

  function dial(): void {
    if (!isRunning) return
    for (let claimed = takeNext(); claimed !== undefined; claimed = takeNext()) carry(claimed)
    // After a write there is room; to ask for the next one now would make it a small one.
    if (isFull() && !marks.isWriting()) marks.flush()
  }

  function carry(claimed: Claimed): void {
    const place = onTheWire.add(claimed)
    const began = clock.elapsed()
    const fault = (error: unknown) => {
      warn('A webhook could not be sent by a fault of ours', error)
      finish(place, notDialled(clock.now(), claimed, 'released'), began)
    }
    try {
      send(claimed).then((ended) => finish(place, ended, began), fault)
    } catch (error) {
      fault(error)
    }
  }

  function finish(place: Place<Claimed>, ended: Ended, began: number): void {
    const tried = typeof ended.result === 'object' ? ended.result : null
    const ms = clock.elapsed() - began
    lanes.finish(place.value, tried && { isFailed: tried.happening !== 'succeeded', ms })
    if (tried !== null) metrics.attempted(tried.outcome, ms)
    // Given back at the close: what comes of it is nobody's business any more.
    if (onTheWire.remove(place)) marks.push([ended])
    if (lanes.inFlight() === 0) marks.flush()
    dial()
    // So few that room for them cannot have come up since the last look.
    const isLookedAt = ++finished % fewEvents === 0 || lanes.inFlight() < fewEvents
    if (isHeld && isLookedAt && lanes.roomAhead() >= fewEvents) wake('outbox')
    else if (lanes.hasWanting()) wake('claims')
  }

  /** One timer for everything: the earliest time that is known. */
  function wakeAt(at: number): void {
    if (!isRunning || at >= timerAt) return
    cancelTimer()
    timerAt = at
    cancelTimer = clock.after(timerAt - clock.now(), () => {
      timerAt = Number.POSITIVE_INFINITY
      wake('all')
    })
  }

  function isIdle(): boolean {
    return pumping === null && wanted === 'nothing' && lanes.inFlight() === 0 && lanes.queued() === 0 && marks.isEmpty()
  }

  function settle(): void {
    dial()
    if (!isIdle()) return
    for (const resolve of whenIdle) resolve()
    whenIdle = []
  }

  return {
    async start() {
      if (parts.isAlone) await freeLeases(store, clock.now())
      isRunning = true
      stopListening = [
        store.listen(outboxTopic, () => wake('outbox')),
        store.listen(subscriptionTopic, (topic) => endpoints.forget(topic.slice(subscriptionTopic.length))),
        store.listen(dueTopic, (topic) => {
          lanes.wantMore(topic.slice(dueTopic.length))
          wake('claims')
        }),
      ]
      wake('all')
    },
    async idle() {
      marks.flush(true)
      if (!isIdle()) await new Promise<void>((resolve) => void whenIdle.push(resolve))
    },
    async close() {
      isRunning = false
      cancelTimer()
      for (const stop of stopListening) stop()
      await pumping
      marks.push(lanes.takeStale(Number.POSITIVE_INFINITY).map((claimed) => notDialled(clock.now(), claimed, 'released')))
      await drained()
      for (const place of onTheWire.places()) {
        onTheWire.remove(place)
        marks.push([notDialled(clock.now(), place.value, 'released')])
      }
      gaveUp.abort()
      await marks.close()
    },
  }

  async function drained(): Promise<void> {
    if (onTheWire.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = clock.after(drainMs, resolve)
    whenIdle.push(resolve)
    await promise
    cancel()
  }
}
