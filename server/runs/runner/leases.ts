// Who presents a run: a lease on its row with an epoch that rises with each owner. Expiry decides who may take over; the
// epoch, checked by every append, makes a late writer harmless even when clocks disagree. Taking a run folds its log; one question
// to the store finds those that nobody presents.
import { sql } from 'kysely'
import { signalOf } from '@rostrum/answers/intents'
import type { RunEvent } from '@rostrum/contract/room'
import { openRunSettings } from '@rostrum/contract/session'
import { heldUnlessTaken } from '../../platform/db/statements.ts'
import type { Reader, Store, Tx } from '../../platform/db/store.ts'
import type { ContentPort } from '../talks.ts'
import { orderOf, type Setting } from '@rostrum/stage/decide/draft'
import { times } from '@rostrum/stage/decide/machine'
import { fold } from '@rostrum/stage/fold'
import { eventOf, readRunEvents } from '../log/run-log.ts'
import { initialState, type RunState } from '@rostrum/stage/run-state'
import { listLiving, paces } from '../stream/processes.ts'
import type { Tail } from '../stream/tail.ts'
import type { LeasedRun } from './leased-run.ts'

interface LeaseRequest {
  /** Names the process, anew at each start. */
  owner: string
  now: number
  leaseMs: number
}

export interface RunLease {
  runId: string
  epoch: number
}

/**
 * Takes the run if its lease has run out, is this owner's, or is nobody's. Returns null when it is another's, is unknown, or has ended: an ended run
 * is taken only when `evenEnded`, for what may still come after its end, such as a click. Whoever is writing to the run right now has it,
 * whatever its lease says: nobody waits for the lock of its row.
 */
export async function acquireRunLease(
  tx: Tx,
  runId: string,
  { owner, now, leaseMs, evenEnded = false }: LeaseRequest & { evenEnded?: boolean },
): Promise<RunLease | null> {
  const taken = await tx
    .updateTable('runs')
    .set((eb) => ({ lease_owner: owner, epoch: eb('epoch', '+', 1), lease_until: now + leaseMs }))
    .where('id', 'in', heldUnlessTaken(tx, tx.selectFrom('runs').select('id').where('id', '=', runId)))
    .where((row) => row.or([row('lease_until', '<=', now), row('lease_owner', '=', owner), row('lease_owner', 'is', null)]))
    .$if(!evenEnded, (query) => query.where('ended_at', 'is', null))
    .returning('epoch')
    .executeTakeFirst()
  return taken === undefined ? null : { runId, epoch: taken.epoch }
}

/**
 * Extends every lease of this owner in one statement, but for runs that are being written to: one slow transaction must not cost all
 * the others their leases. Returns the epochs still held, by run; what is missing is lost.
 */
export async function renewRunLeases(tx: Tx, { owner, now, leaseMs }: LeaseRequest): Promise<ReadonlyMap<string, number>> {
  await tx
    .updateTable('runs')
    .set({ lease_until: now + leaseMs })
    .where('id', 'in', heldUnlessTaken(tx, tx.selectFrom('runs').select('id').where('lease_owner', '=', owner)))
    .execute()
  const kept = await tx.selectFrom('runs').select(['id', 'epoch']).where('lease_owner', '=', owner).execute()
  return new Map(kept.map(({ id, epoch }) => [id, epoch]))
}

/** Gives runs up at once, so that another process need not wait for the expiry. Harmless where a lease was lost. */
export async function releaseRunLeases(tx: Tx, leases: readonly RunLease[]): Promise<void> {
  for (let from = 0; from < leases.length; from += 200) {
    const page = leases.slice(from, from + 200)
    await tx
      .updateTable('runs')
      .set({ lease_owner: null, lease_until: 0 })
      .where((eb) => eb.or(page.map(({ runId, epoch }) => eb.and([eb('id', '=', runId), eb('epoch', '=', epoch)]))))
      .execute()
  }
}

interface SleepRequest {
  owner: string
  now: number
  isAlone: boolean
}

/** What a process that presents runs looks for. */
interface Found {
  /** Open runs that nobody owns, longest waiting first. */
  orphans: string[]
  /** Runs for which a command has been written down. */
  waiting: string[]
  /** The leases of other processes that run out first, and when. */
  lapses: readonly { runId: string; at: number }[]
}

const comesMs = 30_000
/** So many runs are read before their leases run out. */
const lapsesMost = 8

/** In one question to the store, because an idle process asks it every second. `isAlone`: there are no other processes. */
export async function findRuns(
  read: Reader,
  { owner, now, isAlone, most }: { owner: string; now: number; isAlone: boolean; most: number },
): Promise<Found> {
  const open = read.selectFrom('runs').where('ended_at', 'is', null)
  const columns = (kind: keyof Found) => ['id', 'lease_until as at', sql.lit(kind).as('kind')] as const
  const orphans = open.select(columns('orphans')).where('lease_until', '<=', now).orderBy('lease_until').orderBy('id').limit(most)
  const waiting = read
    .selectFrom('run_commands')
    .select(['run_id as id', sql.lit(0).as('at'), sql.lit<keyof Found>('waiting').as('kind')])
    .distinct()
    .where('handled_at', 'is', null)
    .limit(1_000)
  const lapse = open
    .where('lease_owner', '!=', owner)
    .select(columns('lapses'))
    .where('lease_until', '>', now)
    .orderBy('lease_until')
    .limit(lapsesMost)
  const here = read
    .selectFrom(orphans.as('o'))
    .selectAll()
    .unionAll(read.selectFrom(waiting.as('w')).selectAll())
  const rows = await (isAlone ? here : here.unionAll(read.selectFrom(lapse.as('l')).selectAll())).execute()
  const of = (kind: keyof Found) => rows.filter((row) => row.kind === kind)
  const ids = (kind: keyof Found) => of(kind).map(({ id }) => id)
  const lapses = of('lapses').map(({ id, at }) => ({ runId: id, at }))
  return { orphans: ids('orphans'), waiting: ids('waiting'), lapses: lapses.toSorted((a, b) => a.at - b.at) }
}

