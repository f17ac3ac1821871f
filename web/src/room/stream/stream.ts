// Holds the room's stream open: fetch with Authorization, reconnects with full jitter from the last applied event, falls back to a
// long poll where a proxy keeps the bytes back. The table of connection states is in docs/room ("Connection").
import type { WebClock } from '../../ui/clock.ts'
import { createPauses } from '../voice/pauses.ts'
import { backoffMs, retryMaxMs, type SseMessage, sseParser } from '../../../../client/sse.ts'

export type ConnectionState = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'offline' | 'closed'

export interface Connection {
  state: ConnectionState
  /** Monotonic milliseconds at which this state was entered. */
  since: number
  /** Why `closed`: the stream's own reason, or `invalid` after 401, 404 or 410. */
  reason?: string
}

export interface StreamOptions {
  url: string
  token: string
  clock: WebClock
  fetch: typeof fetch
  isOnline: () => boolean
  /** The last applied event, or null for a snapshot. */
  cursor: () => string | null
  /** Applies one message. `gap`: it does not follow on what was applied; `closed`: the last one of this stream. */
  onMessage: (message: SseMessage) => 'applied' | 'gap' | 'closed'
  onChange: (connection: Connection) => void
}

export interface RoomStream {
  /** Tries at once: came back online, became visible, **Retry now**. */
  wake(): void
  /** The device went offline: an open connection is given up, since it may hang for long. */
  lose(): void
  stop(): void
}

const silenceMs = 35_000
const firstByteMs = 5_000
const steadyMs = 10_000

/** How one connection ended. */
export type Ended = { type: 'closed'; reason: string } | { type: 'gap' } | { type: 'lost'; waitMs?: number | undefined }

export function openStream(options: StreamOptions): RoomStream {
  const { clock } = options
  let stopped = false
  let failures = 0
  let buffered = 0
  let retryHintMs = 0
  let liveSince: number | null = null
  let abort = new AbortController()
  const { pause, wake } = createPauses(clock)
  let now: Connection = { state: 'idle', since: 0 }

  const enter = (state: ConnectionState, reason?: string) => {
    if (stopped || (now.state === state && now.reason === reason)) return
    now = { state, since: clock.elapsed(), ...(reason === undefined ? {} : { reason }) }
    options.onChange(now)
  }
  const live = () => {
    liveSince ??= clock.elapsed()
    enter('live')
  }
  const run = async () => {
    enter('connecting')
    while (!stopped) {
      if (!options.isOnline()) {
        enter('offline')
        await pause(2_000)
        continue
      }
      if (now.state === 'offline') enter('reconnecting')
      liveSince = null
      abort = new AbortController()
      const ended = await attempt().catch((): Ended => ({ type: 'lost' }))
      if (stopped) return
      if (ended.type === 'closed') {
        enter('closed', ended.reason)
        return
      }
      if (liveSince !== null && clock.elapsed() - liveSince >= steadyMs) failures = 0
      if (!options.isOnline()) continue
      enter(now.state === 'connecting' && failures === 0 ? 'connecting' : 'reconnecting')
      const floor = ended.type === 'lost' ? (ended.waitMs ?? 0) : 0
      const wait = Math.max(floor, backoffMs(failures, clock.chance(), retryHintMs))
      failures++
      await pause(wait)
    }
  }

  const attempt = async (): Promise<Ended> => {
    if (buffered < 2) return listen()
    const { longPoll } = await import('./long-poll.ts')
    return longPoll({ clock, ask: () => ask('application/json'), apply, live, pause, isStopped: () => stopped })
  }

  /** The answer, or why there is none. */
  const ask = async (accept: string): Promise<Response | Ended> => {
    const cursor = options.cursor()
    const headers = { Authorization: `Bearer ${options.token}`, Accept: accept, ...(cursor === null ? {} : { 'Last-Event-ID': cursor }) }
    const cancel = clock.after(silenceMs, () => abort.abort())
    try {
      const response = await options.fetch(options.url, { headers, signal: abort.signal, cache: 'no-store', credentials: 'omit' })
      return response.ok ? response : refusal(response)
    } finally {
      cancel()
    }
  }

  /** What ends this connection, if the message does. */
  const apply = (message: SseMessage): Ended | null => {
    const outcome = options.onMessage(message)
    if (outcome !== 'closed') return outcome === 'gap' ? { type: 'gap' } : null
    const { reason } = JSON.parse(message.data) as { reason?: unknown }
    return { type: 'closed', reason: typeof reason === 'string' ? reason : 'ended' }
  }

  const listen = async (): Promise<Ended> => {
    const response = await ask('text/event-stream')
    if (!(response instanceof Response)) return response
    if (!response.body) return { type: 'lost' }
    let ended: Ended | null = null
    const parse = sseParser({
      message(message) {
        if (ended !== null) return
        ended = apply(message)
        if (ended === null) live()
      },
      retry: (ms) => (retryHintMs = Math.min(ms, retryMaxMs)),
    })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let first = true
    let timedOut = false
    const giveUp = () => {
      void reader.cancel().catch(() => undefined)
      abort.abort()
    }
    for (;;) {
      const cancel = clock.after(first ? firstByteMs : silenceMs, () => {
        timedOut = true
        giveUp()
      })
      const piece = await reader.read().catch(() => undefined)
      cancel()
      if (timedOut || piece?.value === undefined) {
        if (timedOut && first) buffered++
        return ended ?? { type: 'lost' }
      }
      first = false
      buffered = 0
      parse(piece.value)
      if (ended !== null) {
        giveUp()
        return ended
      }
    }
  }

  void run()
  return {
    wake,
    lose: () => abort.abort(),
    stop() {
      stopped = true
      abort.abort()
      wake()
    },
  }
}

function refusal({ status, headers }: Response): Ended {
  if (status === 401 || status === 404 || status === 410) return { type: 'closed', reason: 'invalid' }
  const wait = Number(headers.get('Retry-After'))
  return { type: 'lost', waitMs: wait > 0 ? wait * 1_000 : undefined }
}
