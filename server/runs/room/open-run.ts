// Opening a run: its row, the deck version that it keeps, and how many may be open at once.
import type { Ids } from '@rostrum/base/clock'
import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import { holdWord, kept, prepared } from '../../platform/db/statements.ts'
import type { Tx } from '../../platform/db/store.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { ServiceError } from '@rostrum/base/errors'
import type { Runs } from '../log/run-log.ts'
import type { RunRow } from '../tables.ts'
import type { TalkSession } from '@rostrum/contract/talk'

// How many talks of one attendee each may be open at once: of a session, of an account, and from the networks that an address is in. Every
// one of them is held in memory by a process, and anybody may open one. Counted in the transaction that opens the next, one at a time, so
// that joins at once pass no limit together. A place is held by an open stream alone: where a limit is reached, talks that nobody is in go
// first, and whoever listens is never pushed out.

/** Null: no limit. */
export interface OpenRunLimits {
  session: number | null
  account: number | null
  address: number | null
}

export interface OpenRunPort {
  limits: OpenRunLimits
  /** Keyed hashes of the address and of the networks it is in, the narrowest first; the address itself is written nowhere. */
  marksOf(address: string): readonly { mark: string; times: number }[]
}

/** Who has joined opens their stream within this time, and who was cut off comes back within that; they keep their place as long. */
const comesMs = 30_000
const returnsMs = 120_000
const retryAfterSec = 60
/** Where several are full, the one that the caller can do something about. */
const refusals = {
  address: (limit: number) =>
    `Your network has ${limit} of these talks open at once, as many as it may. Leave one that you no longer need, or try again in a few minutes.`,
  session: (limit: number) => `This talk is open to ${limit} people at once, as many as it takes. Try again in a few minutes.`,
  account: (limit: number) =>
    `The talks of this host are open to ${limit} people at once, as many as they take. Try again in a few minutes.`,
}

type Marks = ReturnType<OpenRunPort['marksOf']>

const markLength = 22
/** The widest network first, so that all of a network are found by what their marks begin with; each part ends with its times. */
const markOf = (marks: Marks): string =>
  marks
    .map(({ mark, times }) => `${mark.slice(0, markLength)}${times}.`)
    .toReversed()
    .join('')

/** The networks of a mark, the narrowest first, and how many times the allowance of one address each has. */
export function networksOf(mark: string): { network: string; times: number }[] {
  const parts = mark.split('.').slice(0, -1)
  return parts.map((part, at) => ({ network: parts.slice(0, at + 1).join('.'), times: Number(part.slice(markLength)) })).toReversed()
}

/** Of a run of one attendee that somebody at `address` opens. */
export const addressMark = ({ marksOf }: Pick<OpenRunPort, 'marksOf'>, address: string): string => markOf(marksOf(address))

type Opened = Pick<RunRow, 'account_id' | 'session_id' | 'kind' | 'address_mark' | 'created_at'>

/** The open runs that one limit counts. */
interface Scope {
  limit: number
  refusal(limit: number): string
  runs(db: Tx): SelectQueryBuilder<Tables, 'runs', unknown>
}

/**
 * Before such a run is inserted; throws `rate_limited`, with words for whoever wanted it. Gives the runs that nobody is in and that go for
 * it (`putOut`). Rehearsals are counted apart, so that a host can still rehearse while the room is full.
 */
export async function holdPlace(tx: Tx, { limits, marksOf }: OpenRunPort, opened: Opened, address?: string): Promise<readonly string[]> {
  const scopes = scopesOf(limits, opened, address === undefined ? [] : marksOf(address))
  // The widest network before the account, for all: nobody waits in a ring. A session is of one account.
  if (limits.address !== null && opened.address_mark !== null) await holdWord(tx, `runs of ${opened.address_mark.split('.')[0]}`)
  if (limits.session !== null || limits.account !== null) await holdWord(tx, `runs of ${opened.account_id}`)
  if (scopes.length === 0) return []
  const counted = await tx
    .selectNoFrom(() =>
      scopes.map(({ runs }, at) =>
        runs(tx)
          .select((row) => row.fn.countAll<number>().as('open'))
          .as(`of${at}`),
      ),
    )
    .executeTakeFirstOrThrow()
  const goes = new Set<string>()
  for (const [at, scope] of scopes.entries()) {
    const over = Number(counted[`of${at}`]) - scope.limit
    if (over < 0) continue
    const gone = await nobodyIn(tx, scope, over, opened.created_at)
    if (gone === undefined) {
      throw new ServiceError('rate_limited', scope.refusal(scope.limit), { headers: { 'Retry-After': String(retryAfterSec) } })
    }
    goes.add(gone)
  }
  return [...goes]
}

function scopesOf(limits: OpenRunLimits, opened: Opened, marks: Marks): Scope[] {
  const { account_id, session_id, kind } = opened
  const open = (db: Tx) => db.selectFrom('runs').where('ended_at', 'is', null)
  const alike = (db: Tx) => open(db).where('account_id', '=', account_id).where('kind', '=', kind).where('mode', '=', 'isolated')
  const { address, session, account } = limits
  const networks = marks.map(({ times }, at): Scope[] => {
    const begin = markOf(marks.slice(at))
    const runs = (db: Tx) =>
      open(db)
        .where('address_mark', '>=', begin)
        .where('address_mark', '<', `${begin.slice(0, -1)}/`)
    return address === null ? [] : [{ limit: address * times, refusal: refusals.address, runs }]
  })
  return [
    ...networks.flat(),
    ...(session === null
      ? []
      : [{ limit: session, refusal: refusals.session, runs: (db: Tx) => alike(db).where('session_id', '=', session_id) }]),
    ...(account === null ? [] : [{ limit: account, refusal: refusals.account, runs: alike }]),
  ]
}

/**
 * Of the runs that nobody is in, the one after `over` others, which have been put out for joins before this one; undefined where there are
 * no more. First those that nobody ever came to, then those that were left longest ago.
 */
async function nobodyIn(tx: Tx, { runs }: Scope, over: number, now: number): Promise<string | undefined> {
  const visitsOf = (eb: ExpressionBuilder<Tables, 'runs'>) => eb.selectFrom('visits').whereRef('visits.run_id', '=', 'runs.id')
  const row = await runs(tx)
    .select('runs.id')
    .where('runs.created_at', '<', now - comesMs)
    .where((eb) => {
      const kept = (visit: ExpressionBuilder<Tables, 'visits'>) =>
        visit.or([visit('left_at', 'is', null), visit('left_at', '>', now - returnsMs)])
      return eb.not(eb.exists(visitsOf(eb).select('visit').where(kept)))
    })
    .orderBy((eb) =>
      eb.fn.coalesce(
        visitsOf(eb).select((visit) => visit.fn.max('left_at').as('left')),
        eb.lit(0),
      ),
    )
    .orderBy('runs.created_at')
    .orderBy('runs.id')
    .offset(over)
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** What `holdPlace` gave, once the run that they made room for is open. One that cannot be told now ends like any other that nobody comes to. */
export async function putOut({ runs, ids }: { runs: Pick<Runs, 'note'>; ids: Ids }, runIds: readonly string[]): Promise<void> {
  const told = runIds.map((runId) => runs.note(runId, { kind: 'stop', id: ids.uuid(), attendeeId: null, reason: 'abandoned' }))
  await Promise.allSettled(told)
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