/**
 * Of `runIds`, talks of one attendee that nobody is in: they cost no process anything until somebody comes back or sends something, or until
 * they are to end, for which they are found again. Gives those. Where there is no other process, a visit that a dead one has left open is of
 * nobody either, until that process counts as missed and the visit is to be closed.
 */
export async function letSleep(tx: Tx, runIds: readonly string[], { owner, now, isAlone }: SleepRequest): Promise<ReadonlySet<string>> {
  const silenceMs = paces.sqlite.silenceMs
  const visited = await tx
    .selectFrom('visits')
    .innerJoin('attendees', 'attendees.id', 'visits.attendee_id')
    .leftJoin('processes', 'processes.id', 'attendees.node')
    .select(['visits.run_id', 'visits.left_at', 'attendees.node', 'processes.seen_at'])
    .where('visits.run_id', 'in', runIds)
    .execute()
  const rows = await tx
    .selectFrom('runs')
    .select(['id', 'status', 'created_at'])
    .where('id', 'in', runIds)
    .where('mode', '=', 'isolated')
    .where('lease_until', '<=', now)
    .where('ended_at', 'is', null)
    // Whoever has just joined is about to come.
    .where('created_at', '<', now - comesMs)
    .execute()
  const visitsOf = Map.groupBy(visited, ({ run_id }) => run_id)
  const asleep = new Set<string>()
  for (const { id, status, created_at } of rows) {
    const visits = visitsOf.get(id) ?? []
    const open = visits.filter(({ left_at }) => left_at === null)
    const missedAt = open.map(({ node, seen_at }) => (isAlone && node !== owner && seen_at !== null ? seen_at + silenceMs : now))
    const emptySince = Math.max(created_at, ...visits.map(({ left_at }) => left_at ?? 0))
    const isStill = status === 'lobby' || status === 'paused'
    const endsAt = isStill ? emptySince + (status === 'lobby' ? times.unattended : times.abandoned) : now
    const until = open.length > 0 ? Math.min(...missedAt) : endsAt
    if (until <= now) continue
    await tx
      .updateTable('runs')
      .set({ lease_owner: null, lease_until: until })
      .where('id', '=', id)
      .where('lease_until', '<=', now)
      .execute()
    asleep.add(id)
  }
  return asleep
}

/**
 * Ends every run lease at once. Only for a process that holds the data directory (`lock: true`): whoever held them is dead.
 * On PostgreSQL they run out by themselves.
 */
export async function freeAllRunLeases(tx: Tx): Promise<void> {
  await tx.updateTable('runs').set({ lease_owner: null, lease_until: 0 }).where('lease_owner', 'is not', null).execute()
}

// Taking a run and giving it back: the lease on its row, and its log folded into the state from which the presenter goes on.

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
  /** Names this process, anew at each start. */
  owner: string
  /** `ROSTRUM_LEASE_MS` */
  leaseMs: number
  /** `ROSTRUM_QA_WINDOW_MS` */
  questionWindowMs: number
  /** What the streams of this process know of a run, so that taking it over need not begin from nothing. */
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
  // Our own is of a run which was given up: nobody else can take it.
  if (row.lease_owner !== null && row.lease_owner !== owner && row.lease_until > clock.now()) return null
  const known = deps.followed?.(runId) ?? null
  const current = await content.getSession(row.session_id)
  if (current === null) return null
  const session = { ...(known?.session ?? current), ...openRunSettings(current) }
  const talk = known?.talk ?? (await content.pinnedTalk(row.session_id, row.deck_id))
  const wanted = { owner, now: clock.now(), leaseMs: deps.leaseMs, evenEnded: isLate }
  const lease = await store.write((tx) => acquireRunLease(tx, runId, wanted))
  if (lease === null) return null
  // Read after the lease was taken: nobody else can append any more.
  const state = await foldLog(store.read, runId, known?.state ?? initialState(row.created_at))
  const { kind, mode } = row
  const setting: Setting = {
    runId,
    kind,
    mode,
    session,
    talk,
    order: orderOf(talk),
    showsInterest: (text) => signalOf(text) !== undefined,
    questionWindowMs: deps.questionWindowMs,
    addressMark: row.address_mark,
  }
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

/** A page of a host goes with the process that had it: each run presented here is told so, once that process has been silent for long. */
export async function missHosts({ store, clock, owner }: Pick<LeasingDeps, 'store' | 'clock' | 'owner'>, runs: Iterable<LeasedRun>) {
  const silentSince = clock.now() - paces[store.dialect].silenceMs
  const open = [...runs].filter(({ state }) => !state.closed && state.hostSeenAt < silentSince)
  const pages = open.flatMap((run) => run.state.hostNodes.filter((node) => node !== owner).map((node) => ({ run, node })))
  if (pages.length === 0) return
  const living = await listLiving(store.read, [...new Set(pages.map(({ node }) => node))], silentSince)
  for (const { run, node } of pages) if (!living.has(node)) run.put({ kind: 'host_stream', id: '', attendeeId: null, present: false, node })
}
