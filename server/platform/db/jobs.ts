// Work that outlives its process: one durable table, one scheduler. Whoever claims a job holds it under a lease; a job that fails is tried
// again later, and one whose process dies is another's when the lease has run out. While it runs, the lease is renewed.
import type { Clock, Ids } from '@rostrum/base/clock'
import { heldUnlessTaken, holdWord } from './statements.ts'
import { ringAfter, type Store, type Tx } from './store.ts'
import type { JobRow } from './tables.ts'

export interface JobKind {
  /**
   * A job that throws has failed; one that resolves with a time is not over, and runs again then. It may run twice where a process
   * dies, so it is made for that.
   */
  run(job: Job): Promise<{ againAt: number } | void>
  /** How many this process runs together; 4. */
  atOnce?: number
  /**
   * The key of the next of those that are due, where many wait for few places; in the transaction that claims it, after each other over
   * all processes. Undefined: none for now. Without it the one that is due first.
   */
  next?(tx: Tx, now: number, room: number): Promise<string | undefined>
  /** After the first failure, the second and so on; after as many it is given up. */
  retryMs?: readonly number[]
  /** One job of this kind is always there, and runs again so long after it has ended, however it ended. */
  everyMs?: number
  /** It tells of its failures itself. */
  isQuiet?: true
}

export interface Job extends Pick<JobRow, 'key' | 'data' | 'failures'> {
  /** A failure now is the last. */
  isLast: boolean
  /** The process is about to end, or the lease is lost: a job that throws then has not failed. */
  signal: AbortSignal
  /** In a transaction of the work: nobody else has the job while that lasts. Throws `LostLease`, which ends the job and is no failure. */
  hold(tx: Tx): Promise<void>
}

/** Another process has the job, or what it was about is gone. */
export class LostLease extends Error {
  constructor() {
    super('The job is no longer ours.')
    this.name = 'LostLease'
  }
}

export type Jobs = ReturnType<typeof createJobs>

interface JobsParts {
  store: Store
  clock: Clock
  ids: Ids
  /** What this process does, by name. */
  kinds: Readonly<Record<string, JobKind>>
  /** It alone uses the store: whoever held a lease is dead. */
  isAlone: boolean
  leaseMs?: number
  /** A job failed; it may be tried again. */
  onFailure(kind: string, error: unknown): void
}

/** Rung when there is a job. */
const jobsTopic = 'jobs'
/** A bell can be lost. */
const pollMs = 5_000
/** How long a process may be silent that does a job, and how often it renews the lease meanwhile. */
const usualLeaseMs = 30_000
const renewalsPerLease = 3
const atOnceByDefault = 4

interface NewJob {
  key: string
  data?: string
  dueAt?: number
}

