// What an account may use and has used: sessions created, and models and speech that the operator pays for. Minutes: `minutes.ts`.
import { z } from 'zod'
import { ServiceError } from '@rostrum/base/errors'
import { prepared } from '../platform/db/statements.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import { type Clock, iso } from '@rostrum/base/clock'
import type { SpendingRow } from './tables.ts'
import { operation, scoped } from '../platform/operation.ts'
import { type StorageLimit, storageOf, storedBytes } from './storage.ts'
import { minutesUsed, periodEnd, periodOf } from './minutes.ts'

// The monthly quota of created sessions (spec 7: 402). Counted in the creating transaction, so it cannot be raced past.

/** What an account may create. `perLife` counts for ever instead of by month: unclaimed agents. */
export interface SessionPlan {
  sessions: number
  perLife: boolean
  /** Where a person makes it a plan of theirs. */
  claimUri?: string | undefined
}

const spend = prepared((db, { accountId, period, limit }: { accountId: string; period: string; limit: number }) =>
  db
    .insertInto('usage')
    .values({ account_id: accountId, period, sessions: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'period'])
        .doUpdateSet((row) => ({ sessions: row('usage.sessions', '+', 1) }))
        .where('usage.sessions', '<', limit),
    )
    .returning('sessions'),
)

/** Takes one session from the quota, or throws `quota_exceeded` and takes nothing. */
export async function spendSession(tx: Tx, accountId: string, plan: SessionPlan, now: number): Promise<void> {
  const period = plan.perLife ? 'life' : periodOf(now)
  const spent = plan.sessions > 0 ? await spend(tx, { accountId, period, limit: plan.sessions }) : []
  if (spent.length === 0) throw quotaExceeded(plan, now)
}

/** Throws `quota_exceeded` where nothing is left, and takes nothing. */
export async function sessionLeft(read: Reader, accountId: string, plan: SessionPlan, now: number): Promise<void> {
  const period = plan.perLife ? 'life' : periodOf(now)
  const row = read.selectFrom('usage').select('sessions').where('account_id', '=', accountId).where('period', '=', period)
  if (((await row.executeTakeFirst())?.sessions ?? 0) >= plan.sessions) throw quotaExceeded(plan, now)
}

function quotaExceeded({ sessions, perLife, claimUri }: SessionPlan, now: number): ServiceError {
  const limit = sessions.toLocaleString('en')
  const resetsAt = perLife ? null : iso(periodEnd(now))
  const where = claimUri === undefined ? '' : ` at ${claimUri}`
  const detail =
    resetsAt === null
      ? `An unclaimed agent may create ${limit} sessions. They do not come back with time: ask a person to claim this agent${where}, or use an API key.`
      : `You have used ${limit} of ${limit} sessions this month. The quota resets on ${resetsAt.slice(0, 10)}; until then nothing can be created.`
  const quota = { limit: sessions, used: sessions, resetsAt }
  return new ServiceError('quota_exceeded', detail, { members: { quota, ...(claimUri !== undefined && { claim_uri: claimUri }) } })
}

// What an account may spend in a day (UTC) on models and speech that the operator pays for: model calls, spoken characters, recognised
// seconds. Taken before anything is sent, in one statement, so that calls at once cannot pass a limit together. Where a budget is used
// up the quoting answer and the browser's speech take over, and the account is told once a day.

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

export const dayOf = (now: number): string => iso(now).slice(0, 10)
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
async function spentToday(read: Reader, accountId: string, now: number): Promise<Record<Costly, number>> {
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

// GET /api/v1/agent/usage: what the account has used of its quotas this month.

const meter = z.object({ limit: z.number().nullable(), used: z.number() })

interface UsageDeps {
  store: Store
  planOf(read: Reader, accountId: string): Promise<SessionPlan>
  /** Of a month; null: no limit. */
  minutesLimit: number | null
  budgets: BudgetLimits
  storageLimit: StorageLimit
}

export const getUsage = operation({
  name: 'get_usage',
  summary: 'Show usage and quotas',
  description:
    'Sessions created and presenter minutes of this calendar month (UTC); under `today` what the models and the speech of the server were asked since midnight: at a limit answers quote and the browser speaks. `limit` null: unlimited.',
  access: scoped('sessions:read'),
  input: z.object({}),
  run: async (_, call, deps: UsageDeps) => {
    const { accountId } = call.principal
    const plan = await deps.planOf(deps.store.read, accountId)
    const period = periodOf(call.now)
    const row = await deps.store.read
      .selectFrom('usage')
      .select('sessions')
      .where('account_id', '=', accountId)
      .where('period', '=', plan.perLife ? 'life' : period)
      .executeTakeFirst()
    const spent = await spentToday(deps.store.read, accountId, call.now)
    return {
      period,
      resetsAt: iso(periodEnd(call.now)),
      sessions: { limit: plan.sessions, used: row?.sessions ?? 0 },
      minutes: { limit: deps.minutesLimit, used: await minutesUsed(deps.store.read, accountId, period) },
      storedBytes: {
        limit: (await storageOf(deps.store.read, deps.storageLimit, accountId)).bytes,
        used: await storedBytes(deps.store.read, accountId),
      },
      today: {
        resetsAt: iso(dayEnd(call.now)),
        modelCalls: { limit: deps.budgets.llm, used: spent.llm },
        spokenCharacters: { limit: deps.budgets.tts, used: spent.tts },
        recognisedSeconds: { limit: deps.budgets.stt, used: spent.stt },
      },
    }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/usage',
    output: z.object({
      period: z.string(),
      resetsAt: z.string(),
      sessions: meter,
      minutes: meter,
      storedBytes: meter.describe('Uploads, pictures and sound of all decks, each counted once: beyond it nothing more is stored.'),
      today: z.object({ resetsAt: z.string(), modelCalls: meter, spokenCharacters: meter, recognisedSeconds: meter }),
    }),
  },
})
