// The long poll for who sits behind a proxy that keeps the bytes of a stream back; fetched after two connections without a byte.
import type { WebClock } from '../../ui/clock.ts'
import type { SseMessage } from '../../../../client/sse.ts'
import type { Ended } from './stream.ts'

export interface LongPollOptions {
  clock: WebClock
  ask: () => Promise<Response | Ended>
  apply: (message: SseMessage) => Ended | null
  live: () => void
  pause: (ms: number) => Promise<void>
  isStopped: () => boolean
}

export async function longPoll({ clock, ask, apply, live, pause, isStopped }: LongPollOptions): Promise<Ended> {
  for (;;) {
    const startedAt = clock.elapsed()
    const response = await ask()
    if (!(response instanceof Response)) return response
    const messages = parsePoll(await response.json())
    for (const message of messages) {
      const ended = apply(message)
      if (ended !== null) return ended
    }
    live()
    if (isStopped()) return { type: 'lost' }
    await pause(messages.length === 0 && clock.elapsed() - startedAt < 1_000 ? 1_000 : 50)
  }
}

/** `{ events: [{ id, event, data }], next }` as messages of the stream. */
function parsePoll(answer: unknown): SseMessage[] {
  if (typeof answer !== 'object' || answer === null || !('events' in answer) || !Array.isArray(answer.events)) return []
  const events: readonly unknown[] = answer.events
  return events.flatMap((each) => {
    if (typeof each !== 'object' || each === null || !('event' in each) || !('data' in each)) return []
    const id = 'id' in each && typeof each.id === 'string' ? each.id : undefined
    return [{ event: String(each.event), data: typeof each.data === 'string' ? each.data : JSON.stringify(each.data), id }]
  })
}
