// Minutes of a live run as the ledger counts them: each started minute of active time is one.
import type { Reader, Tx } from '../platform/db/store.ts'

/** Minutes used in the calendar month `2026-11`, UTC. */
export async function minutesUsed(read: Reader, accountId: string, period: string): Promise<number> {
  const [year = 0, month = 1] = period.split('-').map(Number)
  const counted = await read
    .selectFrom('ledger')
    .select((row) => row.fn.countAll<number>().as('minutes'))
    .where('account_id', '=', accountId)
    .where('at', '>=', Date.UTC(year, month - 1, 1))
    .where('at', '<', Date.UTC(year, month, 1))
    .executeTakeFirstOrThrow()
  return Number(counted.minutes)
}

/** What is left of the minutes that the host allows a session; below nothing where running talks have gone beyond. Null: no ceiling. */
export async function minutesLeft(db: Reader | Tx, sessionId: string): Promise<number | null> {
  const row = await db
    .selectFrom('sessions')
    .select((eb) => [
      'minutes_max',
      eb.selectFrom('ledger').select(eb.fn.countAll<number>().as('used')).whereRef('ledger.session_id', '=', 'sessions.id').as('used'),
    ])
    .where('id', '=', sessionId)
    .where('minutes_max', 'is not', null)
    .executeTakeFirst()
  if (row === undefined || row.minutes_max === null) return null
  return row.minutes_max - Number(row.used)
}
