// node:sqlite under Kysely: a connection that caches its statements, and the query executor over it. Kysely's own dialect
// expects better-sqlite3 and queues every read behind an open transaction, so only its compiler and adapter are used.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
  Transaction,
} from 'kysely'
import type { Health } from '../away.ts'
import type { Clock } from '@rostrum/base/clock'
import { keep } from '@rostrum/base/work'
import { checkParameters, queriesOf, streamQuery } from './statements.ts'
import { bindContext, caughtFailure, type Doorbell, type OutboxSettings, type Reader, type Ring, type Topic, type Tx } from './store.ts'
import type { Tables } from './tables.ts'

const statementsMax = 500

interface Cached {
  statement: StatementSync
  /** Of the rows that it returns; empty for one that returns none. */
  columns: readonly string[]
}

interface SqliteConnection extends DatabaseConnection {
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>>
  /** The same, at once. */
  query<R>(query: CompiledQuery): QueryResult<R>
}

/** Answers in the same turn of the loop: every promise it returns is already settled. */
function sqliteConnection(db: DatabaseSync): SqliteConnection {
  const cache = new Map<string, Cached>()
  const prepare = (sql: string): Cached => {
    const known = cache.get(sql)
    if (known !== undefined) return known
    const statement = db.prepare(plannedOnce(sql))
    const fresh = { statement, columns: statement.columns().map(({ name }) => name) }
    statement.setReturnArrays(true)
    keep(cache, sql, fresh, statementsMax)
    return fresh
  }
  const query = <R>({ sql, parameters }: CompiledQuery): QueryResult<R> => {
    const values = checked(parameters, sql)
    const known = prepare(sql)
    if (known.columns.length === 0) return { rows: [], numAffectedRows: BigInt(known.statement.run(...values).changes) }
    // The query says what they hold.
    return { rows: rowsOf(known, values) as R[] }
  }
  return {
    query,
    executeQuery: async (compiled) => query(compiled),
    streamQuery,
  }
}

/** SQLite plans a statement anew for each value of a parameter that it recognises as a limit; in a sum it does not look for one. */
function plannedOnce(sql: string): string {
  return sql.replaceAll(/\blimit \?/gi, 'limit ? + 0')
}

/**
 * Plain objects, as PostgreSQL's rows are. The driver's own have no prototype and each a hidden class of its own, so that every look
 * at a member goes the slow way: twice the cost of finding a wide row.
 */
function rowsOf({ statement, columns }: Cached, values: readonly (string | number | Uint8Array | null)[]): unknown[] {
  // Arrays, because `prepare` has asked for them.
  const rows = statement.all(...values) as unknown as unknown[][]
  return rows.map((row) => {
    const members: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at++) members[columns[at] ?? ''] = row[at]
    return members
  })
}

function checked(parameters: readonly unknown[], sql: string): (string | number | Uint8Array | null)[] {
  checkParameters(parameters, sql)
  // Now proved: text, a number, bytes or null.
  return parameters as (string | number | Uint8Array | null)[]
}

const propsOver = queriesOf(new SqliteQueryCompiler(), new SqliteAdapter())
const always = (connection: DatabaseConnection): ConnectionProvider => ({ provideConnection: (consumer) => consumer(connection) })

interface ReaderParts {
  snapshot: { begin(): void }
  unsynced: () => Promise<void> | null
  health: Health
}

/** Reads what is committed and on the disk; `snapshot.begin` is called before each read. */
export function sqliteReader(db: DatabaseSync, { snapshot, unsynced, health }: ReaderParts): Reader {
  const connection = sqliteConnection(db)
  const inSnapshot: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery) {
      try {
        for (let pending = unsynced(); pending !== null; pending = unsynced()) await pending
        snapshot.begin()
        return connection.query<R>(query)
      } catch (error) {
        throw health.failed(error, false)
      }
    },
    streamQuery,
  }
  return new Kysely<Tables>(propsOver(always(inSnapshot)))
}

function sqliteTransaction(connection: SqliteConnection): Tx {
  return new Transaction<Tables>(propsOver(always(connection)))
}

