// Opening a run: its row, the deck version that it keeps, and how many may be open at once.
import { holdWord, kept, prepared } from '../platform/db/statements.ts'
import type { Tx } from '../platform/db/store.ts'
import type { RunRow } from './tables.ts'
import { ServiceError } from '../platform/errors.ts'
import type { TalkSession } from '../contract/talk.ts'

// How many talks of one attendee each may be open at once: of a session, of an account, and from one network address. Every one of them
// is held in memory by a process, and anybody may open one. Counted in the transaction that opens the next, one at a time, so that
// joins at once pass no limit together.

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

// A run shows the deck version that it began with to its end, and the replay and the recaps show it after that.

const keep = prepared((db, { id }: { id: string }) => kept(db, db.selectFrom('decks').select('id').where('id', '=', id)))

/**
 * Of a run that was inserted just now. Its version was read before the transaction, and one that no run names goes when another takes
 * its place: the run then begins with that one, or with the next if that goes too while we wait for it. After the insert, which may wait
 * for another run: see the order in `holdSession`.
 */
export async function keepDeck(tx: Tx, { id, session_id, deck_id }: RunRow): Promise<void> {
  let wanted = deck_id
  while (wanted !== null && (await keep(tx, { id: wanted })).length === 0) {
    const session = await tx.selectFrom('sessions').select('deck_id').where('id', '=', session_id).executeTakeFirst()
    const inService = session?.deck_id ?? null
    if (inService === wanted) throw new Error(`The session ${session_id} shows a deck that does not exist.`)
    wanted = inService
  }
  if (wanted !== deck_id) await tx.updateTable('runs').set({ deck_id: wanted }).where('id', '=', id).execute()
}

export function newRun(session: TalkSession, kind: RunRow['kind'], id: string, now: number): RunRow {
  return {
    id,
    account_id: session.accountId,
    session_id: session.sessionId,
    kind,
    mode: session.mode,
    status: 'lobby',
    language: session.language,
    deck_id: session.deckId,
    created_at: now,
    started_at: null,
    ended_at: null,
    end_reason: null,
    address_mark: null,
    last_seq: 0,
    lease_owner: null,
    epoch: 0,
    lease_until: 0,
  }
}

/** The one open run of a broadcast. */
export async function openBroadcast(tx: Tx, sessionId: string, kind: RunRow['kind']): Promise<string | null> {
  const row = await tx
    .selectFrom('runs')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('kind', '=', kind)
    .where('mode', '=', 'broadcast')
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return row?.id ?? null
}

/** Of two first attendees at once, one inserts and the other finds: a unique index holds a broadcast to one open run. */
export async function insertRun(tx: Tx, row: RunRow): Promise<string> {
  const inserted = await tx
    .insertInto('runs')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted !== undefined) {
    await keepDeck(tx, row)
    return row.id
  }
  const open = await openBroadcast(tx, row.session_id, row.kind)
  if (open === null) throw new Error(`The run ${row.id} was not inserted.`)
  return open
}
