// How a room is joined: the runner with the streams of this process. Fresh events go straight to them, and what they see of attendees
// goes back.
import { attendeeGetter } from '../attendees.ts'
import { createRunner, type Runner, type RunnerDeps } from '../runner/runner.ts'
import { createPresence } from '../stream/presence.ts'
import { tailHub } from '../stream/tail.ts'
import { createContactOffers } from './contact-offers.ts'
import type { RoomDeps } from './deps.ts'

/** What the operations need and is not made here, and what the runner is told. */
export interface LiveOptions
  extends
    Omit<RoomDeps, 'runs' | 'hub' | 'presence' | 'attendeeOf' | 'offers'>,
    Pick<RunnerDeps, 'answers' | 'holdsStore' | 'leaseMs' | 'questionWindowMs' | 'speechWpm' | 'voice' | 'onFault'> {
  role: 'all' | 'web' | 'worker'
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
  const { store, clock, ids, content, role, onFault } = options
  const hub = tailHub({ store, clock, content, onMissed: (attendeeId) => presence.missed(attendeeId) })
  const node = ids.uuid()
  const runner = createRunner({
    ...options,
    owner: node,
    presents: role !== 'web',
    onAppended: (runId, rows) => hub.push(runId, rows),
    followed: (runId) => hub.followed(runId),
    // What cannot be read now is read when it is taken.
    foresee: (runId) =>
      void hub
        .open(runId)
        .then((tail) => tail?.release())
        .catch(() => undefined),
    // A worker sees no streams; it takes attendees to be there until a visit ends.
    streamOpen: (runId) => role === 'worker' || store.dialect === 'postgres' || presence.hasStream(runId),
  })
  const presence = createPresence({ store, clock, ids, runs: runner, node, onStreams: (runId) => runner.nudge(runId), onFault })
  const openOf = (sessionId: string) =>
    store.read.selectFrom('runs').select('id').where('session_id', '=', sessionId).where('ended_at', 'is', null)
  return {
    runner,
    room: {
      ...options,
      runs: runner,
      hub,
      presence,
      attendeeOf: attendeeGetter(store),
      offers: createContactOffers({ store, clock }),
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