// One read transaction for all reads of one turn of the loop: taking and giving back the lock of a snapshot costs twice what
// SQLite takes to find a row in it. It ends with the turn, and with every commit of this process, so that whoever has written
// reads what was written. What another process commits is seen from the next turn on, before any call that could know of it.

export function turnSnapshot(db: DatabaseSync) {
  const [open, close] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  let isOpen = false
  /** The next read sees everything committed by then. */
  const end = () => {
    if (!isOpen) return
    isOpen = false
    // A failed read may have ended it.
    if (db.isTransaction) close.run()
  }
  /** Opens one, unless this turn has one. */
  const begin = () => {
    if (isOpen) return
    open.run()
    isOpen = true
    setImmediate(end)
  }
  return { begin, end }
}

// Group commit: callers of one turn of the loop share one transaction, so one flush to disk pays for all of them; each but the first
// runs in a savepoint of its own, so that a failure of one is nobody else's. No answer is given before the commit.

/** Bounds of one flush, so that the loop is never held for long. */
const callersMax = 64
const flushBudgetMs = 2

type Work = (tx: Tx, ring: Ring) => Promise<unknown>
interface Caller {
  fn: Work
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}
type Outcome = { ok: true; value: unknown; topics: readonly Topic[] } | { ok: false; reason: unknown }

interface Parts {
  db: DatabaseSync
  doorbell: Doorbell
  clock: Clock
  outbox: OutboxSettings
  /** Forces commits to the disk; null where the store need not survive. */
  sync: (() => Promise<void>) | null
  /** Called after each commit (and each that failed), before its callers learn of it. */
  onCommitted: () => void
  health: Health
}

export function groupCommit({ db, doorbell, clock, outbox, sync, onCommitted, health }: Parts) {
  const connection = sqliteConnection(db)
  const changes = db.prepare('SELECT total_changes() AS count')
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')]
  const [setSavepoint, release] = [db.prepare('SAVEPOINT caller'), db.prepare('RELEASE caller')]
  const queue: Caller[] = []
  /** Stays where it failed: what a disk has refused once may be lost, so this store neither reads nor writes any more. */
  let syncing: Promise<void> | null = null
  let isScheduled = false
  let isClosed = false
  let whenIdle: (() => void)[] = []

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => void flush())
  }

  async function flush(): Promise<void> {
    const group: { caller: Caller; outcome: Outcome }[] = []
    try {
      await syncing
      const before = changes.get()?.['count']
      begin.run()
      const turn = nextTurn()
      const startedAt = clock.elapsed()
      while (group.length < callersMax && !turn.hasPassed() && (group.length === 0 || clock.elapsed() - startedAt < flushBudgetMs)) {
        const caller = queue.shift()
        if (caller === undefined) break
        // Entered before it runs: whatever happens to the flush from here on, this caller gets an answer.
        const entry: { caller: Caller; outcome: Outcome } = { caller, outcome: { ok: false, reason: undefined } }
        group.push(entry)
        entry.outcome = group.length === 1 ? await alone(caller.fn, turn.passed) : await inSavepoint(caller.fn, turn.passed)
      }
      turn.forget()
      commit.run()
      const hasChanged = changes.get()?.['count'] !== before
      // Off the loop: it stands still for as long as a disk takes otherwise.
      if (sync !== null && hasChanged) {
        syncing = sync()
        await syncing
        syncing = null
      }
      if (hasChanged) health.kept()
    } catch (error) {
      // BEGIN, a savepoint or COMMIT failed: nothing is durable, so nobody may believe that it is.
      if (db.isTransaction) db.exec('ROLLBACK')
      if (group.length === 0) group.push(...queue.splice(0, callersMax).map((caller) => ({ caller, outcome: failed(error) })))
      for (const entry of group) entry.outcome = failed(error)
    }
    onCommitted()
    const topics: Topic[] = []
    for (const { caller, outcome } of group) {
      if (outcome.ok) {
        caller.resolve(outcome.value)
        topics.push(...outcome.topics)
      } else caller.reject(health.failed(outcome.reason, true))
    }
    isScheduled = false
    doorbell.ring(topics)
    if (queue.length > 0) schedule()
    else {
      for (const resolve of whenIdle) resolve()
      whenIdle = []
    }
  }

  async function run(fn: Work, turnPassed: Promise<Outcome>): Promise<Outcome> {
    const topics: Topic[] = []
    const handle = ownHandle(connection)
    const tx = sqliteTransaction(handle.connection)
    const ring: Ring = (topic) => void topics.push(topic)
    bindContext(tx, { ring, outbox })
    const outcome = await Promise.race([outcomeOf(fn, tx, ring, topics), turnPassed])
    handle.end()
    return outcome.ok && handle.failure() !== undefined ? failed(caughtFailure(handle.failure())) : outcome
  }

  /** The first: nothing is written before it that its failure could undo, and a savepoint would copy every page that it changes. */
  async function alone(fn: Work, turnPassed: Promise<Outcome>): Promise<Outcome> {
    const outcome = await run(fn, turnPassed)
    if (!outcome.ok) {
      if (db.isTransaction) db.exec('ROLLBACK')
      begin.run()
    }
    return outcome
  }

  async function inSavepoint(fn: Work, turnPassed: Promise<Outcome>): Promise<Outcome> {
    setSavepoint.run()
    const outcome = await run(fn, turnPassed)
    if (outcome.ok) release.run()
    // A disk that is full, or fails, undoes the whole transaction: nobody in it may believe that it is there.
    else if (!db.isTransaction) throw outcome.reason
    else db.exec('ROLLBACK TO caller; RELEASE caller')
    return outcome
  }

  return {
    /** What was committed and is not on the disk yet: nobody may read it before. Null where there is nothing. */
    unsynced: (): Promise<void> | null => syncing,
    write<T>(fn: (tx: Tx, ring: Ring) => Promise<T>): Promise<T> {
      if (isClosed) return Promise.reject(new Error('The store is closed.'))
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      // The cast is safe: `resolve` only ever receives what this `fn` returned.
      queue.push({ fn, resolve: resolve as (value: unknown) => void, reject })
      schedule()
      return promise
    },
    /** Resolves when nothing is queued; later writes are refused. */
    async close(): Promise<void> {
      isClosed = true
      if (queue.length > 0 || isScheduled) await new Promise<void>((resolve) => void whenIdle.push(resolve))
    },
  }
}

