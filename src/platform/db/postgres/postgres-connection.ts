// pg under Kysely: one connection of the pool as a reader or as a transaction, with values shaped as SQLite gives them.
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  type KyselyProps,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SingleConnectionProvider,
  Transaction,
} from 'kysely'
import { type CustomTypesConfig, type Pool, type PoolClient, types } from 'pg'
import { preparedNodes } from '../prepared.ts'
import { checkParameters } from '../parameters.ts'
import type { Reader, Tx } from '../store.ts'
import type { Tables } from '../tables.ts'

function toNumber(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond 2^53.`)
  return value
}

/** By type oid: BIGINT (and COUNT) and NUMERIC (SUM) as numbers, BOOLEAN as 1 and 0. */
const plainParsers: ReadonlyMap<number, (text: string) => number> = new Map([
  [20, toNumber],
  [1700, toNumber],
  [16, (text: string) => (text === 't' ? 1 : 0)],
])

/** Values as SQLite gives them; every other type as pg has it. */
export const plainTypes: CustomTypesConfig = {
  getTypeParser(oid, format) {
    const plain = format === 'binary' ? undefined : plainParsers.get(oid)
    const standard: unknown = types.getTypeParser(oid, format)
    return plain ?? standard
  },
}

/** What is used of pg's client, with the rows as something to be checked. */
export interface Queryable {
  query(
    sql: string | { name: string; text: string },
    values?: unknown[],
  ): Promise<{ command: string; rowCount: number | null; rows: unknown[] }>
}

/** A longer one is the insert of so many rows, one of many. */
const nameableMax = 2_000
/** Names of prepared statements; there are as many as hot paths have texts. */
const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `rostrum_${names.size}`
    names.set(text, name)
  }
  return name
}

const readOnly = () => new Error('`read` does not write; use `write`.')

const changing: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode'])

function connectionOver(client: Queryable, isReadOnly: boolean): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
      checkParameters(parameters, sql)
      if (isReadOnly && changing.has(query.kind)) throw readOnly()
      const named = preparedNodes.has(query) && sql.length <= nameableMax ? { name: nameOf(sql), text: sql } : sql
      const { command, rowCount, rows } = await client.query(named, [...parameters])
      // Kysely has typed the rows by the query it built.
      const typed = rows as R[]
      return command === 'SELECT' ? { rows: typed } : { rows: typed, numAffectedRows: BigInt(rowCount ?? 0) }
    },
    // eslint-disable-next-line require-yield -- the interface asks for a generator
    async *streamQuery() {
      throw new Error('The store does not stream; read in pages.')
    },
  }
}

const compiler = new PostgresQueryCompiler()
const adapter = new PostgresAdapter()
const dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => compiler,
  createAdapter: () => adapter,
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
}

function propsOver(provider: ConnectionProvider): KyselyProps {
  const executor = new DefaultQueryExecutor(compiler, adapter, provider)
  return { config: { dialect }, driver: dialect.createDriver(), executor, dialect }
}

/** The pool, with a count of who uses it: pg would leave those still waiting for a connection at its end to their timeout. */
export interface Connections {
  /** Lends a connection to `fn`; `spoil` says that it must not be lent again. */
  use<T>(fn: (client: PoolClient, spoil: () => void) => Promise<T>): Promise<T>
  /** Refuses new users, waits for the others and closes. */
  end(): Promise<void>
}

export function connectionsOf(pool: Pool): Connections {
  let users = 0
  let whenUnused: (() => void) | null = null
  let ending: Promise<void> | undefined
  async function end(): Promise<void> {
    if (users > 0) await new Promise<void>((resolve) => void (whenUnused = resolve))
    await pool.end()
  }
  return {
    async use(fn) {
      if (ending !== undefined) throw new Error('The store is closed.')
      users++
      try {
        const client = await pool.connect()
        let isSpoilt = false
        const spoil = () => void (isSpoilt = true)
        // The pool listens only while a connection is idle; unheard, a server that goes away would end this process.
        client.on('error', spoil)
        try {
          return await fn(client, spoil)
        } finally {
          client.off('error', spoil)
          client.release(isSpoilt)
        }
      } finally {
        users--
        if (users === 0) whenUnused?.()
      }
    },
    end: () => (ending ??= end()),
  }
}

/** Each query takes a connection for itself. */
export function postgresReader(connections: Connections): Reader {
  return new Kysely<Tables>(
    propsOver({ provideConnection: (consumer) => connections.use((client) => consumer(connectionOver(client, true))) }),
  )
}

/** Queries on one connection follow each other: pg 9 will refuse two at once. */
export function postgresTransaction(client: Queryable): Tx {
  return new Transaction<Tables>(propsOver(new SingleConnectionProvider(connectionOver(client, false))))
}
