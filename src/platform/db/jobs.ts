// Work that outlives its process: one durable table, one scheduler. Whoever claims a job holds it under a lease; a job that fails is tried
// again later, and one whose process dies is another's when the lease has run out.
import type { Clock } from '../clock.ts'
import type { Ids } from '../ids.ts'
import { heldUnlessTaken } from './row-locks.ts'
import type { Store, Tx } from './store.ts'
import type { JobRow } from './tables/events.ts'
import { ringAfter } from './transaction-context.ts'

export interface JobKind {
  /** A job that throws has failed. It may run twice where a process dies, so it is made for that. */
  run(job: Job): Promise<void>
  /** Longer than `run` takes. */
  leaseMs: number
  /** After the first failure, the second and so on; after as many it is given up. */
  retryMs?: readonly number[]
  /** One job of this kind is always there, and runs again so long after it has ended, however it ended. */
  everyMs?: number
}

export interface Job extends Pick<JobRow, 'key' | 'data' | 'failures'> {
  /** A failure now is the last. */
  isLast: boolean
}

export interface Jobs {
  start(): Promise<void>
  /** Resolves when nothing is due and nothing runs. */
  idle(): Promise<void>
  /** Claims nothing more, and waits for what runs. */
  close(): Promise<void>
}

interface JobsParts {
  store: Store
  clock: Clock
  ids: Ids
  /** What this process does, by name. */
  kinds: Readonly<Record<string, JobKind>>
  /** It alone uses the store: whoever held a lease is dead. */
  isAlone: boolean
  /** A job failed; it may be tried again. */
  onFailure(kind: string, error: unknown): void
}

/** Rung when there is a job. */
const jobsTopic = 'jobs'
/** A bell can be lost. */
const pollMs = 5_000
const runningMax = 8

/** In the transaction of what it follows from; of one kind and key there is one. */
export async function addJob(tx: Tx, kind: string, { key, data, dueAt }: { key: string; data: string; dueAt: number }): Promise<void> {
  await tx
    .insertInto('jobs')
    .values({ kind, key, data, due_at: dueAt, failures: 0, lease_token: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  ringAfter(tx, jobsTopic)
}

export function createJobs({ store, clock, ids, kinds, isAlone, onFailure }: JobsParts): Jobs {
  const names = Object.keys(kinds)
  const running = new Set<Promise<void>>()
  let isRunning = false
  let looking: Promise<void> | null = null
  let mustLook = false
  let cancelTimer: () => void = () => {}
  let stopListening: () => void = () => {}
  let whenIdle: (() => void)[] = []

  function look(): void {
    mustLook = true
    looking ??= claimAll().finally(() => {
      looking = null
      settle()
    })
  }

  async function claimAll(): Promise<void> {
    while (isRunning && mustLook && running.size < runningMax) {
      mustLook = false
      cancelTimer()
      let nextAt = clock.now() + pollMs
      try {
        const due = await store.read
          .selectFrom('jobs')
          .select(({ fn }) => fn.min('due_at').as('at'))
          .where('kind', 'in', names)
          .executeTakeFirst()
        const at = due?.at ?? nextAt
        if (at <= clock.now()) await claim()
        else nextAt = Math.min(nextAt, at)
      } catch (error) {
        onFailure('-', error)
      }
      if (isRunning) cancelTimer = clock.after(nextAt - clock.now(), look)
    }
  }

  async function claim(): Promise<void> {
    const now = clock.now()
    const free = runningMax - running.size
    const claimed = await store.write(async (tx) => {
      const due = tx.selectFrom('jobs').selectAll().where('kind', 'in', names).where('due_at', '<=', now).orderBy('due_at').limit(free)
      const rows = await heldUnlessTaken(tx, due).execute()
      const lease_token = ids.uuid()
      for (const { kind, key } of rows) {
        const due_at = now + (kinds[kind]?.leaseMs ?? pollMs)
        await tx.updateTable('jobs').set({ due_at, lease_token }).where('kind', '=', kind).where('key', '=', key).execute()
      }
      return rows.map((row) => ({ ...row, lease_token }))
    })
    mustLook ||= claimed.length === free
    for (const row of claimed) {
      const work = carry(row).finally(() => {
        running.delete(work)
        if (isRunning) look()
      })
      running.add(work)
    }
  }

  async function carry(row: JobRow): Promise<void> {
    const kind = kinds[row.kind]
    if (kind === undefined) return
    const retryMs = kind.everyMs ?? kind.retryMs?.[row.failures]
    let waitMs = kind.everyMs
    try {
      await kind.run({ ...row, isLast: retryMs === undefined })
    } catch (error) {
      waitMs = retryMs
      onFailure(row.kind, error)
    }
    try {
      await store.write((tx) => end(tx, row, waitMs))
    } catch (error) {
      // It is run once more when its lease has run out.
      onFailure(row.kind, error)
    }
  }

  /** Where the lease was lost, it is another's. */
  async function end(tx: Tx, { kind, key, lease_token, failures }: JobRow, waitMs: number | undefined): Promise<void> {
    const ours = { kind, key, lease_token }
    if (waitMs === undefined)
      await tx
        .deleteFrom('jobs')
        .where((row) => row.and(ours))
        .execute()
    else {
      const later = { due_at: clock.now() + waitMs, failures: kinds[kind]?.everyMs === undefined ? failures + 1 : 0, lease_token: null }
      await tx
        .updateTable('jobs')
        .set(later)
        .where((row) => row.and(ours))
        .execute()
    }
  }

  async function prepare(): Promise<void> {
    const now = clock.now()
    await store.write(async (tx) => {
      if (isAlone) await tx.updateTable('jobs').set({ due_at: now, lease_token: null }).where('lease_token', 'is not', null).execute()
      for (const [kind, { everyMs }] of Object.entries(kinds))
        if (everyMs !== undefined) await addJob(tx, kind, { key: '', data: '', dueAt: now + everyMs })
    })
  }

  function settle(): void {
    if (looking !== null || mustLook || running.size > 0) return
    for (const resolve of whenIdle) resolve()
    whenIdle = []
  }

  return {
    async start() {
      if (names.length === 0) return
      await prepare()
      isRunning = true
      stopListening = store.listen(jobsTopic, look)
      look()
    },
    async idle() {
      if (looking !== null || mustLook || running.size > 0) await new Promise<void>((resolve) => void whenIdle.push(resolve))
    },
    async close() {
      isRunning = mustLook = false
      cancelTimer()
      stopListening()
      await looking
      await Promise.all(running)
      cancelTimer()
    },
  }
}
