// A run's stream read by long polls, as a page behind a proxy reads it that keeps bytes back: one call after another, each from `next`.
import type { Polled } from '../../server/runs/operations/stream-run.ts'
import type { ManualClock } from './clock.ts'
import type { Message, TestStream } from './test-stream.ts'

const pauseMs = 50
const pauseAfterNothingMs = 1_000

/** `ask` answers one poll, and rejects when the run cannot be read. */
export function openPolls(
  clock: ManualClock,
  ask: (after: string | undefined, signal: AbortSignal) => Promise<Polled>,
  cursor?: string,
): TestStream {
  const messages: Message[] = []
  const gone = new AbortController()
  const close = () => gone.abort()

  async function follow(): Promise<void> {
    for (let after = cursor; !gone.signal.aborted;) {
      const { events, next } = await ask(after, gone.signal)
      // What comes after the page has gone is read by nobody.
      if (gone.signal.aborted) return
      // The data of a message is an object.
      messages.push(...(events as Message[]))
      after = next
      if (events.some((event) => event.event === 'closed')) return close()
      await new Promise<void>((resolve) => void clock.after(events.length === 0 ? pauseAfterNothingMs : pauseMs, resolve))
    }
  }

  void follow().catch(close)
  return {
    messages,
    text: () => JSON.stringify(messages),
    isOpen: () => !gone.signal.aborted,
    close,
    of: (event) => messages.filter((message) => message.event === event).map((message) => message.data),
  }
}
