// What an account may spend in a day (UTC) on models and speech that the operator pays for: model calls, spoken characters, recognised
// seconds. Taken before anything is sent, in one statement, so that calls at once cannot pass a limit together. Where a budget is used
// up the quoting answer and the browser's speech take over, and the account is told once a day.
import type { Clock } from '../platform/clock.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import type { SpendingRow } from '../platform/db/tables/sessions.ts'

export type Costly = SpendingRow['kind']

/** Null: no limit. */
export type BudgetLimits = Readonly<Record<Costly, number | null>>

/** Takes `amount` for the account of the session; false, and nothing taken, where the day has not that much left. Never rejects. */
export type Afford = (sessionId: string, kind: Costly, amount: number) => Promise<boolean>

export interface BudgetParts {
  store: Store
  clock: Pick<Clock, 'now'>
  limits: BudgetLimits
  /** In the transaction that notes it: the first refusal of the day. */
  onReached(tx: Tx, reached: { accountId: string; kind: Costly; limit: number; now: number }): Promise<void>
  onFailure(error: unknown): void
}

const dayMs = 86_400_000

export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)
export const dayEnd = (now: number): number => (Math.floor(now / dayMs) + 1) * dayMs

export function createBudgets({ store, clock, limits, onReached, onFailure }: BudgetParts): Afford {
  async function spend(sessionId: string, kind: Costly, amount: number): Promise<boolean> {
    const session = await store.read.selectFrom('sessions').select('account_id').where('id', '=', sessionId).executeTakeFirst()
    if (session === undefined) return false
    const { account_id } = session
    const [now, limit] = [clock.now(), limits[kind]]
    const key = { account_id, day: dayOf(now), kind }
    const fits = limit === null || amount <= limit
    return store.write(async (tx) => {
      if (fits) {
        const spent = await tx
          .insertInto('spending')
          .values({ ...key, used: amount, told_at: null })
          .onConflict((conflict) => {
            const add = conflict
              .columns(['account_id', 'day', 'kind'])
              .doUpdateSet(({ eb }) => ({ used: eb('spending.used', '+', amount) }))
            return limit === null ? add : add.where('spending.used', '<=', limit - amount)
          })
          .returning('used')
          .executeTakeFirst()
        if (spent !== undefined) return true
      }
      const told = await tx
        .insertInto('spending')
        .values({ ...key, used: 0, told_at: now })
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'day', 'kind']).doUpdateSet({ told_at: now }).where('spending.told_at', 'is', null),
        )
        .returning('used')
        .executeTakeFirst()
      if (told !== undefined && limit !== null) await onReached(tx, { accountId: account_id, kind, limit, now })
      return false
    })
  }
  return (sessionId, kind, amount) =>
    spend(sessionId, kind, amount).catch((error: unknown) => {
      onFailure(error)
      return false
    })
}

/** What the account has spent on the day of `now`. */
export async function spentToday(read: Reader, accountId: string, now: number): Promise<Record<Costly, number>> {
  const rows = await read
    .selectFrom('spending')
    .select(['kind', 'used'])
    .where('account_id', '=', accountId)
    .where('day', '=', dayOf(now))
    .execute()
  const spent = { llm: 0, tts: 0, stt: 0 }
  for (const { kind, used } of rows) spent[kind] = used
  return spent
}

/** The budgets that were used up on the day of `now`, of all accounts. */
export async function reachedToday(read: Reader, now: number): Promise<{ accountId: string; kind: Costly }[]> {
  const rows = await read
    .selectFrom('spending')
    .select(['account_id', 'kind'])
    .where('day', '=', dayOf(now))
    .where('told_at', 'is not', null)
    .orderBy('told_at')
    .execute()
  return rows.map(({ account_id, kind }) => ({ accountId: account_id, kind }))
}
