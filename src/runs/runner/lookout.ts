// Looks for runs that nobody presents: at the instant the next lease of another process runs out, and as soon as such a process is
// seen to be gone. Which of several processes then gets a run, the lease decides.
import type { Clock } from '../../platform/clock.ts'
import type { Lifeline } from '../../platform/db/postgres.ts'
import type { Store } from '../../platform/db/store.ts'
import { listLiving } from '../log/processes.ts'
import { findRuns, type Found, freeRunLeasesOf } from '../log/run-leases.ts'
import { paces } from '../stream/process-beats.ts'
import type { LeasedRun } from './leased-run.ts'
import type { Rounds } from './rounds.ts'
import { createStandby, type Follow, followedMax } from './standby.ts'

export interface LookoutDeps {
  store: Store
  clock: Clock
  owner: string
  /** Between two looks, where no lease runs out before. */
  idleMs: number
  /** Nobody else presents runs of this store for long: only what this process has let go of is looked for. */
  holdsStore: boolean
  rounds: Rounds
  /** True when this process presents the run from now on, and did not before. */
  take(runId: string): Promise<boolean>
  /** A command for the run has been written down, and nobody may have heard the bell. */
  serve(runId: string): Promise<void>
  /** Absent where no run is followed ahead of its taking. */
  follow?: Follow
  onFailure(error: unknown): void
}

export interface Lookout {
  /** Takes what is free now, and looks again by itself from then on. */
  start(): Promise<void>
  stop(): Promise<void>
}

const limits = { runs: 100, broadcasts: followedMax }
const atOnce = 8
/** Between two looks at least. */
const pauseMs = 20
/** How often it is asked which processes are gone, while another one presents anything: so often for each that lives, within bounds. */
const goneMs = { each: 25, least: 50, most: 500 }

export function createLookout({ store, clock, owner, idleMs, holdsStore, rounds, take, serve, follow, onFailure }: LookoutDeps): Lookout {
  const lifeline = store.lifeline?.(owner)
  const standby = follow === undefined ? undefined : createStandby(follow)
  let looking: Promise<unknown> = Promise.resolve()
  let othersPresent = true
  let serving: Promise<void> | undefined

  /** Looks follow each other: what became free during one is found by the next. */
  function look(): Promise<Found> {
    const next = looking.catch(() => undefined).then(takeOrphans)
    looking = next
    return next
  }

  async function takeOrphans(): Promise<Found> {
    for (;;) {
      const found = await findRuns(store.read, { owner, now: clock.now(), isAlone: holdsStore, limits })
      let taken = 0
      for (let from = 0; from < found.orphans.length; from += atOnce) {
        const page = await Promise.all(found.orphans.slice(from, from + atOnce).map(take))
        taken += page.filter(Boolean).length
      }
      if (found.orphans.length < limits.runs || taken === 0) return found
    }
  }

  /** Gives how long until the next look. */
  async function lookAndServe(): Promise<number> {
    const { waiting, lapseAt, broadcasts } = await look()
    othersPresent = !holdsStore && lapseAt !== null
    if (waiting.length > 0) serving ??= serveAll(waiting).finally(() => (serving = undefined))
    await standby?.refresh(broadcasts)
    return lapseAt === null ? idleMs : Math.min(idleMs, Math.max(pauseMs, lapseAt - clock.now()))
  }

  /** Nobody else waits for a run that takes long to be opened. */
  async function serveAll(runIds: readonly string[]): Promise<void> {
    for (const runId of runIds) await serve(runId).catch(onFailure)
  }

  async function lookForGone(seen: Lifeline): Promise<number> {
    if (!othersPresent) return goneMs.most
    const { living, gone } = await seen.look()
    if (gone.length > 0) {
      await store.write((tx) => freeRunLeasesOf(tx, gone))
      await look()
    }
    return Math.min(goneMs.most, Math.max(goneMs.least, living.length * goneMs.each))
  }

  return {
    async start() {
      if (lifeline !== undefined) {
        // The others must see this one before it can be missed.
        await lifeline.look()
        rounds.every(goneMs.most, () => lookForGone(lifeline), goneMs.least)
      }
      // A store that is busy now is asked again; it need not keep the process from its other work.
      rounds.every(idleMs, lookAndServe, (await lookAndServe().catch(onFailure)) ?? idleMs)
    },
    async stop() {
      await serving
      standby?.stop()
      await lifeline?.close()
    },
  }
}

/** A page of a host goes with the process that had it: each run presented here is told so, once that process has been silent for long. */
export async function missHosts({ store, clock, owner }: Pick<LookoutDeps, 'store' | 'clock' | 'owner'>, runs: Iterable<LeasedRun>) {
  const silentSince = clock.now() - paces[store.dialect].silenceMs
  const open = [...runs].filter(({ state }) => !state.closed && state.hostSeenAt < silentSince)
  const pages = open.flatMap((run) => run.state.hostNodes.filter((node) => node !== owner).map((node) => ({ run, node })))
  if (pages.length === 0) return
  const living = await listLiving(store.read, [...new Set(pages.map(({ node }) => node))], silentSince)
  for (const { run, node } of pages) if (!living.has(node)) run.put({ type: 'host_seen', present: false, node })
}
