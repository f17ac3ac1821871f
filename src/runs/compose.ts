// Joins the runner with the streams of this process: fresh events go straight to them, and what they see of attendees goes back.
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../platform/db/store.ts'
import type { Ids } from '../platform/ids.ts'
import { attendeeGetter } from './attendees.ts'
import { createContactOffers } from './contact-offers.ts'
import type { RecapLinks } from './recap-links.ts'
import type { EarsPort, LeadPort, RoomDeps } from './room-deps.ts'
import type { AnswerPort } from './runner/answer-port.ts'
import type { AnswerVoice } from './runner/answering-task.ts'
import { createRunner, type Runner } from './runner/runner.ts'
import { createPresence } from './stream/presence.ts'
import { tailHub } from './stream/tail.ts'
import type { ContentPort } from './talk.ts'

export interface LiveOptions {
  store: Store
  clock: Clock
  ids: Ids
  baseUrl: string
  role: 'all' | 'web' | 'worker'
  /** This process holds the data directory (SQLite). */
  holdsStore: boolean
  leaseMs: number
  questionWindowMs: number
  speechWpm: number
  content: ContentPort
  answers: AnswerPort
  leads: LeadPort
  recapLinks: RecapLinks
  mintToken(): string
  hashToken(token: string): string
  hasMinutes(accountId: string, now: number): Promise<boolean>
  openRuns: RoomDeps['openRuns']
  voices: { tts: boolean; stt: boolean }
  ears: EarsPort | null
  affordHearing: RoomDeps['affordHearing']
  keepSound: RoomDeps['keepSound']
  /** Says sentences of answers; without one the browser does. */
  voice?: AnswerVoice
  /** A failure that the talk has survived: an answer that threw, a store that was away. No content of the talk is in it. */
  tellOperator?: RoomDeps['tellOperator']
  onFault(runId: string, error: unknown): void
}

export interface Live {
  room: RoomDeps
  runner: Runner
  start(): Promise<void>
  /** Before the streams are closed: leases are released, so another process goes on at once. */
  drain(): Promise<void>
  /** Ends what waits even where nothing was started: a one-shot command. */
  close(): void
  /** A session was deleted: its open runs end. Unpublishing lets people finish. */
  stopRuns(sessionId: string, reason: 'deleted' | 'revoked'): Promise<void>
  /** A session was changed: its open broadcasts read their settings anew. Those of one attendee last for minutes, and have none. */
  tellRuns(sessionId: string): Promise<void>
}

export function createLive(options: LiveOptions): Live {
  const { store, clock, ids, content, baseUrl, role, onFault } = options
  const hub = tailHub({ store, clock, content, onMissed: (attendeeId) => presence.missed(attendeeId) })
  const node = ids.uuid()
  const runner = createRunner({
    store,
    clock,
    content,
    answers: options.answers,
    owner: node,
    leaseMs: options.leaseMs,
    questionWindowMs: options.questionWindowMs,
    speechWpm: options.speechWpm,
    ...(options.voice && { voice: options.voice }),
    presents: role !== 'web',
    holdsStore: options.holdsStore,
    onAppended: (runId, rows) => hub.push(runId, rows),
    followed: (runId) => hub.followed(runId),
    follow: async (runId) => {
      const tail = await hub.open(runId)
      return () => tail?.release()
    },
    // A worker sees no streams; it takes attendees to be there until a visit ends.
    streamOpen: (runId) => role === 'worker' || store.dialect === 'postgres' || presence.hasStream(runId),
    onFault,
  })
  const presence = createPresence({ store, clock, ids, desk: runner, node, onStreams: (runId) => runner.nudge(runId), onFault })
  const offers = createContactOffers({ store, clock })
  const { leads, recapLinks, mintToken, hashToken, hasMinutes, openRuns, voices, ears, affordHearing, keepSound } = options
  const openOf = (sessionId: string) =>
    store.read.selectFrom('runs').select('id').where('session_id', '=', sessionId).where('ended_at', 'is', null)
  return {
    runner,
    room: {
      store,
      clock,
      ids,
      baseUrl,
      content,
      desk: runner,
      hub,
      presence,
      attendeeOf: attendeeGetter(store),
      leads,
      offers,
      recapLinks,
      mintToken,
      hashToken,
      hasMinutes,
      openRuns,
      voices,
      ears,
      affordHearing,
      keepSound,
      ...(options.tellOperator && { tellOperator: options.tellOperator }),
    },
    async start() {
      await runner.start()
      presence.start()
    },
    async drain() {
      presence.stop()
      await runner.drain()
      hub.stop()
    },
    close: () => hub.stop(),
    async stopRuns(sessionId, reason) {
      const open = await openOf(sessionId).execute()
      for (const { id } of open) await runner.submit(id, { kind: 'stop', id: ids.uuid(), attendeeId: null, reason })
    },
    async tellRuns(sessionId) {
      const open = await openOf(sessionId).where('mode', '=', 'broadcast').execute()
      for (const { id } of open) await runner.note(id, { kind: 'settings', id: ids.uuid(), attendeeId: null })
    },
  }
}
