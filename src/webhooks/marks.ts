// The ends of attempts on their way into the store: gathered for 20 ms or 64, one write at a time, so that a slow store gets
// larger groups. What is gathered here would be sent again after a kill -9, so it counts as in flight.
import type { Clock } from '../kernel/clock.ts'
import type { Ended } from './attempt.ts'
import type { Batch, Drafts } from './drafts.ts'
import type { MarkParts } from './mark.ts'
import { mark } from './mark.ts'

export interface Marks {
  push(ended: readonly Ended[]): void
  /** Writes now what is there; `all`: events whose deliveries have not all ended too. */
  flush(all?: boolean): void
  isEmpty(): boolean
  /** A write is under way; `onWritten` follows it. */
  isWriting(): boolean
  /** Ends that are not durable yet. */
  unwritten(): number
  /** Writes what is left; what cannot be written is sent again once its lease has run out. */
  close(): Promise<void>
}

interface Parts extends MarkParts {
  clock: Clock
  drafts: Drafts
  warn(words: string, error: unknown): void
  /** When one of them is due again. */
  onDue(at: number): void
  /** Subscriptions with deliveries that nobody has claimed. */
  onWaiting(subscriptionIds: ReadonlySet<string>): void
  onWritten(): void
}

const gatherMs = 20
const gatherMax = 64
const writeMax = 256
const retryMs = 1_000
/** How long an event waits at most for its deliveries to end before they are written as in flight. */
const draftMs = 500

export function createMarks({ clock, drafts, warn, onDue, onWaiting, onWritten, ...parts }: Parts): Marks {
  let waiting: Ended[] = []
  let writing: Promise<void> | null = null
  let writingCount = 0
  let cancelTimer: (() => void) | null = null
  let isClosed = false
  /** Somebody asked for a write while one was under way. */
  let asked: 'nothing' | 'what has ended' | 'all' = 'nothing'

  const gathered = () => waiting.length + drafts.ended()
  const isEmpty = () => waiting.length === 0 && writing === null && drafts.isEmpty()

  function later(ms: number): void {
    cancelTimer ??= clock.after(ms, () => {
      cancelTimer = null
      flush()
    })
  }

  function flush(all = false): void {
    if (writing !== null) {
      if (asked !== 'all') asked = all ? 'all' : 'what has ended'
      return
    }
    cancelTimer?.()
    cancelTimer = null
    const before = drafts.ended()
    const batches = drafts.take(all ? Number.POSITIVE_INFINITY : clock.now() - draftMs)
    const ended = waiting.splice(0, writeMax)
    if (ended.length === 0 && batches.length === 0) return again()
    writingCount = before - drafts.ended() + ended.length
    writing = write(ended, batches).finally(() => {
      writing = null
      writingCount = 0
      const isMore = all && !drafts.isEmpty()
      if (asked !== 'nothing' || isMore || gathered() >= gatherMax) {
        const isAll = isMore || asked === 'all'
        asked = 'nothing'
        flush(isAll)
      } else again()
      onWritten()
    })
  }

  function again(): void {
    if (!isEmpty()) later(gatherMs)
  }

  async function write(ended: readonly Ended[], batches: readonly Batch[]): Promise<void> {
    try {
      const { dueAt, waiting: unclaimed } = await mark(parts, ended, batches)
      drafts.settle(batches, 'written')
      if (dueAt !== null) onDue(dueAt)
      if (unclaimed.size > 0) onWaiting(unclaimed)
    } catch (error) {
      warn('The ends of webhook attempts could not be written', error)
      // At a close they stay in the outbox, and under their lease.
      drafts.settle(batches, isClosed ? 'dropped' : 'failed')
      if (isClosed) return
      // Some may have ended while their event was being written.
      waiting = [...ended, ...waiting].filter((each) => !drafts.keep(each))
      await new Promise<void>((resolve) => void clock.after(retryMs, resolve))
    }
  }

  return {
    push(ended) {
      for (const each of ended) if (!drafts.keep(each)) waiting.push(each)
      if (gathered() >= gatherMax) flush()
      else again()
    },
    flush,
    isEmpty,
    isWriting: () => writing !== null,
    unwritten: () => waiting.length + drafts.ended() + writingCount,
    async close() {
      isClosed = true
      cancelTimer?.()
      while (!isEmpty()) {
        flush(true)
        await writing
      }
      cancelTimer?.()
    },
  }
}
