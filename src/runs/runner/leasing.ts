// Taking a run and giving it back: the lease on its row, and its log folded into the state from which the presenter goes on.
import type { Reader, Store } from '../../platform/db/store.ts'
import { orderOf, type Setting } from '../decide/setting.ts'
import { acquireRunLease } from '../log/run-leases.ts'
import { readRunEvents } from '../log/run-log.ts'
import { fold } from '../state/fold.ts'
import { eventOf } from '../state/logged.ts'
import type { RunEvent } from '../../contract/room.ts'
import { initialState, type RunState } from '../state/run-state.ts'
import type { Tail } from '../stream/tail.ts'
import { openRunSettings } from '../../contract/session.ts'
import type { ContentPort } from '../talk.ts'

export interface OpenedRun {
  setting: Setting
  epoch: number
  state: RunState
}

/** A run as the streams of this process follow it: folded that far already. */
export type FollowedRun = Pick<Tail, 'session' | 'talk' | 'state'>

export interface LeasingDeps {
  store: Store
  clock: { now(): number }
  content: ContentPort
  owner: string
  leaseMs: number
  questionWindowMs: number
  followed?(runId: string): FollowedRun | null
  onFault(runId: string, error: unknown): void
}

const pageSize = 1_000

/**
 * Takes the lease and folds the log; for a run that this process does not present. Null when it is another's, unknown, or has ended and
 * `isLate` is not said.
 */
export async function openRun(deps: LeasingDeps, runId: string, isLate: boolean): Promise<OpenedRun | null> {
  const { store, clock, content, owner } = deps
  const row = await store.read.selectFrom('runs').selectAll().where('id', '=', runId).executeTakeFirst()
  if (row === undefined || (row.ended_at !== null && !isLate)) return null
  // A first lease, or that of a run which was given up: nobody else can take it, and as long as it is asked for it is not given back.
  const isOurs = row.lease_owner === owner
  if (!isOurs && row.lease_until > clock.now()) return null
  // Made by this process with its lease in it, and untouched since: nothing has to be taken.
  const isFresh = isOurs && row.last_seq === 0
  const known = deps.followed?.(runId) ?? null
  const current = await content.getSession(row.session_id)
  if (current === null) return null
  const session = { ...(known?.session ?? current), ...openRunSettings(current) }
  const talk = known?.talk ?? (await content.pinnedTalk(row.session_id, row.deck_id))
  const lease = isFresh
    ? { epoch: row.epoch }
    : await store.write((tx) => acquireRunLease(tx, runId, { owner, now: clock.now(), leaseMs: deps.leaseMs, evenEnded: isLate }))
  if (lease === null) return null
  // Read after the lease was taken: nobody else can append any more.
  const state = await foldLog(store.read, runId, known?.state ?? initialState(row.created_at))
  const { kind, mode } = row
  const setting: Setting = { runId, kind, mode, session, talk, order: orderOf(talk), questionWindowMs: deps.questionWindowMs }
  if (mode === 'broadcast') learnSameness(deps, setting, row.deck_id)
  return { setting, epoch: lease.epoch, state }
}

/** Not waited for: the talk goes on before the words of its deck are indexed, and until then questions merge by their own words. */
function learnSameness({ content, onFault }: LeasingDeps, setting: Setting, deckId: string | null): void {
  content.sameQuestion?.(setting.session.sessionId, deckId).then(
    (isSame) => void (setting.isSame = isSame),
    (error: unknown) => onFault(setting.runId, error),
  )
}

/** `from`, and every event of the log after it. */
export async function foldLog(read: Reader, runId: string, from: RunState): Promise<RunState> {
  let state = from
  for (;;) {
    const rows = await readRunEvents(read, runId, state.seq, pageSize)
    for (const row of rows) state = fold(state, eventOf(row) satisfies RunEvent)
    if (rows.length < pageSize) return state
  }
}
