// The log of a run as this process follows it: the folded state for snapshots, and the readers to whom new events go. Any process
// follows any run; the doorbell says when to look, a slow poll finds what a lost ring has hidden.
import type { Clock } from '@rostrum/base/clock'
import type { Store } from '../../platform/db/store.ts'
import type { RunEventRow, RunRow } from '../tables.ts'
import { eventOf, isSent, readRunEvents, runTopic } from '../log/run-log.ts'
import { fold } from '@rostrum/stage/fold'
import { initialState, type RunState } from '@rostrum/stage/run-state'
import type { ContentPort } from '../talks.ts'
import type { Talk, TalkSession } from '@rostrum/contract/talk'
import { type FanOut, fanOut, isOfRoom, noteEveryMs } from './fan-out.ts'
import { presenceOf } from './snapshot.ts'

export interface Tail {
  readonly run: RunRow
  readonly session: TalkSession
  readonly talk: Talk
  readonly state: RunState
  readonly readers: FanOut
  /** The events after `seq` that anybody is sent, where all of them are young enough to be at hand: a crowd that comes back reads nothing. */
  since(seq: number): readonly RunEventRow[] | null
  /** Who has less than this has missed more of the room than is told one by one. */
  readonly replayFrom: number
  /** Reads what the store has beyond `state`. */
  advance(): Promise<void>
  /** Calls `fn` after each advance that brought events. */
  onAdvance(fn: () => void): () => void
  /** Whoever opened the tail needs it no longer; called once by each. */
  release(): void
}

export interface TailHub {
  /** Null when there is no such run, or its session is gone. Release the tail once. */
  open(runId: string): Promise<Tail | null>
  /** The run, if it is followed here already. */
  followed(runId: string): Tail | null
  /** Rows that this process has just committed. */
  push(runId: string, rows: readonly RunEventRow[]): void
  stop(): void
}

const pageSize = 1_000
const safetyPollMs = 2_000
/** A tail without readers is kept this long: reconnects and long polls find it folded. */
const idleMs = 30_000
/** Sent events kept at hand for readers who come back, by mode: a run of one attendee has one such reader. */
const recentMax = { broadcast: 256, isolated: 32 }
/**
 * Events of the room that are told one by one to whoever missed them: more of them are the whole room instead. What a reader does not
 * see, such as thousands of others coming and going, is no reason to be sent it; a mark is kept at each hundredth.
 */
const replayMax = 1_000
const markEvery = 100

export interface TailHubDeps {
  store: Store
  clock: Clock
  content: ContentPort
  /** The log has closed the visit of an attendee without a stream. */
  onMissed?(attendeeId: string): void
}

export function tailHub({ store, clock, content, onMissed }: TailHubDeps): TailHub {
  const tails = new Map<string, Promise<OpenTail | null>>()
  const loaded = new Map<string, OpenTail>()
  const prefix = runTopic('')
  const stopListening = store.listen(prefix, (topic) => loaded.get(topic.slice(prefix.length))?.look())
  let cancelPoll = clock.after(safetyPollMs, poll)

  function poll(): void {
    cancelPoll = clock.after(safetyPollMs, poll)
    for (const [runId, tail] of loaded) if (tail.users === 0 && clock.elapsed() - tail.unusedSince >= idleMs) drop(runId)
    void catchUp([...loaded.values()]).catch(() => undefined)
  }

  /** One query tells which of many logs have grown unseen. */
  async function catchUp(all: readonly OpenTail[]): Promise<void> {
    for (let from = 0; from < all.length; from += 500) {
      const page = all.slice(from, from + 500)
      const rows = await store.read
        .selectFrom('runs')
        .select(['id', 'last_seq'])
        .where(
          'id',
          'in',
          page.map((tail) => tail.run.id),
        )
        .execute()
      for (const { id, last_seq } of rows) {
        const tail = loaded.get(id)
        if (tail !== undefined && last_seq > tail.state.seq) await tail.advance()
      }
    }
  }

  async function load(runId: string): Promise<OpenTail | null> {
    const run = await store.read.selectFrom('runs').selectAll().where('id', '=', runId).executeTakeFirst()
    const session = run === undefined ? null : await content.getSession(run.session_id)
    if (run === undefined || session === null) {
      tails.delete(runId)
      return null
    }
    const talk = await content.pinnedTalk(run.session_id, run.deck_id)
    const tail = openTail({ store, clock, onMissed }, { run, session, talk })
    loaded.set(runId, tail)
    await tail.advance()
    return tail
  }

  function drop(runId: string): void {
    loaded.delete(runId)
    tails.delete(runId)
  }

  return {
    async open(runId) {
      const opened = tails.get(runId) ?? load(runId)
      tails.set(runId, opened)
      const tail = await opened.catch((error: unknown) => {
        drop(runId)
        throw error
      })
      if (tail !== null) tail.users++
      return tail
    },
    followed: (runId) => loaded.get(runId) ?? null,
    push: (runId, rows) => loaded.get(runId)?.take(rows),
    stop() {
      cancelPoll()
      stopListening()
    },
  }
}

