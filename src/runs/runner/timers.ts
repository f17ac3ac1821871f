// What comes by the clock: one timer for all runs of the process, and background work that comes again and again.
import type { Clock } from '../../platform/clock.ts'

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

// One timer for all runs of the process: a heap of due times, so a thousand silent runs cost one pending timeout.

export interface WakeHeap {
  /** Calls `fn` for `key` at `at`; a later call for the same key replaces it. Null: not at all. */
  set(key: string, at: number | null): void
  stop(): void
}

interface Entry {
  at: number
  key: string
  turn: number
}

export function wakeHeap(clock: Clock, wake: (key: string) => void): WakeHeap {
  const heap: Entry[] = []
  const turns = new Map<string, number>()
  let counter = 0
  let armedFor = Infinity
  let cancel: (() => void) | undefined
  let stopped = false

  const isCurrent = (entry: Entry) => turns.get(entry.key) === entry.turn

  function arm(): void {
    while (heap[0] !== undefined && !isCurrent(heap[0])) pop(heap)
    const next = heap[0]
    if (next === undefined || next.at >= armedFor || stopped) return
    cancel?.()
    armedFor = next.at
    cancel = clock.after(Math.max(0, next.at - clock.now()), ring)
  }

  function ring(): void {
    armedFor = Infinity
    const now = clock.now()
    for (let top = heap[0]; top !== undefined && top.at <= now; top = heap[0]) {
      pop(heap)
      if (!isCurrent(top)) continue
      turns.delete(top.key)
      wake(top.key)
    }
    arm()
  }

  return {
    set(key, at) {
      if (at === null) return void turns.delete(key)
      counter++
      turns.set(key, counter)
      push(heap, { at, key, turn: counter })
      arm()
    },
    stop() {
      stopped = true
      cancel?.()
    },
  }
}

function push(heap: Entry[], entry: Entry): void {
  heap.push(entry)
  for (let at = heap.length - 1; at > 0;) {
    const parent = (at - 1) >> 1
    if (dueAt(heap, parent) <= dueAt(heap, at)) return
    swap(heap, at, parent)
    at = parent
  }
}

function pop(heap: Entry[]): void {
  swap(heap, 0, heap.length - 1)
  heap.pop()
  for (let at = 0; ;) {
    const left = 2 * at + 1
    const least = dueAt(heap, left + 1) < dueAt(heap, left) ? left + 1 : left
    if (dueAt(heap, least) >= dueAt(heap, at)) return
    swap(heap, at, least)
    at = least
  }
}

const dueAt = (heap: readonly Entry[], at: number): number => heap[at]?.at ?? Infinity

function swap(heap: Entry[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]]
  if (first === undefined || second === undefined) return
  heap[a] = second
  heap[b] = first
}
