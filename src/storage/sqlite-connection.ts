// node:sqlite under Kysely: a connection that caches its statements, and the query executor over it. Kysely's own dialect
// expects better-sqlite3 and queues every read behind an open transaction, so only its compiler and adapter are used.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CompiledQuery, ConnectionProvider, DatabaseConnection, KyselyProps, QueryResult } from 'kysely'
import { DefaultQueryExecutor, DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, Transaction } from 'kysely'
import { directRows } from './direct-rows.ts'
import { checkParameters } from './parameters.ts'
import type { Reader, Tx } from './store.ts'
import type { Tables } from './tables.ts'

const statementsMax = 500

interface Cached {
  statement: StatementSync
  returnsRows: boolean
}

interface SqliteConnection extends DatabaseConnection {
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>>
  run(sql: string, parameters: readonly unknown[]): QueryResult<unknown>
}

/** Answers in the same turn of the loop: every promise it returns is already settled. */
export function sqliteConnection(db: DatabaseSync): SqliteConnection {
  const cache = new Map<string, Cached>()
  const prepare = (sql: string): Cached => {
    const known = cache.get(sql)
    if (known !== undefined) return known
    const statement = db.prepare(sql)
    const fresh = { statement, returnsRows: statement.columns().length > 0 }
    if (cache.size >= statementsMax) {
      for (const oldest of cache.keys()) {
        cache.delete(oldest)
        break
      }
    }
    cache.set(sql, fresh)
    return fresh
  }
  const run = (sql: string, parameters: readonly unknown[]): QueryResult<unknown> => {
    checkParameters(parameters, sql)
    const { statement, returnsRows } = prepare(sql)
    // The check above has proved that every parameter is text, a number, bytes or null.
    const values = parameters as (string | number | Uint8Array | null)[]
    // Rows come without a prototype; the copies are plain objects, as PostgreSQL's are.
    if (returnsRows) return { rows: statement.all(...values).map((row) => ({ ...row })) }
    const { changes } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }
  return {
    run,
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // The query says what its rows are.
      return run(sql, parameters) as QueryResult<R>
    },
    // eslint-disable-next-line require-yield -- the interface asks for a generator
    async *streamQuery() {
      throw new Error('The embedded store does not stream; read in pages.')
    },
  }
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

export function sqliteReader(db: DatabaseSync): Reader {
  const connection = sqliteConnection(db)
  const reader = new Kysely<Tables>(propsOver(connection))
  directRows.set(reader, (sql, parameters) => connection.run(sql, parameters).rows)
  return reader
}

export function sqliteTransaction(connection: DatabaseConnection): Tx {
  return new Transaction<Tables>(propsOver(connection))
}
