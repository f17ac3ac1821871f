// A run as its host follows it: the room's own stream and reducer, read with the signed-in cookie, and the host's acts.
import { useEffect, useState } from 'preact/hooks'
import { reduce } from '../../room/stream/reduce.ts'
import type { SseMessage } from '../../../../client/sse.ts'
import { initialState, type RoomState } from '../../room/stream/state.ts'
import { type Connection, openStream } from '../../room/stream/stream.ts'
import { parseMessage } from '../../room/stream/wire-parse.ts'
import type { RoomMessage } from '../../room/stream/wire.ts'
import { webClock } from '../../ui/clock.ts'
import { call, sendBytes } from '../data/api.ts'

export interface LiveRun {
  state: RoomState
  connection: Connection
  /** Raised hands, as the last presence told them. */
  hands: number
  /** Whose hands went up since this page was opened. */
  raised: readonly string[]
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
  | { action: 'merge_question'; questionId: string; intoId: string }
  | { action: 'answer_text'; questionId: string; text: string }
  | { action: 'say'; text: string }
  | { action: 'open_poll' | 'close_poll' | 'show_poll'; pollId: string }
  | { action: 'hide_word'; pollId: string; word: string }

export async function hostAct(runId: string, act: HostAction): Promise<void> {
  await call('host_run', { runId, id: webClock.uuid(), ...act })
}

/** A phrase in the host's own voice; each is sent when the one before it has arrived. */
export async function hostSpeech(runId: string, phrase: Blob): Promise<void> {
  await sendBytes('host_speech', { runId }, phrase)
}

/** The cookie instead of a token: it must not be hidden behind an `Authorization` header. */
const withCookie: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete('Authorization')
  return fetch(input, { ...init, headers, credentials: 'same-origin' })
}

const emptyRun: LiveRun = { state: initialState(), connection: { state: 'idle', since: 0 }, hands: 0, raised: [], notes: [] }

/** Follows the run until the returned function is called; `onChange` gets each new view of it. */
function follow(runId: string, onChange: (run: LiveRun) => void): () => void {
  let run = emptyRun
  const change = (next: Partial<LiveRun>) => {
    run = { ...run, ...next }
    onChange(run)
  }
  const onMessage = (sse: SseMessage): 'applied' | 'gap' | 'closed' => {
    const message = parseMessage(sse)
    if (message === null) return 'applied'
    const applied = reduce(run.state, message)
    if (applied.type === 'gap') return 'gap'
    const raised = raisedAfter(run.raised, message)
    change({ state: applied.state, hands: handsIn(message) ?? run.hands, raised, notes: noteOf(message, run.notes) })
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

function handsIn(message: RoomMessage): number | undefined {
  if (message.event === 'snapshot') return message.data.presence.hands
  return message.event === 'presence' ? message.data.hands : undefined
}

type DataOf<Event extends RoomMessage['event']> = Extract<RoomMessage, { event: Event }>['data']

function raisedAfter(raised: readonly string[], { event, data }: RoomMessage): readonly string[] {
  if (event === 'snapshot') return data.presence.raised ?? []
  if (event !== 'intent' || (data.signal !== 'hand_raised' && data.signal !== 'hand_lowered')) return raised
  const others = raised.filter((id) => id !== data.attendeeId)
  return data.signal === 'hand_raised' ? [...others, data.attendeeId] : others
}

const signals: Record<DataOf<'intent'>['signal'], string> = {
  hand_raised: 'Someone raised a hand.',
  hand_lowered: 'A hand went down.',
  high_intent: 'Someone shows interest in the offer.',
  unanswered: 'A question could not be answered from the deck.',
}

/** What the host says stands in the transcript. */
const acts: Record<Exclude<DataOf<'audit'>['action'], 'say'>, string> = {
  start: 'began the talk',
  pause: 'paused the talk',
  resume: 'went on with the talk',
  goto: 'went to another slide',
  next: 'went to the next slide',
  previous: 'went to the slide before',
  hide_question: 'hid a question',
  approve_question: 'let a question in',
  merge_question: 'joined two questions',
  answer_text: 'answered a question',
  open_poll: 'asked a poll',
  close_poll: 'closed a poll',
  show_poll: 'showed what came of a poll',
  hide_word: 'hid a word',
  take_over: 'took over from the presenter',
  hand_back: 'handed back to the presenter',
  end: 'ended the talk',
}

function noteOf({ event, id, data }: RoomMessage, before: readonly HostNote[]): readonly HostNote[] {
  const text =
    event === 'intent' ? signals[data.signal] : event === 'audit' && data.action !== 'say' ? `${data.by} ${acts[data.action]}.` : undefined
  if (text === undefined || !('at' in data) || before.some((note) => note.id === id)) return before
  return [{ id: id ?? `${data.at}`, at: data.at ?? webClock.now(), text }, ...before].slice(0, 20)
}
