// How many talks of one attendee each may be open at once: of a session, of an account, and from one network address. Every one of them
// is held in memory by a process, and anybody may open one. Counted in the transaction that opens the next, one at a time, so that
// joins at once pass no limit together.
import { holdWord } from '../platform/db/statements.ts'
import type { Tx } from '../platform/db/store.ts'
import type { RunRow } from '../platform/db/tables/runs.ts'
import { ServiceError } from '../platform/errors.ts'

/** Null: no limit. */
export interface OpenRunLimits {
  session: number | null
  account: number | null
  address: number | null
}

export interface OpenRunPort {
  limits: OpenRunLimits
  /** A keyed hash: the address itself is written nowhere. */
  markOf(address: string): string
}

const retryAfterSec = 60
/** Where several are full, the one that the caller can do something about. */
const refusals = {
  address: (limit: number) =>
    `Your network has ${limit} of these talks open at once, as many as it may. Leave one that you no longer need, or try again in a few minutes.`,
  session: (limit: number) => `This talk is open to ${limit} people at once, as many as it takes. Try again in a few minutes.`,
  account: (limit: number) =>
    `The talks of this host are open to ${limit} people at once, as many as they take. Try again in a few minutes.`,
}

type Opened = Pick<RunRow, 'account_id' | 'session_id' | 'kind' | 'address_mark'>

/**
 * Before such a run is inserted; throws `rate_limited`, with words for whoever wanted it. Rehearsals are counted apart, so that a host
 * can still rehearse while the room is full.
 */
export async function holdPlace(tx: Tx, { limits }: OpenRunPort, opened: Opened): Promise<void> {
  const isOfAddress = limits.address !== null && opened.address_mark !== null
  const isOfAccount = limits.session !== null || limits.account !== null
  // The address before the account, for all: nobody waits in a ring. A session is of one account.
  if (isOfAddress) await holdWord(tx, `runs of ${opened.address_mark}`)
  if (isOfAccount) await holdWord(tx, `runs of ${opened.account_id}`)
  if (!isOfAddress && !isOfAccount) return
  const { address, session, account } = await openNow(tx, opened)
  for (const [name, used] of Object.entries({ address, session, account }) as [keyof OpenRunLimits, number][]) {
    const limit = limits[name]
    if (limit === null || used < limit) continue
    throw new ServiceError('rate_limited', refusals[name](limit), { headers: { 'Retry-After': String(retryAfterSec) } })
  }
}

async function openNow(tx: Tx, { account_id, session_id, kind, address_mark }: Opened): Promise<Record<keyof OpenRunLimits, number>> {
  const counted = await tx
    .selectNoFrom((row) => {
      const open = row
        .selectFrom('runs')
        .select((eb) => eb.fn.countAll<number>().as('open'))
        .where('ended_at', 'is', null)
      const alike = open.where('account_id', '=', account_id).where('kind', '=', kind).where('mode', '=', 'isolated')
      return [
        alike.as('account'),
        alike.where('session_id', '=', session_id).as('session'),
        open.where('address_mark', '=', address_mark).as('address'),
      ]
    })
    .executeTakeFirstOrThrow()
  return { address: Number(counted.address), session: Number(counted.session), account: Number(counted.account) }
}