/** In the transaction of what it follows from; of one kind and key there is one. */
export async function addJob(tx: Tx, kind: string, ...wanted: readonly NewJob[]): Promise<void> {
  for (let from = 0; from < wanted.length; from += 100) {
    const some = wanted.slice(from, from + 100)
    await tx
      .insertInto('jobs')
      .values(some.map(({ key, data = '', dueAt = 0 }) => ({ kind, key, data, due_at: dueAt, failures: 0, lease_token: null })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  ringAfter(tx, jobsTopic)
}

export function createJobs({ store, clock, ids, kinds, isAlone, leaseMs = usualLeaseMs, onFailure }: JobsParts) {
  const ending = new AbortController()
  const running = new Map<Promise<void>, string>()
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

  const roomFor = (kind: string) => (kinds[kind]?.atOnce ?? atOnceByDefault) - [...running.values()].filter((one) => one === kind).length

  async function claimAll(): Promise<void> {
    while (isRunning && mustLook) {
      mustLook = false
      cancelTimer()
      let nextAt = clock.now() + pollMs
      try {
        const firsts = await store.read
          .selectFrom('jobs')
          .select(['kind', ({ fn }) => fn.min('due_at').as('at')])
          .where('kind', 'in', Object.keys(kinds))
          .groupBy('kind')
          .execute()
        const now = clock.now()
        const open = firsts.filter(({ kind }) => roomFor(kind) > 0)
        for (const { at } of open) if (at > now) nextAt = Math.min(nextAt, at)
        for (const { kind, at } of open) if (at <= now) mustLook = (await claim(kind)) || mustLook
      } catch (error) {
        onFailure('-', error)
      }
      if (isRunning) cancelTimer = clock.after(nextAt - clock.now(), look)
    }
  }

  async function claim(kind: string): Promise<boolean> {
    const now = clock.now()
    const claimed = await store.write(async (tx) => {
      const due = tx.selectFrom('jobs').selectAll().where('kind', '=', kind).where('due_at', '<=', now)
      const next = kinds[kind]?.next
      if (next !== undefined) await holdWord(tx, `next ${kind}`)
      const chosen = next === undefined ? due.limit(roomFor(kind)) : due.where('key', '=', (await next(tx, now, roomFor(kind))) ?? '')
      const rows = await heldUnlessTaken(tx, chosen.orderBy('due_at').orderBy('key')).execute()
      const lease = { lease_token: ids.uuid(), due_at: now + leaseMs }
      const keys = rows.map(({ key }) => key)
      if (keys.length > 0) await tx.updateTable('jobs').set(lease).where('kind', '=', kind).where('key', 'in', keys).execute()
      return rows.map((row) => ({ ...row, ...lease }))
    })
    for (const row of claimed) {
      const work = carry(row).finally(() => {
        running.delete(work)
        if (isRunning) look()
      })
      running.set(work, kind)
    }
    return claimed.length > 0
  }

  async function carry(row: JobRow): Promise<void> {
    const kind = kinds[row.kind]
    if (kind === undefined) return
    const retryMs = kind.everyMs ?? kind.retryMs?.[row.failures]
    let failures = kind.everyMs === undefined ? row.failures : 0
    let againAt: number | undefined
    const hold = (tx: Tx) => renew(tx, row)
    const lost = new AbortController()
    const stopRenewing = everySoOften(() => store.write(hold).catch((error: unknown) => error instanceof LostLease && lost.abort()))
    try {
      const signal = AbortSignal.any([ending.signal, lost.signal])
      const ended = await kind.run({ ...row, isLast: retryMs === undefined, signal, hold })
      againAt = ended?.againAt ?? (kind.everyMs && clock.now() + kind.everyMs)
    } catch (error) {
      if (error instanceof LostLease || lost.signal.aborted) return
      if (ending.signal.aborted) againAt = clock.now()
      else {
        if (kind.everyMs === undefined) failures++
        if (retryMs !== undefined) againAt = clock.now() + retryMs
        if (kind.isQuiet !== true) onFailure(row.kind, error)
      }
    } finally {
      stopRenewing()
    }
    try {
      await store.write((tx) => end(tx, row, againAt, failures))
    } catch (error) {
      // It is run once more when its lease has run out.
      onFailure(row.kind, error)
    }
  }

  function everySoOften(work: () => Promise<unknown>): () => void {
    let cancel = () => {}
    const wait = () => void (cancel = clock.after(leaseMs / renewalsPerLease, () => void work().then(() => cancel !== stopped && wait())))
    const stopped = () => {}
    wait()
    return () => {
      cancel()
      cancel = stopped
    }
  }

  async function renew(tx: Tx, { kind, key, lease_token }: JobRow): Promise<void> {
    const renewed = await tx
      .updateTable('jobs')
      .set({ due_at: clock.now() + leaseMs })
      .where((row) => row.and({ kind, key, lease_token }))
      .returning('key')
      .executeTakeFirst()
    if (renewed === undefined) throw new LostLease()
  }

  /** Where the lease was lost, it is another's. */
  async function end(tx: Tx, { kind, key, lease_token }: JobRow, againAt: number | undefined, failures: number): Promise<void> {
    const ours = { kind, key, lease_token }
    if (againAt === undefined)
      await tx
        .deleteFrom('jobs')
        .where((row) => row.and(ours))
        .execute()
    else
      await tx
        .updateTable('jobs')
        .set({ due_at: againAt, failures, lease_token: null })
        .where((row) => row.and(ours))
        .execute()
    // For another process: this one looks anyway.
    if (ending.signal.aborted) ringAfter(tx, jobsTopic)
  }

  async function prepare(): Promise<void> {
    const now = clock.now()
    await store.write(async (tx) => {
      if (isAlone) await tx.updateTable('jobs').set({ due_at: now, lease_token: null }).where('lease_token', 'is not', null).execute()
      for (const [kind, { everyMs }] of Object.entries(kinds))
        if (everyMs !== undefined) await addJob(tx, kind, { key: '', dueAt: now + everyMs })
    })
  }

  function settle(): void {
    if (looking !== null || mustLook || running.size > 0) return
    for (const resolve of whenIdle) resolve()
    whenIdle = []
  }

  return {
    async start(): Promise<void> {
      if (Object.keys(kinds).length === 0) return
      await prepare()
      isRunning = true
      stopListening = store.listen(jobsTopic, look)
      look()
    },
    /** Resolves when nothing is due and nothing runs. */
    async idle(): Promise<void> {
      if (isRunning) look()
      if (looking !== null || mustLook || running.size > 0) await new Promise<void>((resolve) => void whenIdle.push(resolve))
    },
    /** Claims nothing more, tells what runs to end, and waits for it. */
    async close(): Promise<void> {
      isRunning = mustLook = false
      ending.abort()
      cancelTimer()
      stopListening()
      await looking
      await Promise.all(running.keys())
      cancelTimer()
    },
  }
}