async function outcomeOf(fn: Work, tx: Tx, ring: Ring, topics: readonly Topic[]): Promise<Outcome> {
  try {
    return { ok: true, value: await fn(tx, ring), topics }
  } catch (reason) {
    return failed(reason)
  }
}

function failed(reason: unknown): Outcome & { ok: false } {
  return { ok: false, reason }
}

/**
 * A transaction handle for one caller. It dies with its caller, so that a query that nobody awaited cannot slip into a
 * neighbour's savepoint; and a failed query spoils it, as PostgreSQL would, even if the caller catches the error.
 */
function ownHandle(connection: SqliteConnection): { connection: SqliteConnection; end: () => void; failure: () => unknown } {
  let isLive = true
  let failure: unknown
  const guarded = <T>(query: () => T): T => {
    if (!isLive) throw new Error('This transaction has ended; await every query inside `write`.')
    if (failure !== undefined) throw failure
    try {
      return query()
    } catch (error) {
      failure = error
      throw error
    }
  }
  const query = <R>(compiled: CompiledQuery) => guarded(() => connection.query<R>(compiled))
  return {
    connection: {
      query,
      executeQuery: async (compiled) => query(compiled),
      streamQuery,
    },
    end: () => void (isLive = false),
    failure: () => failure,
  }
}

/**
 * Queries answer within one turn of the loop, so a caller that outlives the turn awaits something else, holding up everybody
 * and perhaps for ever (a `write` inside a `write`). It is rolled back and told so.
 */
function nextTurn(): { passed: Promise<Outcome>; hasPassed: () => boolean; forget: () => void } {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  let hasPassed = false
  const immediate = setImmediate(() => {
    hasPassed = true
    resolve(failed(new Error('A write may await nothing but its transaction; do other work before or after it.')))
  })
  return { passed: promise, hasPassed: () => hasPassed, forget: () => clearImmediate(immediate) }
}
