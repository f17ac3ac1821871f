// Whose file is read next: accounts in turn, those that somebody answers for before agents that nobody has claimed, small files first. No
// account waits for more than one reading of each other of its kind, however much these send. What an account has had read within the hour
// is counted; beyond its allowance its files wait for the next one.
import { holdWord } from '../../platform/db/statements.ts'
import type { Reader, Tx } from '../../platform/db/store.ts'

export interface Waiting {
  key: string
  account: string
  /** Of an agent that nobody has claimed. */
  isGuest: boolean
  sizeBytes: number
  since: number
}

/** When each account had its last turn; no two at one time. */
export type Turns = ReadonlyMap<string, number>

interface InLine {
  first: Waiting
  /** Since when it waits: its file has come, and its turn before is over. */
  since: number
  lastTurn: number
}

/** One line of each account that waits, with the file that it would have read first. */
function lineOf(waiting: readonly Waiting[], turns: Turns): InLine[] {
  const ofRank = waiting.some(({ isGuest }) => !isGuest) ? waiting.filter(({ isGuest }) => !isGuest) : waiting
  return [...Map.groupBy(ofRank, ({ account }) => account)].flatMap(([account, files]) => {
    const [first] = files.toSorted((a, b) => a.sizeBytes - b.sizeBytes || a.since - b.since || (a.key < b.key ? -1 : 1))
    const lastTurn = turns.get(account) ?? -Infinity
    return first === undefined ? [] : [{ first, lastTurn, since: Math.max(lastTurn, Math.min(...files.map(({ since }) => since))) }]
  })
}

/** Pure. The smallest of those that had no turn since anybody else began to wait: there is always one. */
export function nextOf(waiting: readonly Waiting[], turns: Turns): Waiting | undefined {
  const line = lineOf(waiting, turns)
  const [earliest, second] = line.toSorted((a, b) => a.since - b.since)
  const mayGo = line.filter((one) => one.lastTurn < ((one === earliest ? second : earliest)?.since ?? Infinity))
  return mayGo.toSorted((a, b) => a.first.sizeBytes - b.first.sizeBytes || a.since - b.since)[0]?.first
}

/** Who is further back is told how many wait, all of them. */
const placesMax = 100

/** Pure. How many are read before `key`, as things stand. */
export function placeOf(key: string, waiting: readonly Waiting[], turns: Turns): number {
  let left = [...waiting]
  const later = new Map(turns)
  const latest = Math.max(0, ...turns.values(), ...waiting.map(({ since }) => since))
  for (let place = 0; place < placesMax; place++) {
    const next = nextOf(left, later)
    if (next === undefined || next.key === key) return place
    later.set(next.account, latest + 1 + place)
    left = left.filter((one) => one !== next)
  }
  return waiting.length - 1
}

// In the store. Every process asks there, so turns hold over all of them.

/** More are not looked at: whoever sends as much waits long anyway. */
const lookedAtMost = 500
/** Of a file that is still to be fetched. */
const unknownBytes = 1_048_576
const hourMs = 3_600_000
/** Unclaimed agents have a tenth. */
const guestShare = 10
/** What a reading takes until the first ones are counted. */
const usualMs = 8_000

/** Milliseconds of one kind of work that an account has in an hour; null: no limit. */
export type Allowance = number | null

interface Looked {
  waiting: Waiting[]
  turns: Turns
  /** Of readings in this hour; what is usual where there were none. */
  meanMs: number
  spent: ReadonlyMap<string, number>
}

async function look(db: Reader | Tx, kind: string, now: number): Promise<Looked> {
  const rows = await db
    .selectFrom('jobs')
    .leftJoin('decks', 'decks.id', 'jobs.key')
    .leftJoin('accounts', 'accounts.id', 'decks.account_id')
    .select(['jobs.key', 'jobs.data', 'jobs.due_at', 'decks.account_id', 'accounts.kind'])
    .where('jobs.kind', '=', kind)
    .where('jobs.due_at', '<=', now)
    .orderBy(({ eb }) => eb.case().when('accounts.kind', '=', 'agent').then(1).else(0).end())
    .orderBy('jobs.due_at')
    .orderBy('jobs.key')
    .limit(lookedAtMost)
    .execute()
  const had = await db
    .selectFrom('turns')
    .selectAll()
    .where('kind', '=', kind)
    .where('hour', '>=', hourOf(now) - 1)
    .execute()
  const recent = had.filter(({ hour }) => hour === hourOf(now))
  const works = recent.reduce((sum, one) => sum + one.works, 0)
  return {
    waiting: rows.map(({ key, data, due_at, account_id, kind: made }) => ({
      key,
      // Of a deck that is gone, which takes no time.
      account: account_id ?? '',
      isGuest: made === 'agent',
      sizeBytes: Number(data) || unknownBytes,
      since: due_at,
    })),
    turns: new Map(had.map(({ account_id, turn_at }) => [account_id, turn_at])),
    meanMs: works === 0 ? usualMs : recent.reduce((sum, one) => sum + one.used_ms, 0) / works,
    spent: new Map(recent.map(({ account_id, used_ms }) => [account_id, used_ms])),
  }
}

