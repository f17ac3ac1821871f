// The ends of attempts on their way into the store: gathered for 5 ms or 64, one write at a time, so that a slow store gets
// larger groups.
import type { Clock } from '../kernel/clock.ts'
import type { Ended } from './claimed.ts'
import type { MarkParts } from './mark.ts'
import { mark } from './mark.ts'

export interface Marks {
  push(ended: readonly Ended[]): void
  /** Writes now what is there. */
  flush(): void
  isEmpty(): boolean
  /** The store is slower than the endpoints: nothing more should be sent. */
  isBehind(): boolean
  /** Writes what is left; what cannot be written is sent again once its lease has run out. */
  close(): Promise<void>
}

interface Parts extends MarkParts {
  clock: Clock
  warn(words: string, error: unknown): void
  /** When one of them is due again. */
  onDue(at: number): void
  onWritten(): void
}

const gatherMs = 5
const gatherMax = 64
const writeMax = 256
const behindMax = 1_024
const retryMs = 1_000

export function createMarks({ clock, warn, onDue, onWritten, ...parts }: Parts): Marks {
  let waiting: Ended[] = []
  let writing: Promise<void> | null = null
  let cancelTimer: (() => void) | null = null
  let isClosed = false
  /** Somebody asked for a write while one was under way. */
  let isAsked = false

  function later(ms: number): void {
    cancelTimer ??= clock.after(ms, () => {
      cancelTimer = null
      flush()
    })
  }

  function flush(): void {
    isAsked = writing !== null
    if (writing !== null || waiting.length === 0) return
    cancelTimer?.()
    cancelTimer = null
    const batch = waiting.splice(0, writeMax)
    writing = write(batch).finally(() => {
      writing = null
      if (isAsked || waiting.length >= gatherMax) flush()
      else if (waiting.length > 0) later(gatherMs)
      onWritten()
    })
  }

  async function write(batch: readonly Ended[]): Promise<void> {
    try {
      const dueAt = await mark(parts, batch)
      if (dueAt !== null) onDue(dueAt)
    } catch (error) {
      warn('The ends of webhook attempts could not be written', error)
      if (isClosed) return
      waiting = [...batch, ...waiting]
      await new Promise<void>((resolve) => void clock.after(retryMs, resolve))
    }
  }

  return {
    push(ended) {
      for (const each of ended) waiting.push(each)
      if (waiting.length >= gatherMax) flush()
      else if (waiting.length > 0) later(gatherMs)
    },
    flush,
    isEmpty: () => waiting.length === 0 && writing === null,
    isBehind: () => waiting.length >= behindMax,
    async close() {
      isClosed = true
      cancelTimer?.()
      while (waiting.length > 0 || writing !== null) {
        flush()
        await writing
      }
    },
  }
}
