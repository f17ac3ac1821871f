// The log of a run as this process follows it: the folded state for snapshots, and the readers to whom new events go. Any process
// follows any run; the doorbell says when to look, a slow poll finds what a lost ring has hidden.
import type { Clock } from '../kernel/clock.ts'
import { readRunEvents, runTopic } from '../storage/run-log.ts'
import type { Store } from '../storage/store.ts'
import type { RunEventRow, RunRow } from '../storage/tables/runs.ts'
import type { FanOut } from './fan-out.ts'
import { fanOut } from './fan-out.ts'
import { fold } from './fold.ts'
import { eventOf } from './logged.ts'
import type { RunState } from './run-state.ts'
import { initialState } from './run-state.ts'
import type { ContentPort, Talk, TalkSession } from './talk.ts'

export interface Tail {
  readonly run: RunRow
  readonly session: TalkSession
  readonly talk: Talk
  readonly state: RunState
  readonly readers: FanOut
  /** Reads what the store has beyond `state`. */
  advance(): Promise<void>
  /** Calls `fn` after each advance that brought events. */
  onAdvance(fn: () => void): () => void
}

export interface TailHub {
  /** Null when there is no such run, or its session is gone. Call the release once. */
  open(runId: string): Promise<{ tail: Tail; release(): void } | null>
  /** Rows that this process has just committed. */
  push(runId: string, rows: readonly RunEventRow[]): void
  stop(): void
}

const pageSize = 1_000
const safetyPollMs = 2_000
/** A tail without readers is kept this long: reconnects and long polls find it folded. */
const idleMs = 30_000
const presenceMs = 1_000

export function tailHub({ store, clock, content }: { store: Store; clock: Clock; content: ContentPort }): TailHub {
  const tails = new Map<string, Promise<OpenTail | null>>()
  const loaded = new Map<string, OpenTail>()
  const idles = new Set<() => void>()
  const prefix = runTopic('')
  const stopListening = store.listen(prefix, (topic) => void loaded.get(topic.slice(prefix.length))?.advance())
  let cancelPoll = clock.after(safetyPollMs, poll)
  let isStopped = false

  function poll(): void {
    cancelPoll = clock.after(safetyPollMs, poll)
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
    const tail = openTail(store, clock, { run, session, talk })
    loaded.set(runId, tail)
    await tail.advance()
    return tail
  }

  return {
    async open(runId) {
      const opened = tails.get(runId) ?? load(runId)
      tails.set(runId, opened)
      const tail = await opened.catch((error: unknown) => {
        tails.delete(runId)
        throw error
      })
      if (tail === null) return null
      tail.users++
      const release = () => {
        tail.users--
        if (tail.users > 0 || isStopped) return
        const cancel = clock.after(idleMs, () => {
          idles.delete(cancel)
          if (tail.users > 0 || loaded.get(runId) !== tail) return
          loaded.delete(runId)
          tails.delete(runId)
        })
        idles.add(cancel)
      }
      return { tail, release }
    },
    push: (runId, rows) => loaded.get(runId)?.take(rows),
    stop() {
      isStopped = true
      cancelPoll()
      for (const cancel of idles) cancel()
      stopListening()
    },
  }
}

interface OpenTail extends Tail {
  users: number
  take(rows: readonly RunEventRow[]): void
}

function openTail(store: Store, clock: Clock, { run, session, talk }: Pick<Tail, 'run' | 'session' | 'talk'>): OpenTail {
  const readers = fanOut()
  const watchers = new Set<() => void>()
  let state = initialState(run.created_at)
  let reading: Promise<void> | null = null
  let isRungAgain = false
  let presenceDue = false

  function take(rows: readonly RunEventRow[]): void {
    const fresh = rows.filter((row) => row.seq > state.seq)
    const first = fresh[0]
    if (first === undefined) return
    if (first.seq !== state.seq + 1) return void tail.advance()
    const before = state
    for (const row of fresh) state = fold(state, eventOf(row))
    readers.send(fresh)
    if (before.present !== state.present || before.hands !== state.hands) tellPresence()
    for (const watcher of watchers) watcher()
  }

  /** At most once a second, with the count as it is then. */
  function tellPresence(): void {
    if (presenceDue) return
    presenceDue = true
    clock.after(presenceMs, () => {
      presenceDue = false
      readers.note(Buffer.from(`event: presence\ndata: {"count":${state.present},"hands":${state.hands}}\n\n`))
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
    get state() {
      return state
    },
    take,
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
  }
  return tail
}