const hourOf = (now: number) => Math.floor(now / hourMs)

function hasLeft({ account, isGuest }: Waiting, spent: Looked['spent'], allowance: Allowance): boolean {
  return allowance === null || (spent.get(account) ?? 0) < allowance / (isGuest ? guestShare : 1)
}

/**
 * The deck to be read next, whose account has had its turn then. `isForAll` false: this place is kept from agents that nobody has claimed, and
 * from accounts that have one already, so that nobody holds all places of a process.
 */
export async function takeTurn(
  tx: Tx,
  kind: string,
  { now, allowance, isForAll }: { now: number; allowance: Allowance; isForAll: boolean },
): Promise<string | undefined> {
  const { waiting, turns, spent } = await look(tx, kind, now)
  const served = isForAll ? new Set<string>() : new Set((await atWork(tx, kind, now)).map(({ account_id }) => account_id))
  const mayHave = ({ isGuest, account }: Waiting) => isForAll || (!isGuest && !served.has(account))
  const next = nextOf(
    waiting.filter((one) => mayHave(one) && hasLeft(one, spent, allowance)),
    turns,
  )
  if (next === undefined) return undefined
  await note(tx, kind, next.account, { now, turnAt: Math.max(now, ...[...turns.values()].map((at) => at + 1)), usedMs: 0, works: 0 })
  return next.key
}

/** What the work of one turn has taken. */
export async function countWork(tx: Tx, kind: string, account: string, now: number, usedMs: number): Promise<void> {
  await note(tx, kind, account, { now, turnAt: 0, usedMs: Math.round(usedMs), works: 1 })
}

interface Noted {
  now: number
  /** 0: as it was. */
  turnAt: number
  usedMs: number
  works: number
}

async function note(tx: Tx, kind: string, account: string, { now, turnAt, usedMs, works }: Noted): Promise<void> {
  await holdWord(tx, `turns of ${account}`)
  const before = await tx
    .selectFrom('turns')
    .selectAll()
    .where((row) => row.and({ kind, account_id: account }))
    .executeTakeFirst()
  const hour = hourOf(now)
  const isSame = before?.hour === hour
  const row = {
    turn_at: turnAt === 0 ? (before?.turn_at ?? now) : turnAt,
    hour,
    used_ms: usedMs + (isSame ? before.used_ms : 0),
    works: works + (isSame ? before.works : 0),
  }
  await tx
    .insertInto('turns')
    .values({ kind, account_id: account, ...row })
    .onConflict((conflict) => conflict.columns(['kind', 'account_id']).doUpdateSet(row))
    .execute()
}

/** Turns of hours that are over say nothing any more. */
export async function forgetTurns(tx: Tx, now: number): Promise<void> {
  await tx
    .deleteFrom('turns')
    .where('hour', '<', hourOf(now) - 1)
    .execute()
}

const atWork = (db: Reader | Tx, kind: string, now: number) =>
  db
    .selectFrom('jobs')
    .innerJoin('decks', 'decks.id', 'jobs.key')
    .select('decks.account_id')
    .where('jobs.kind', '=', kind)
    .where('jobs.lease_token', 'is not', null)
    .where('jobs.due_at', '>', now)
    .execute()

export interface Place {
  /** Files that are read before, those under way included. */
  before: number
  /** About, as long as readings took lately. */
  seconds: number
  /** Where the allowance of the hour is used up: when the next begins. */
  goesOnAt?: number
}

/** Undefined where the deck waits for nothing. */
export async function placeInLine(
  read: Reader,
  kind: string,
  deckId: string,
  now: number,
  allowance: Allowance,
): Promise<Place | undefined> {
  const { waiting, turns, meanMs, spent } = await look(read, kind, now)
  const own = waiting.find(({ key }) => key === deckId)
  if (own === undefined) return undefined
  const isIn = hasLeft(own, spent, allowance)
  const line = waiting.filter((one) => hasLeft(one, spent, allowance) || one.account === own.account)
  const running = (await atWork(read, kind, now)).length
  const before = running + placeOf(deckId, line, turns)
  const seconds = Math.ceil((before * meanMs) / Math.max(1, running) / 1_000)
  return { before, seconds, ...(!isIn && { goesOnAt: (hourOf(now) + 1) * hourMs }) }
}
