// Minutes of live talks, by the seconds that were heard of them: what the plan of an account has left, what one talk may take of it, and
// what one network address may in an hour. So that nobody uses up what belongs to others: a talk half of the plan unless its host names
// more, an address a fifth of the talk.
import { sql } from 'kysely'
import type { NewDomainEvent } from '@rostrum/contract/events'
import { iso } from '@rostrum/base/clock'
import type { Reader, Tx } from '../platform/db/store.ts'

/** `2026-11` in UTC. */
export function periodOf(now: number): string {
  return iso(now).slice(0, 7)
}

/** The first instant of the next month, UTC. */
export function periodEnd(now: number): number {
  return spanOf(periodOf(now))[1]
}

/** In minutes. Null: no limit. */
export interface MinutesLeft {
  /** Below nothing where running talks have gone beyond. */
  ofTalk: number | null
  /** What one address may hear of the talk in an hour. */
  ofAddress: number | null
}

export interface MinutesPort {
  /** False once the minutes of the account's month are used up: no new live run begins. */
  has(accountId: string, now: number): Promise<boolean>
  left(db: Reader | Tx, sessionId: string, now: number): Promise<MinutesLeft>
  /** Counts what was heard from the networks of `mark` against `ofAddress`; false once they may hear no more. `seconds` 0 only asks. */
  hear(sessionId: string, mark: string, heard: { seconds: number; ofAddress: number | null; now: number }): Promise<boolean>
  /** In the write that counts a minute: the host is told once when half, four fifths and all of it are used. */
  tell(tx: Tx, of: { accountId: string; sessionId: string; now: number }): Promise<void>
}

/** One talk of many takes no more than this share of the plan, until its host names how much. */
const shareOfTalk = 0.5
/** An address is often many people, and a /24 or a /48 has four times as much: less than all that the talk has. */
const shareOfAddress = 0.2
/** One person hears a talk to its end, whatever the plan. */
const addressMinutesMin = 30
const toldAt = [50, 80, 100] as const
const toldMax = 10_000

const minutes = sql<number | null>`sum(ledger.seconds)`

/** Minutes used in the calendar month `2026-11`, UTC. */
export async function minutesUsed(read: Reader | Tx, accountId: string, period: string): Promise<number> {
  const [from, to] = spanOf(period)
  const { heard } = await read
    .selectFrom('ledger')
    .select(minutes.as('heard'))
    .where('account_id', '=', accountId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .executeTakeFirstOrThrow()
  return Math.ceil(Number(heard ?? 0) / 60)
}

function spanOf(period: string): [from: number, to: number] {
  const [year = 0, month = 1] = period.split('-').map(Number)
  return [Date.UTC(year, month - 1, 1), Date.UTC(year, month, 1)]
}

/** What the talk may take, and what it has: of the month, or of all its runs where its host has set the ceiling. Null: no ceiling. */
async function ofTalk(db: Reader | Tx, sessionId: string, plan: number | null, now: number) {
  const session = await db.selectFrom('sessions').select('minutes_max').where('id', '=', sessionId).executeTakeFirst()
  const own = session?.minutes_max ?? null
  const limit = own ?? (plan === null ? null : Math.ceil(plan * shareOfTalk))
  if (session === undefined || limit === null) return null
  const [from] = spanOf(periodOf(now))
  const { heard } = await db
    .selectFrom('ledger')
    .select(minutes.as('heard'))
    .where('session_id', '=', sessionId)
    .$if(own === null, (query) => query.where('at', '>=', from))
    .executeTakeFirstOrThrow()
  return { limit, used: Math.ceil(Number(heard ?? 0) / 60) }
}

export interface MinutesParts {
  read: Reader
  /** `ROSTRUM_PLAN_MINUTES` */
  plan: number | null
  /** As `MinutesPort.hear`, with an allowance in seconds of an hour for each network of the mark. */
  count(key: string, mark: string, heard: { seconds: number; allowedSec: number; now: number }): Promise<boolean>
  append(tx: Tx, event: NewDomainEvent): Promise<unknown>
  /** In the audit log. */
  note(tx: Tx, accountId: string, data: { budget: 'minutes' | 'minutes_of_talk'; share: number; limit: number }, now: number): Promise<void>
}

export function createMinutes({ read, plan, count, append, note }: MinutesParts): MinutesPort {
  /** Written before: it need not be asked again. */
  let told = new Set<string>()

  async function tellOf(tx: Tx, key: string, spent: { limit: number; used: number }, of: Told): Promise<void> {
    const { accountId, sessionId, now, budget } = of
    for (const share of toldAt) {
      const dedupeKey = `${key}:${share}`
      if (spent.limit === 0 || spent.used * 100 < spent.limit * share || told.has(dedupeKey)) continue
      const resetsAt = budget === 'minutes' ? iso(periodEnd(now)) : null
      const data = { budget, share, limit: spent.limit, used: spent.used, resetsAt }
      const event = await append(tx, { type: 'budget.reached', accountId, sessionId, at: now, dedupeKey, data })
      if (event !== null) {
        await note(tx, accountId, { budget, share, limit: spent.limit }, now)
        continue
      }
      if (told.size > toldMax) told = new Set()
      told.add(dedupeKey)
    }
  }

  return {
    has: async (accountId, now) => plan === null || (await minutesUsed(read, accountId, periodOf(now))) < plan,
    async left(db, sessionId, now) {
      const talk = await ofTalk(db, sessionId, plan, now)
      if (talk === null) return { ofTalk: null, ofAddress: null }
      const ofAddress = Math.max(addressMinutesMin, Math.ceil(talk.limit * shareOfAddress))
      return { ofTalk: talk.limit - talk.used, ofAddress }
    },
    hear: async (sessionId, mark, { seconds, ofAddress, now }) =>
      ofAddress === null || (await count(sessionId, mark, { seconds, allowedSec: ofAddress * 60, now })),
    async tell(tx, { accountId, sessionId, now }) {
      const talk = await ofTalk(tx, sessionId, plan, now)
      const period = periodOf(now)
      if (talk !== null) {
        const key = `minutes_of_talk:${sessionId}:${talk.limit}:${period}`
        await tellOf(tx, key, talk, { accountId, sessionId, now, budget: 'minutes_of_talk' })
      }
      if (plan === null) return
      const used = await minutesUsed(tx, accountId, period)
      await tellOf(tx, `minutes:${accountId}:${plan}:${period}`, { limit: plan, used }, { accountId, sessionId, now, budget: 'minutes' })
    },
  }
}

interface Told {
  accountId: string
  sessionId: string
  now: number
  budget: 'minutes' | 'minutes_of_talk'
}
