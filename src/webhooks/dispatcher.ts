// Sends deliveries: takes events from the outbox, claims what is due, keeps the slots busy and writes down how it ended. Woken
// by the bell, by the next due time, and every five seconds because a bell can be lost.
import type { Clock } from '../platform/clock.ts'
import { outboxTopic } from '../platform/db/domain-events.ts'
import { type Claimed, createSender, type Ended, notDialled, type SenderParts } from './attempt.ts'
import { createLanes, type LaneSettings } from './lanes.ts'
import type { WebhookMetrics } from './metrics.ts'
import { claimDue, expand, findWork, freeLeases, type QueueParts, writeEnds } from './queue.ts'
import { dueTopic, subscriptionTopic } from './subscription.ts'

export interface DispatcherParts extends QueueParts, Omit<SenderParts, 'signal'> {
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

export function createDispatcher(parts: DispatcherParts): Dispatcher {
  const { store, clock, endpoints, metrics, warn } = parts
  const lanes = createLanes(parts.lanes)
  /** What a kill -9 would repeat: on the wire, or ended and not yet durable. */
  const inFlightMax = 2 * parts.lanes.concurrency
  const onTheWire = new Set<Claimed>()
  const ended: Ended[] = []
  let writing: Promise<void> | null = null
  let writingCount = 0
  let cancelGather: (() => void) | null = null
  const gaveUp = new AbortController()
  const send = createSender({ ...parts, signal: gaveUp.signal })
  let isRunning = false
  let hasEvents = false
  let mustLook = false
  let pumping: Promise<void> | null = null
  let heldUntil = 0
  let cancelTimer: () => void = () => {}
  let timerAt = Number.POSITIVE_INFINITY
  let whenIdle: (() => void)[] = []
  let stopListening: (() => void)[] = []

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
    const work = await findWork(parts)
    hasEvents ||= work.hasEvents
    for (const { id, dueAt } of work.lanes) {
      if (dueAt <= now) lanes.wantMore(id)
      else wakeAt(dueAt)
    }
    lanes.prune(new Set(work.lanes.map(({ id }) => id)))
    await metrics.sample()
    return true
  }

  async function claimMore(): Promise<boolean> {
    const wishes = lanes.wanting().map((subscriptionId) => ({ subscriptionId, limit: lanes.room(subscriptionId) }))
    if (wishes.length === 0) return false
    for (const { subscriptionId } of wishes) lanes.wantMore(subscriptionId, false)
    const { claimed, more } = await claimDue(parts, wishes, clock.now())
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
    const { events, isMore, claimed, waiting, lagMs } = await expand(parts, lanes.room, now)
    hasEvents ||= isMore
    if (events > 0) metrics.expanded(events, lagMs)
    for (const each of claimed) lanes.add(each)
    for (const id of waiting) lanes.wantMore(id)
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
    let result: Ended
    try {
      result = await send(claimed)
    } catch (error) {
      warn('A webhook could not be sent by a fault of ours', error)
      result = notDialled(clock.now(), claimed, 'released')
    }
    const tried = typeof result.result === 'object' ? result.result : null
    const ms = clock.elapsed() - began
    lanes.finish(claimed, tried && { isFailed: tried.happening !== 'succeeded', ms })
    if (tried !== null) metrics.attempted(tried.outcome, ms)
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
      const dueAt = await writeEnds(parts, group)
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
      if (parts.isAlone) await freeLeases(store, clock.now())
      isRunning = true
      stopListening = [
        store.listen(outboxTopic, () => {
          hasEvents = true
          wake()
        }),
        store.listen(subscriptionTopic, (topic) => endpoints.forget(topic.slice(subscriptionTopic.length))),
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
  }
}