interface OpenTail extends Tail {
  users: number
  /** Of the clock, when the last of them went. */
  unusedSince: number
  /** Advances, and nobody waits for it: a store that cannot be read now is asked again by the poll. */
  look(): void
  take(rows: readonly RunEventRow[]): void
}

type TailStart = Pick<Tail, 'run' | 'session' | 'talk'>

type OpenTailDeps = Pick<TailHubDeps, 'store' | 'clock'> & { onMissed: TailHubDeps['onMissed'] }

function openTail({ store, clock, onMissed }: OpenTailDeps, { run, session, talk }: TailStart): OpenTail {
  const readers = fanOut(clock)
  const watchers = new Set<() => void>()
  let state = initialState(run.created_at)
  let recent: readonly RunEventRow[] = []
  /** The newest sent event that is not at hand. */
  let forgotten = 0
  let marks: readonly number[] = [0]
  let roomEvents = 0
  let reading: Promise<void> | null = null
  let isRungAgain = false
  let presenceDue = false

  function take(rows: readonly RunEventRow[]): void {
    const fresh = rows.filter((row) => row.seq > state.seq)
    const first = fresh[0]
    if (first === undefined) return
    if (first.seq !== state.seq + 1) return tail.look()
    const before = state
    const events = fresh.map(eventOf)
    for (const event of events) state = fold(state, event)
    keep(fresh.filter(isSent))
    // What is at hand may hold a name that the log holds no more.
    if (events.some(({ type }) => type === 'erased')) [recent, forgotten] = [[], state.seq]
    readers.send(fresh)
    for (const { type, data } of events)
      if (type === 'visit' && data.phase === 'closed' && data.reason === 'disconnected') onMissed?.(data.attendeeId)
    const isSame = (['present', 'hands', 'reactions', 'faces', 'polls'] as const).every((part) => before[part] === state[part])
    if (!isSame) tellPresence()
    for (const watcher of watchers) watcher()
  }

  function keep(sent: readonly RunEventRow[]): void {
    const all = [...recent, ...sent]
    recent = all.slice(-recentMax[run.mode])
    forgotten = all.at(-1 - recent.length)?.seq ?? forgotten
    for (const { seq } of sent.filter(isOfRoom))
      if (++roomEvents % markEvery === 0) marks = [...marks, seq].slice(-1 - replayMax / markEvery)
  }

  /** With the count as it is when it is told. */
  function tellPresence(): void {
    if (presenceDue) return
    presenceDue = true
    clock.after(noteEveryMs(readers.size), () => {
      presenceDue = false
      const frame = (isHost: boolean) => Buffer.from(`event: presence\ndata: ${JSON.stringify(presenceOf({ run, state }, isHost))}\n\n`)
      readers.note(frame(false), state.polls.some(({ open }) => open) ? frame(true) : undefined)
    })
  }

  async function read(): Promise<void> {
    do {
      isRungAgain = false
      for (;;) {
        const rows = await readRunEvents(store.read, run.id, state.seq, pageSize)
        take(rows)
        if (rows.length < pageSize) break
      }
    } while (isRungAgain)
  }

  const tail: OpenTail = {
    run,
    session,
    talk,
    readers,
    users: 0,
    unusedSince: Infinity,
    get state() {
      return state
    },
    take,
    since: (seq) => (seq < forgotten ? null : recent.filter((row) => row.seq > seq)),
    get replayFrom() {
      return marks[0] ?? 0
    },
    look: () => void tail.advance().catch(() => undefined),
    advance() {
      isRungAgain = true
      reading ??= read().finally(() => {
        reading = null
      })
      return reading
    },
    onAdvance(fn) {
      watchers.add(fn)
      return () => void watchers.delete(fn)
    },
    release() {
      tail.users--
      tail.unusedSince = clock.elapsed()
    },
  }
  return tail
}
