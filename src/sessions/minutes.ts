// Minutes of a live run as the ledger counts them: each started minute of active time is one.
import type { Reader } from '../storage/store.ts'

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
