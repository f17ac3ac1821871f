// When work is done, and where: when it is first asked for, in turns of the server's thread, or in a thread of its own
// (docs/decisions/022-long-work-leaves-the-server-thread.md).
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Clock } from './clock.ts'

// In turns with whatever else the server's thread has to do: between two of its steps others come first once it has had 10 ms.

const turnMs = 10

let lastTurn: Promise<unknown> = Promise.resolve()

/** A round of the event loop in which no other such work goes on: ten at once make nobody wait ten times as long. */
function ownTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate())
  return lastTurn
}

/** What `work` returns. Each of its steps takes a few milliseconds at most. */
export async function stepByStep<T>(work: Generator<undefined, T>): Promise<T> {
  for (;;) {
    await ownTurn()
    const since = performance.now()
    while (performance.now() - since < turnMs) {
      const step = work.next()
      if (step.done) return step.value
    }
  }
}

/** The same at once: for what is known to be short, and where nobody else waits. */
export function inOneGo<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

// Makes a value when it is first asked for, and keeps it: what the first answer does not need, a start does not wait for.

export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** Keeps the value in a map of at most so many: the one that was kept longest ago makes room. */
export function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.size > most ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}

/** The value under `key`, made once; of at most so many the one used longest ago goes first. A failure is not kept. */
export function madeOnce<Value>(map: Map<string, Promise<Value>>, key: string, most: number, make: () => Promise<Value>): Promise<Value> {
  const known = map.get(key)
  const value = known ?? make()
  keep(map, key, value, most)
  if (known === undefined) value.catch(() => map.delete(key))
  return value
}

// So many pieces of work at once, the others in the order in which they came.

/** `check` is told how many wait already, and throws where that is too many. */
export function atMost(most: number, check: (waiting: number) => void = () => undefined): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < most) running++
    else {
      check(waiting.length)
      await new Promise<void>((resolve) => void waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      // Whoever ends hands its place on; nobody else can take it in between.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}

// In a thread: each piece has one and a time of its own, and few run at once.

/** Ended for its time or its memory, or stopped by a fault. */
export class ThreadFailed extends Error {}
/** Ended for its time: on a machine that has less to do it may yet be done. */
export class ThreadLate extends ThreadFailed {}

export type Threads = ReturnType<typeof createThreads>

const atOnce = 2
const heapMbMost = 512
/** Most of it is for a machine that has much else to do: a thread takes a tenth of a second to start here, and seconds there. */
const usualMs = 15_000

export function createThreads(workMs = usualMs) {
  const inTurn = atMost(atOnce)
  return {
    /**
     * Runs the module at `address`, which posts one message made of its `workerData`, a copy of `input`. Waits for its turn, then at most
     * `workMs`. Throws `ThreadFailed`.
     */
    run: (address: URL, input: unknown): Promise<unknown> => inTurn(() => workIn(address, input, workMs)),
  }
}

async function workIn(address: URL, input: unknown, workMs: number): Promise<unknown> {
  const worker = new Worker(address, { workerData: input, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: heapMbMost } })
  const late = AbortSignal.timeout(workMs)
  const ended = new AbortController()
  try {
    const signal = AbortSignal.any([late, ended.signal])
    const exit = once(worker, 'exit', { signal }).then(() => Promise.reject(new ThreadFailed('The thread ended without a word.')))
    const message = once(worker, 'message', { signal }).then(([first]: unknown[]) => first)
    return await Promise.race([message, exit])
  } catch (error) {
    if (late.aborted) throw new ThreadLate(`The work took longer than ${workMs / 1_000} s.`)
    throw error instanceof ThreadFailed ? error : new ThreadFailed('The work met a fault.', { cause: error })
  } finally {
    ended.abort()
    await worker.terminate()
  }
}

// Work in the background that comes again and again.

export interface Rounds {
  /** `work` resolves to the milliseconds until it is wanted again, or to nothing for `everyMs`; the first time after `firstMs`. */
  every(everyMs: number, work: () => Promise<number | void>, firstMs?: number): void
  /** Resolves when the rounds that are under way have ended. */
  stop(): Promise<void>
}

export function createRounds(clock: Clock, onFailure: (error: unknown) => void): Rounds {
  const cancels = new Map<symbol, () => void>()
  const underWay = new Set<Promise<void>>()
  let isStopped = false
  return {
    every(everyMs, work, firstMs = everyMs) {
      const key = Symbol('work')
      const wait = (ms: number) => {
        if (!isStopped) cancels.set(key, clock.after(ms, begin))
      }
      const round = async () => {
        // What is cut off by the stop has not failed.
        const next = await work().catch((error: unknown) => (isStopped ? undefined : onFailure(error)))
        wait(next ?? everyMs)
      }
      const begin = () => {
        const begun = round().finally(() => underWay.delete(begun))
        underWay.add(begun)
      }
      wait(firstMs)
    },
    async stop() {
      isStopped = true
      for (const cancel of cancels.values()) cancel()
      await Promise.all(underWay)
    },
  }
}
