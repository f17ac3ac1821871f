// node:sqlite under Kysely: a connection that caches its statements, and the query executor over it. Kysely's own dialect
// expects better-sqlite3 and queues every read behind an open transaction, so only its compiler and adapter are used.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  type KyselyProps,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  Transaction,
} from 'kysely'
import { checkParameters } from '../parameters.ts'
import type { Reader, Tx } from '../store.ts'
import type { Tables } from '../tables.ts'

const statementsMax = 500

interface Cached {
  statement: StatementSync
  /** Of the rows that it returns; empty for one that returns none. */
  columns: readonly string[]
}

export interface SqliteConnection extends DatabaseConnection {
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>>
  /** The same, at once. */
  query<R>(query: CompiledQuery): QueryResult<R>
}

/** Answers in the same turn of the loop: every promise it returns is already settled. */
export function sqliteConnection(db: DatabaseSync): SqliteConnection {
  const cache = new Map<string, Cached>()
  const prepare = (sql: string): Cached => {
    const known = cache.get(sql)
    if (known !== undefined) return known
    const statement = db.prepare(plannedOnce(sql))
    const fresh = { statement, columns: statement.columns().map(({ name }) => name) }
    statement.setReturnArrays(true)
    if (cache.size >= statementsMax) {
      for (const oldest of cache.keys()) {
        cache.delete(oldest)
        break
      }
    }
    cache.set(sql, fresh)
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
    // eslint-disable-next-line require-yield -- the interface asks for a generator
    async *streamQuery() {
      throw new Error('The embedded store does not stream; read in pages.')
    },
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

const compiler = new SqliteQueryCompiler()
const adapter = new SqliteAdapter()
const dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => compiler,
  createAdapter: () => adapter,
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
}

function propsOver(connection: DatabaseConnection): KyselyProps {
  const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(connection) }
  const executor = new DefaultQueryExecutor(compiler, adapter, provider)
  return { config: { dialect }, driver: dialect.createDriver(), executor, dialect }
}

/** Reads what is committed and on the disk; `snapshot.begin` is called before each read. */
export function sqliteReader(db: DatabaseSync, snapshot: Snapshot, unsynced: () => Promise<void> | null): Reader {
  const connection = sqliteConnection(db)
  const inSnapshot: DatabaseConnection = {
    async executeQuery(query) {
      for (let pending = unsynced(); pending !== null; pending = unsynced()) await pending
      snapshot.begin()
      return connection.executeQuery(query)
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  }
  return new Kysely<Tables>(propsOver(inSnapshot))
}

export function sqliteTransaction(connection: SqliteConnection): Tx {
  return new Transaction<Tables>(propsOver(connection))
}

// One read transaction for all reads of one turn of the loop: taking and giving back the lock of a snapshot costs twice what
// SQLite takes to find a row in it. It ends with the turn, and with every commit of this process, so that whoever has written
// reads what was written. What another process commits is seen from the next turn on, before any call that could know of it.

export interface Snapshot {
  /** Opens one, unless this turn has one. */
  begin(): void
  /** The next read sees everything committed by then. */
  end(): void
}

export function turnSnapshot(db: DatabaseSync): Snapshot {
  const [open, close] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  let isOpen = false
  const end = () => {
    if (!isOpen) return
    isOpen = false
    // A failed read may have ended it.
    if (db.isTransaction) close.run()
  }
  const begin = () => {
    if (isOpen) return
    open.run()
    isOpen = true
    setImmediate(end)
  }
  return { begin, end }
}
