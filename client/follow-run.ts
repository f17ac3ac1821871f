// Follows a run: its stream, read again from the last message that was applied whenever the connection is lost.
import { RostrumError } from './error.ts'
import type { RunMessage } from './operations.ts'
import { backoffMs, type SseMessage, sseParser } from './sse.ts'

export type { RunMessage } from './operations.ts'

export interface FollowOptions {
  /** `stream` of joining a room, or `{base_url}/api/v1/runs/{runId}/stream`. */
  url: string
  /** The token of an attendee, or a credential of the owner. */
  token: string
  /** The `id` of the last message that was applied; without it the first message shows the whole room. */
  after?: string | undefined
  signal?: AbortSignal | undefined
  fetch?: typeof fetch
}

/** Longer than the server is ever silent: it sends a comment every 15 seconds. */
const silenceMs = 35_000

/**
 * Yields each message until `closed`, which is the last. A lost connection is taken up again with growing pauses; `snapshot` then tells,
 * by `resumed`, that what follows goes on where it ended. Throws `RostrumError` where the run cannot be followed: 401, 403, 404, 410.
 */
export async function* followRun({ url, token, after, signal, fetch: send = fetch }: FollowOptions): AsyncGenerator<RunMessage> {
  let cursor = after
  const isOver = () => signal?.aborted === true
  for (let failures = 0; !isOver(); failures++) {
    let waitMs = 0
    try {
      const headers = {
        Authorization: `Bearer ${token}`,
        Accept: 'text/event-stream',
        ...(cursor === undefined ? {} : { 'Last-Event-ID': cursor }),
      }
      for await (const message of messagesOf(url, headers, signal, send)) {
        failures = 0
        cursor = message.id ?? cursor
        // The service writes each as its own schema says.
        const read = { ...message, data: JSON.parse(message.data) as unknown } as RunMessage
        yield read
        if (read.event === 'closed') return
      }
    } catch (error) {
      if (isOver()) return
      if (error instanceof RostrumError) {
        if (error.status < 500 && error.status !== 429) throw error
        waitMs = (error.retryAfterSeconds ?? 0) * 1_000
      }
    }
    await pause(Math.max(waitMs, backoffMs(failures, Math.random())), signal)
  }
}

async function* messagesOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
  send: typeof fetch,
): AsyncGenerator<SseMessage> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    const response = await send(url, {
      headers,
      signal: AbortSignal.any(signal === undefined ? [silence.signal] : [silence.signal, signal]),
    })
    if (!response.ok || response.body === null) throw await RostrumError.of(response)
    const found: SseMessage[] = []
    const parse = sseParser({ message: (message) => void found.push(message) })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMs)
      parse(piece.value)
      yield* found.splice(0)
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

/** Ends early where `signal` does. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done)
  })
}
