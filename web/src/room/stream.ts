// Holds the room's stream open: fetch with Authorization, reconnects with full jitter from the last applied event, falls back to a
// long poll where a proxy keeps the bytes back. The table of connection states is in docs/room ("Connection").
import type { WebClock } from '../ui/clock.ts'
import type { SseMessage } from './sse.ts'
import { sseParser } from './sse.ts'

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
const retryMaxMs = 8_000

type Ended = { type: 'closed'; reason: string } | { type: 'gap' } | { type: 'lost'; waitMs?: number | undefined }

export function openStream(options: StreamOptions): RoomStream {
  const { clock } = options
  let stopped = false
  let failures = 0
  let buffered = 0
  let retryHintMs = 0
  let liveSince: number | null = null
  let abort = new AbortController()
  let wakeUp: (() => void) | null = null
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
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(ms, () => done())
      const done = () => {
        cancel()
        wakeUp = null
        resolve()
      }
      wakeUp = done
    })

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

  const attempt = (): Promise<Ended> => (buffered >= 2 ? poll() : listen())

  const headers = (accept: string): Record<string, string> => {
    const cursor = options.cursor()
    return { Authorization: `Bearer ${options.token}`, Accept: accept, ...(cursor === null ? {} : { 'Last-Event-ID': cursor }) }
  }

  const listen = async (): Promise<Ended> => {
    const response = await fetchWithin(silenceMs, 'text/event-stream')
    const refused = refusal(response)
    if (refused !== null) return refused
    const body = response.body
    if (body === null) return { type: 'lost' }
    let ended: Ended | null = null
    const parse = sseParser({
      message(message) {
        if (ended !== null) return
        const outcome = options.onMessage(message)
        if (outcome === 'closed') ended = { type: 'closed', reason: closedReason(message) }
        else if (outcome === 'gap') ended = { type: 'gap' }
        else live()
      },
      retry: (ms) => (retryHintMs = Math.min(ms, retryMaxMs)),
    })
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let first = true
    let timedOut = false
    for (;;) {
      const cancel = clock.after(first ? firstByteMs : silenceMs, () => {
        timedOut = true
        void reader.cancel().catch(() => undefined)
        abort.abort()
      })
      const piece = await reader.read().catch(() => ({ done: true, value: undefined }) as const)
      cancel()
      if (timedOut || piece.done || piece.value === undefined) {
        if (timedOut && first) buffered++
        return ended ?? { type: 'lost' }
      }
      first = false
      buffered = 0
      parse(piece.value)
      if (ended !== null) {
        void reader.cancel().catch(() => undefined)
        abort.abort()
        return ended
      }
    }
  }

  const poll = async (): Promise<Ended> => {
    for (;;) {
      const startedAt = clock.elapsed()
      const response = await fetchWithin(silenceMs, 'application/json')
      const refused = refusal(response)
      if (refused !== null) return refused
      const answer = parsePoll(await response.json())
      for (const message of answer) {
        const outcome = options.onMessage(message)
        if (outcome === 'closed') return { type: 'closed', reason: closedReason(message) }
        if (outcome === 'gap') return { type: 'gap' }
      }
      live()
      if (stopped) return { type: 'lost' }
      await pause(answer.length === 0 && clock.elapsed() - startedAt < 1_000 ? 1_000 : 50)
    }
  }

  const fetchWithin = async (ms: number, accept: string): Promise<Response> => {
    const cancel = clock.after(ms, () => abort.abort())
    try {
      return await options.fetch(options.url, { headers: headers(accept), signal: abort.signal, cache: 'no-store', credentials: 'omit' })
    } finally {
      cancel()
    }
  }

  void run()
  return {
    wake() {
      if (now.state === 'reconnecting' || now.state === 'offline' || now.state === 'connecting') wakeUp?.()
    },
    lose: () => abort.abort(),
    stop() {
      stopped = true
      abort.abort()
      wakeUp?.()
    },
  }
}

/** First retry after 0..300 ms, then up to 0.5 s doubling to 8 s, full jitter; a `retry:` field of the server is the least. */
export function backoffMs(failures: number, chance: number, hintMs = 0): number {
  const span = failures === 0 ? 300 : Math.min(retryMaxMs, 500 * 2 ** (failures - 1))
  return Math.max(failures === 0 ? 0 : hintMs, Math.round(span * chance))
}

function refusal(response: Response): Ended | null {
  if (response.ok) return null
  if (response.status === 401 || response.status === 404 || response.status === 410) return { type: 'closed', reason: 'invalid' }
  const wait = Number(response.headers.get('Retry-After'))
  return { type: 'lost', waitMs: Number.isFinite(wait) && wait > 0 ? wait * 1_000 : undefined }
}

function closedReason(message: SseMessage): string {
  const data: unknown = JSON.parse(message.data)
  const reason = typeof data === 'object' && data !== null && 'reason' in data ? data.reason : undefined
  return typeof reason === 'string' ? reason : 'ended'
}

/** `{ events: [{ id, event, data }], next }` of the long poll as messages of the stream. */
export function parsePoll(answer: unknown): SseMessage[] {
  if (typeof answer !== 'object' || answer === null || !('events' in answer) || !Array.isArray(answer.events)) return []
  const events: readonly unknown[] = answer.events
  return events.flatMap((each) => {
    if (typeof each !== 'object' || each === null || !('event' in each) || !('data' in each)) return []
    const id = 'id' in each && typeof each.id === 'string' ? each.id : undefined
    return [{ event: String(each.event), data: typeof each.data === 'string' ? each.data : JSON.stringify(each.data), id }]
  })
}
