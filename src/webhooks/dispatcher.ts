// Sends deliveries: takes events from the outbox, claims what is due, keeps the slots busy and writes down how it ended. Woken
// by the bell, by the next due time, and every second because a bell can be lost.
import type { Clock } from '../kernel/clock.ts'
import { outboxTopic } from '../storage/domain-events.ts'
import type { AttemptSettings } from './attempt.ts'
import { attempt } from './attempt.ts'
import { claimDue, freeLeases, listLanes } from './claim.ts'
import type { Claimed, Ended } from './claimed.ts'
import type { Endpoints } from './endpoints.ts'
import type { ExpandParts } from './expand.ts'
import { expand, expandMax } from './expand.ts'
import type { LaneSettings } from './lanes.ts'
import { createLanes } from './lanes.ts'
import type { Marks } from './marks.ts'
import { createMarks } from './marks.ts'
import type { MarkParts } from './mark.ts'
import type { WebhookMetrics } from './metrics.ts'
import { dueTopic, subscriptionTopic } from './stop.ts'

export interface DispatcherParts extends ExpandParts, MarkParts {
  clock: Clock
  endpoints: Endpoints
  attempt: AttemptSettings
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
/** The longest that events wait in the outbox for the sake of larger groups. */
const heldMs = 50
/** What is taken then all the same, for endpoints that have nothing to do. */
const fewEvents = 32

export function createDispatcher(parts: DispatcherParts): Dispatcher {
  const { store, clock, endpoints, metrics, warn } = parts
  const lanes = createLanes(parts.lanes)
  const marks: Marks = createMarks({ ...parts, onDue: wakeAt, onWritten: settle })
  const onTheWire = new Set<Claimed>()
  const gaveUp = new AbortController()
  let wanted: 'nothing' | 'claims' | 'outbox' | 'all' = 'nothing'
  let pumping: Promise<void> | null = null
  let isRunning = false
  let isHeld = false
  let lastTakenAt = 0
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
    marks.push(lanes.takeStale(now - staleMs).map((claimed) => notDialled(claimed, 'released')))
    const waiting = new Set<string>()
    for (const { id, due_at: dueAt } of await listLanes(parts)) {
      waiting.add(id)
      if (dueAt <= now) lanes.wantMore(id)
      else wakeAt(dueAt)
    }
    lanes.prune(waiting)
  }

  /** While fast lanes have enough to do, events wait a moment in the outbox: they can then be written already claimed. */
  async function takeEvents(): Promise<void> {
    const haveEnough = lanes.haveEnough()
    isHeld = haveEnough && clock.now() < lastTakenAt + heldMs
    if (isHeld) return wakeAt(lastTakenAt + heldMs)
    lastTakenAt = clock.now()
    const limit = haveEnough ? fewEvents : expandMax
    const { taken, claimed, waiting, lagMs } = await expand(parts, (id) => lanes.room(id), clock.now(), limit)
    metrics.expanded(taken, lagMs)
    for (const each of claimed) lanes.add(each)
    for (const id of waiting) lanes.wantMore(id)
    if (taken === limit) wake('outbox')
  }

  async function claimMore(): Promise<void> {
    const now = clock.now()
    await Promise.all(
      lanes.wanting().map(async (id) => {
        const { claimed, hasMore } = await claimDue(parts, id, lanes.room(id), now)
        for (const each of claimed) lanes.add(each)
        if (hasMore) lanes.wantMore(id)
      }),
    )
  }

  const takeNext = () => (marks.isBehind() ? undefined : lanes.take())

  function dial(): void {
    if (!isRunning) return
    for (let claimed = takeNext(); claimed !== undefined; claimed = takeNext()) void carry(claimed)
  }

  async function carry(claimed: Claimed): Promise<void> {
    onTheWire.add(claimed)
    const began = clock.elapsed()
    const ended = await send(claimed).catch((error: unknown) => {
      warn('A webhook could not be sent by a fault of ours', error)
      return notDialled(claimed, 'released')
    })
    const tried = typeof ended.result === 'object' ? ended.result : null
    const ms = clock.elapsed() - began
    lanes.finish(claimed, tried && { isFailed: tried.happening !== 'succeeded', ms })
    if (tried !== null) metrics.attempted(tried.outcome, ms)
    // Given back at the close: what comes of it is nobody's business any more.
    if (onTheWire.delete(claimed)) marks.push([ended])
    if (lanes.inFlight() === 0) marks.flush()
    dial()
    if (isHeld && !lanes.haveEnough()) wake('outbox')
    else if (lanes.hasWanting()) wake('claims')
  }

  async function send(claimed: Claimed): Promise<Ended> {
    const found = endpoints.get(claimed.subscriptionId)
    const endpoint = found instanceof Promise ? await found : found
    if (endpoint === null) return notDialled(claimed, 'cancel')
    if (endpoint.isDisabled && claimed.state.trigger !== 'test') return notDialled(claimed, 'disable')
    const body = claimed.body ?? (await bodyNow(claimed.eventId))
    if (body === undefined) return notDialled(claimed, 'cancel')
    const startedAt = clock.now()
    const { url, keys } = endpoint
    if (keys === undefined) {
      warn('The signing secret of a webhook cannot be opened: is ROSTRUM_SECRET the one it was made with?', undefined)
      return { claimed, startedAt, endedAt: startedAt, result: unsigned }
    }
    const letter = { url, keys, eventId: claimed.eventId, body, now: startedAt, signal: gaveUp.signal }
    const result = await attempt(parts.attempt, letter)
    return { claimed, startedAt, endedAt: clock.now(), result }
  }

  async function bodyNow(eventId: string): Promise<string | undefined> {
    const event = await store.read
      .selectFrom('domain_events')
      .select('body')
      .where('id', '=', eventId)
      .where('scrubbed_at', 'is', null)
      .executeTakeFirst()
    return event?.body
  }

  function notDialled(claimed: Claimed, result: 'released' | 'cancel' | 'disable'): Ended {
    const now = clock.now()
    return { claimed, startedAt: now, endedAt: now, result }
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
      marks.flush()
      if (!isIdle()) await new Promise<void>((resolve) => void whenIdle.push(resolve))
    },
    async close() {
      isRunning = false
      cancelTimer()
      for (const stop of stopListening) stop()
      await pumping
      marks.push(lanes.takeStale(Number.POSITIVE_INFINITY).map((claimed) => notDialled(claimed, 'released')))
      await drained()
      for (const claimed of onTheWire) marks.push([notDialled(claimed, 'released')])
      onTheWire.clear()
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

/** Nothing was sent; the chain goes on, and the operator has been told why. */
const unsigned = {
  happening: 'failed',
  outcome: 'failed',
  reason: 'interrupted',
  httpStatus: null,
  responseHead: null,
  peer: null,
} as const
