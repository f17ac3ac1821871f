// A run as its host follows it: the room's own stream and reducer, read with the signed-in cookie, and the host's acts.
import { useEffect, useState } from 'preact/hooks'
import { reduce } from '../../room/stream/reduce.ts'
import type { SseMessage } from '../../room/stream/sse.ts'
import { initialState, type RoomState } from '../../room/stream/state.ts'
import { type Connection, openStream } from '../../room/stream/stream.ts'
import { messageNames, type RoomMessage } from '../../room/stream/wire.ts'
import { webClock } from '../../ui/clock.ts'
import { call } from '../data/api.ts'

export interface LiveRun {
  state: RoomState
  connection: Connection
  /** Raised hands, as the last presence told them. */
  hands: number
  /** What the host's stream adds: who did what, who shows interest; newest first. */
  notes: readonly HostNote[]
}

export interface HostNote {
  id: string
  at: number
  text: string
}

export type HostAction =
  | { action: 'start' | 'pause' | 'resume' | 'next' | 'previous' | 'take_over' | 'hand_back' | 'end' }
  | { action: 'goto'; slideIndex: number }
  | { action: 'hide_question' | 'approve_question'; questionId: string }
  | { action: 'answer_text'; questionId: string; text: string }

export async function hostAct(runId: string, act: HostAction): Promise<void> {
  await call('POST', `/api/v1/runs/${encodeURIComponent(runId)}/host`, { body: { id: webClock.uuid(), ...act } })
}

/** The cookie instead of a token: it must not be hidden behind an `Authorization` header. */
const withCookie: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete('Authorization')
  return fetch(input, { ...init, headers, credentials: 'same-origin' })
}

const isRoomMessage = (event: string): boolean => (messageNames as readonly string[]).includes(event)

const emptyRun: LiveRun = { state: initialState(), connection: { state: 'idle', since: 0 }, hands: 0, notes: [] }

/** Follows the run until the returned function is called; `onChange` gets each new view of it. */
function follow(runId: string, onChange: (run: LiveRun) => void): () => void {
  let run = emptyRun
  const change = (next: Partial<LiveRun>) => {
    run = { ...run, ...next }
    onChange(run)
  }
  const onMessage = (message: SseMessage): 'applied' | 'gap' | 'closed' => {
    const data: unknown = JSON.parse(message.data)
    if (!isRoomMessage(message.event)) {
      change({ notes: noteOf(message, data, run.notes) })
      return 'applied'
    }
    // The stream speaks the room's wire: the name has been checked, and its data is of the shape that belongs to it.
    const applied = reduce(run.state, { event: message.event, id: message.id, data } as RoomMessage)
    if (applied.type === 'gap') return 'gap'
    change({ state: applied.state, hands: handsIn(message.event === 'snapshot' ? presenceOf(data) : data) ?? run.hands })
    return message.event === 'closed' ? 'closed' : 'applied'
  }
  const stream = openStream({
    url: `/api/v1/runs/${encodeURIComponent(runId)}/stream`,
    token: '',
    clock: webClock,
    fetch: withCookie,
    isOnline: () => navigator.onLine,
    cursor: () => run.state.cursor,
    onMessage,
    onChange: (connection) => change({ connection }),
  })
  const wake = () => stream.wake()
  addEventListener('online', wake)
  document.addEventListener('visibilitychange', wake)
  return () => {
    removeEventListener('online', wake)
    document.removeEventListener('visibilitychange', wake)
    stream.stop()
  }
}

/** The caller keys its component by the run, so that another run begins anew. */
export function useLiveRun(runId: string): LiveRun {
  const [run, setRun] = useState(emptyRun)
  useEffect(() => follow(runId, setRun), [runId])
  return run
}

const presenceOf = (data: unknown): unknown => (typeof data === 'object' && data !== null && 'presence' in data ? data.presence : undefined)

const handsIn = (data: unknown): number | undefined =>
  typeof data === 'object' && data !== null && 'hands' in data && typeof data.hands === 'number' ? data.hands : undefined

const signals: Record<string, string> = {
  hand_raised: 'Someone raised a hand.',
  hand_lowered: 'A hand went down.',
  high_intent: 'Someone shows interest in the offer.',
  unanswered: 'A question could not be answered from the deck.',
}

function noteOf(message: SseMessage, data: unknown, before: readonly HostNote[]): readonly HostNote[] {
  if (typeof data !== 'object' || data === null) return before
  const at = 'at' in data && typeof data.at === 'number' ? data.at : webClock.now()
  const said =
    message.event === 'intent' && 'signal' in data
      ? signals[String(data.signal)]
      : message.event === 'audit' && 'action' in data
        ? `Host: ${String(data.action).replaceAll('_', ' ')}.`
        : undefined
  const id = message.id ?? `${at}`
  if (said === undefined || before.some((note) => note.id === id)) return before
  return [{ id, at, text: said }, ...before].slice(0, 20)
}
