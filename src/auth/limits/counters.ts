// Where the limiter keeps its arrival times: a map in memory for one process (a durable write per request would cost a sync of
// the disk), an unlogged table for many.
import { sql } from 'kysely'
import type { Store } from '../../storage/store.ts'
import type { Policy, Verdict } from './gcra.ts'
import { arrive, intervalOf, verdictOf } from './gcra.ts'

export interface Counters {
  /** Counts one call against `policy` for `key`, atomically; `now` in milliseconds. */
  take(policy: Policy, key: string, now: number): Promise<Verdict>
  /** Gives one call back. */
  refund(policy: Policy, key: string): Promise<void>
  /** Forgets keys whose window has passed. */
  sweep(now: number): Promise<void>
}

const entriesMax = 1_000_000

export function memoryCounters(max = entriesMax): Counters {
  const arrivals = new Map<string, number>()
  const sweep = (nowUs: number) => {
    for (const [key, tat] of arrivals) if (tat <= nowUs) arrivals.delete(key)
  }
  return {
    take(policy, key, now) {
      const nowUs = now * 1_000
      const id = `${policy.name}:${key}`
      const tat = arrivals.get(id)
      const next = arrive(policy, tat, nowUs)
      if (next !== undefined) {
        if (tat === undefined && arrivals.size >= max) sweep(nowUs)
        // Full of keys that still count: the oldest key goes, because refusing new callers would let one flood shut the door.
        const oldest = arrivals.size >= max && tat === undefined ? arrivals.keys().next().value : undefined
        if (oldest !== undefined) arrivals.delete(oldest)
        arrivals.set(id, next)
      }
      return Promise.resolve(verdictOf(policy, next ?? tat ?? nowUs, nowUs, next !== undefined))
    },
    refund(policy, key) {
      const id = `${policy.name}:${key}`
      const tat = arrivals.get(id)
      if (tat !== undefined) arrivals.set(id, tat - intervalOf(policy))
      return Promise.resolve()
    },
    sweep(now) {
      sweep(now * 1_000)
      return Promise.resolve()
    },
  }
}

/** One autocommitted statement per call: only the `ok` column tells a refusal from a success. */
export function postgresCounters(store: Store): Counters {
  let prepared: Promise<unknown> | undefined
  const makeUnlogged = () =>
    sql`ALTER TABLE rate_limits SET UNLOGGED`.execute(store.read).catch((error: unknown) => {
      prepared = undefined
      throw error
    })
  return {
    async take(policy, key, now) {
      // Counts need no log: they may be lost with a crash. Does nothing where another node has done it.
      await (prepared ??= makeUnlogged())
      const [nowUs, interval] = [now * 1_000, intervalOf(policy)]
      const fits = sql`greatest(rate_limits.tat, ${nowUs}::bigint) + ${interval}::bigint - ${nowUs}::bigint <= ${interval * policy.count}::bigint`
      const { rows } = await sql<{ tat: number; ok: number }>`
        INSERT INTO rate_limits (id, tat, ok) VALUES (${`${policy.name}:${key}`}, ${nowUs + interval}::bigint, 1)
        ON CONFLICT (id) DO UPDATE SET
          ok = CASE WHEN ${fits} THEN 1 ELSE 0 END,
          tat = CASE WHEN ${fits} THEN greatest(rate_limits.tat, ${nowUs}::bigint) + ${interval}::bigint ELSE rate_limits.tat END
        RETURNING tat, ok`.execute(store.read)
      const row = rows[0]
      if (row === undefined) throw new Error('the limiter statement returned no row')
      return verdictOf(policy, row.tat, nowUs, row.ok === 1)
    },
    async refund(policy, key) {
      await sql`UPDATE rate_limits SET tat = tat - ${intervalOf(policy)}::bigint WHERE id = ${`${policy.name}:${key}`}`.execute(store.read)
    },
    async sweep(now) {
      await sql`DELETE FROM rate_limits WHERE tat <= ${now * 1_000}::bigint`.execute(store.read)
    },
  }
}
