// Taking a run and giving it back: the lease on its row, and its log folded into the state from which the presenter goes on.
import type { RunEvent } from '../room/run-event.ts'
import { fold } from '../room/fold.ts'
import { eventOf } from '../room/logged.ts'
import type { RunState } from '../room/run-state.ts'
import { initialState } from '../room/run-state.ts'
import type { ContentPort } from '../room/talk.ts'
import { readRunEvents } from '../storage/run-log.ts'
import type { Reader, Store } from '../storage/store.ts'
import type { Setting } from './setting.ts'
import { orderOf } from './setting.ts'

export interface OpenedRun {
  setting: Setting
  epoch: number
  state: RunState
}

export interface LeasingDeps {
  store: Store
  clock: { now(): number }
  content: ContentPort
  owner: string
  leaseMs: number
  questionWindowMs: number
}

const pageSize = 1_000

/** Takes the lease and folds the log. Null when the run is another's, unknown, or has ended and `isLate` is not said. */
export async function openRun(deps: LeasingDeps, runId: string, isLate: boolean): Promise<OpenedRun | null> {
  const { store, clock, content, owner } = deps
  const row = await store.read.selectFrom('runs').selectAll().where('id', '=', runId).executeTakeFirst()
  if (row === undefined || (row.ended_at !== null && !isLate)) return null
  // Made by this process with its lease in it, and untouched since: nothing has to be taken.
  const isFresh = row.lease_owner === owner && row.last_seq === 0
  if (!isFresh && row.lease_until > clock.now()) return null
  const session = await content.getSession(row.session_id)
  if (session === null) return null
  const talk = await content.pinnedTalk(row.session_id, row.deck_id)
  const epoch = isFresh ? row.epoch : await takeLease(deps, runId)
  if (epoch === null) return null
  // Read after the lease was taken: nobody else can append any more.
  const state = await foldLog(store.read, runId, row.created_at)
  const setting: Setting = {
    runId,
    kind: row.kind,
    mode: row.mode,
    session,
    talk,
    order: orderOf(talk),
    questionWindowMs: deps.questionWindowMs,
  }
  return { setting, epoch, state }
}

async function takeLease({ store, clock, owner, leaseMs }: LeasingDeps, runId: string): Promise<number | null> {
  return store.write(async (tx) => {
    const now = clock.now()
    const taken = await tx
      .updateTable('runs')
      .set((eb) => ({ lease_owner: owner, epoch: eb('epoch', '+', 1), lease_until: now + leaseMs }))
      .where('id', '=', runId)
      .where('lease_until', '<=', now)
      .returning('epoch')
      .executeTakeFirst()
    return taken?.epoch ?? null
  })
}

export async function foldLog(read: Reader, runId: string, createdAt: number): Promise<RunState> {
  let state = initialState(createdAt)
  for (;;) {
    const rows = await readRunEvents(read, runId, state.seq, pageSize)
    for (const row of rows) state = fold(state, eventOf(row) satisfies RunEvent)
    if (rows.length < pageSize) return state
  }
}

/** Extends every lease of this owner in one statement. Returns the epochs still held, by run. */
export async function renewRuns(
  store: Store,
  { owner, now, leaseMs }: { owner: string; now: number; leaseMs: number },
): Promise<ReadonlyMap<string, number>> {
  const rows = await store.write((tx) =>
    tx
      .updateTable('runs')
      .set({ lease_until: now + leaseMs })
      .where('lease_owner', '=', owner)
      .returning(['id', 'epoch'])
      .execute(),
  )
  return new Map(rows.map(({ id, epoch }) => [id, epoch]))
}

/** Gives runs up at once, so that another process need not wait for the expiry. Harmless where a lease was lost. */
export async function releaseRuns(store: Store, runs: readonly { runId: string; epoch: number }[]): Promise<void> {
  if (runs.length === 0) return
  await store.write(async (tx) => {
    for (let from = 0; from < runs.length; from += 200) {
      const page = runs.slice(from, from + 200)
      await tx
        .updateTable('runs')
        .set({ lease_owner: null, lease_until: 0 })
        .where((eb) => eb.or(page.map(({ runId, epoch }) => eb.and([eb('id', '=', runId), eb('epoch', '=', epoch)]))))
        .execute()
    }
  })
}
