// The cluster store: PostgreSQL. One write is one transaction of the pool; conflicts between transactions are tried again.
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
  SingleConnectionProvider,
  Transaction,
} from 'kysely'
import { Client, type CustomTypesConfig, DatabaseError, Pool, type PoolClient, type PoolConfig, types } from 'pg'
import { Away, createHealth, type Health, type OnAway } from '../away.ts'
import { type Clock, systemClock, systemIds } from '@rostrum/base/clock'
import { beforeAbort, createAnswering } from './answering.ts'
import { natsWire, type NodeBell, openNodeBell, postgresWire } from './bell.ts'
import { migrate, type MigrationTarget } from './migrations.ts'
import { checkParameters, preparedNodes, queriesOf, streamQuery } from './statements.ts'
import {
  bindContext,
  caughtFailure,
  createDoorbell,
  type OutboxSettings,
  type Reader,
  type Ring,
  StartupError,
  type Store,
  type Topic,
  type Tx,
  type WriteManner,
} from './store.ts'
import type { Tables } from './tables.ts'

// pg under Kysely: one connection of the pool as a reader or as a transaction, with values shaped as SQLite gives them.

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
const plainTypes: CustomTypesConfig = {
  getTypeParser(oid, format) {
    const plain = format === 'binary' ? undefined : plainParsers.get(oid)
    const standard: unknown = types.getTypeParser(oid, format)
    return plain ?? standard
  },
}

/** What is used of pg's client, with the rows as something to be checked. */
interface Queryable {
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
    streamQuery,
  }
}

const propsOver = queriesOf(new PostgresQueryCompiler(), new PostgresAdapter())

type Connections = ReturnType<typeof connectionsOf>

const ignore = () => undefined

interface Watched {
  answering: Pick<ReturnType<typeof createAnswering>, 'begin'>
  health: Health
}

/** The pool, with a count of who uses it: pg would leave those still waiting for a connection at its end to their timeout. */
function connectionsOf(pool: Pool, { answering, health }: Watched) {
  let users = 0
  let whenUnused: (() => void) | null = null
  let ending: Promise<void> | undefined
  async function end(): Promise<void> {
    if (users > 0) await new Promise<void>((resolve) => void (whenUnused = resolve))
    await pool.end()
  }
  async function lent<T>(fn: (client: PoolClient, spoil: () => void) => Promise<T>): Promise<T> {
    let client: PoolClient | undefined
    let isSpoilt = false
    let isGone = false
    const spoil = () => void (isSpoilt = true)
    const { promise: inVain, reject } = Promise.withResolvers<never>()
    const waiter = answering.begin(() => {
      if (client === undefined) return reject(new Away('unreachable'))
      if (isGone) return
      isGone = true
      client.release(true)
    })
    const connecting = pool.connect()
    let isAnswered = false
    try {
      client = await Promise.race([connecting, inVain])
      // The pool listens only while a connection is idle; unheard, a server that goes away would end this process.
      client.on('error', spoil)
      const value = await fn(client, spoil)
      isAnswered = true
      return value
    } catch (error) {
      isAnswered = error instanceof DatabaseError
      throw error
    } finally {
      waiter.end(isAnswered)
      client?.off('error', spoil)
      if (client === undefined) connecting.then((late) => late.release(), ignore)
      else if (!isGone) client.release(isSpoilt)
    }
  }
  return {
    /** Lends a connection to `fn`; `spoil` says that it must not be lent again. */
    async use<T>(fn: (client: PoolClient, spoil: () => void) => Promise<T>, isWrite = false): Promise<T> {
      if (ending !== undefined) throw new Error('The store is closed.')
      users++
      try {
        const value = await lent(fn)
        if (isWrite) health.kept()
        return value
      } catch (error) {
        throw health.failed(error, isWrite)
      } finally {
        users--
        if (users === 0) whenUnused?.()
      }
    },
    /** Refuses new users, waits for the others and closes. */
    end: () => (ending ??= end()),
  }
}

/** Each query takes a connection for itself. */
function postgresReader(connections: Connections): Reader {
  return new Kysely<Tables>(
    propsOver({ provideConnection: (consumer) => connections.use((client) => consumer(connectionOver(client, true))) }),
  )
}

/** Queries on one connection follow each other: pg 9 will refuse two at once. */
function postgresTransaction(client: Queryable): Tx {
  return new Transaction<Tables>(propsOver(new SingleConnectionProvider(connectionOver(client, false))))
}

const retriesMax = 3
/** serialization_failure and deadlock_detected. */
const retriedCodes: ReadonlySet<string | undefined> = new Set(['40001', '40P01'])
/** Any number that nobody else uses for an advisory lock; it spells "rost". */
const migrationLock = 0x726f7374

export interface PostgresOptions {
  outbox: OutboxSettings
  clock?: Clock
  /** Brings a store of an older version up to date. Without it such a store is refused. */
  migrates?: boolean
  /** For everything but what is urgent, which has half as many more. */
  connectionsMax?: number
  /** Rings go through NATS instead of NOTIFY. */
  natsUrl?: string | null
  limitsMs?: PostgresLimits
  onAway?: OnAway | undefined
}

/**
 * How long a caller waits for a connection, a statement may take, a transaction may do nothing, and the server may be silent before it is
 * asked whether it is there, and then again; 0 for ever.
 */
interface PostgresLimits {
  connect: number
  statement: number
  idle: number
  silence: number
}

/** Nobody waits five seconds for a server that hangs. */
const usualLimitsMs: PostgresLimits = { connect: 4_500, statement: 15_000, idle: 10_000, silence: 2_000 }

/** Opens the store at `url`, and sets an empty one up. Throws `StartupError` when it cannot be reached or is of another version. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Store> {
  const { outbox, clock = systemClock, migrates = false, connectionsMax = 10, natsUrl = null, limitsMs = usualLimitsMs, onAway } = options
  const config: PoolConfig = {
    connectionString: url,
    application_name: 'rostrum',
    connectionTimeoutMillis: limitsMs.connect,
    statement_timeout: limitsMs.statement,
    idle_in_transaction_session_timeout: limitsMs.idle,
    keepAlive: true,
    // A plan made for tables that were empty must not outlive that.
    options: '-c plan_cache_mode=force_custom_plan',
    types: plainTypes,
  }
  const pool = quietPool({ ...config, max: connectionsMax })
  const health = createHealth(onAway)
  const answering = createAnswering({ ask: (signal) => askOnce(config, signal), clock, silenceMs: limitsMs.silence })
  const connections = connectionsOf(pool, { answering, health })
  const urgent = connectionsOf(quietPool({ ...config, max: Math.ceil(connectionsMax / 2) }), { answering, health })
  const doorbell = createDoorbell()
  let bell: NodeBell
  try {
    await checkServer(connections)
    await migrate(postgresTarget(connections), { migrates })
    const openWire = natsUrl === null ? postgresWire(config) : natsWire(natsUrl)
    bell = await openNodeBell({ openWire, doorbell, clock, ids: systemIds })
  } catch (error) {
    await Promise.all([connections.end(), urgent.end()])
    answering.close()
    throw error
  }
  const writer =
    (through: Connections): Store['write'] =>
    async (fn, manner = {}) => {
      const begin = beginOf(manner)
      for (let retries = 0; ; retries++) {
        try {
          const { value, topics } = await inTransaction(through, outbox, begin, fn)
          bell.ring(topics)
          return value
        } catch (error) {
          if (retries === retriesMax || !(error instanceof DatabaseError) || !retriedCodes.has(error.code)) throw error
        }
      }
    }
  let closing: Promise<void> | undefined
  return {
    dialect: 'postgres',
    read: postgresReader(connections),
    write: writer(connections),
    urgent: { read: postgresReader(urgent), write: writer(urgent) },
    ring: (topic) => bell.ring([topic]),
    listen: doorbell.listen,
    health,
    close() {
      // Writes under way ring when they end, so the bell goes last.
      closing ??= Promise.all([connections.end(), urgent.end()]).then(() => {
        answering.close()
        return bell.close()
      })
      return closing
    },
  }
}

/** On a connection of its own: those of the pool may all wait. */
async function askOnce(config: PoolConfig, signal: AbortSignal): Promise<void> {
  const client = new Client({ ...config, connectionTimeoutMillis: 0 })
  client.on('error', ignore)
  try {
    const asked = client.connect().then(() => client.query('SELECT 1'))
    await beforeAbort(asked, signal)
  } catch (error) {
    // One that has no connection to spare is there; one that starts or stops is not.
    if (!(error instanceof DatabaseError) || error.code?.startsWith('57P') === true) throw error
  } finally {
    client.end().catch(ignore)
  }
}

/** An idle connection that breaks is replaced at the next use; without a listener it would end the process. */
function quietPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  pool.on('error', ignore)
  return pool
}

/** In one message, which costs no more than a BEGIN. */
function beginOf({ isByKey = false }: WriteManner): string {
  let text = 'BEGIN ISOLATION LEVEL READ COMMITTED'
  // A plan that never reads a whole table suits a table of any size, also one that was empty when it was made.
  if (isByKey) text += '; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off'
  return text
}

type Work<T> = (tx: Tx, ring: Ring) => Promise<T>

function inTransaction<T>(
  connections: Connections,
  outbox: OutboxSettings,
  begin: string,
  fn: Work<T>,
): Promise<{ value: T; topics: Topic[] }> {
  return connections.use(async (client, spoil) => {
    const topics: Topic[] = []
    const ring: Ring = (topic) => void topics.push(topic)
    await client.query(begin)
    try {
      const tx = postgresTransaction(client)
      bindContext(tx, { ring, outbox })
      const value = await fn(tx, ring)
      const { command } = await client.query('COMMIT')
      // After a failed statement PostgreSQL answers COMMIT with a rollback, and without an error.
      if (command === 'ROLLBACK') throw caughtFailure(undefined)
      return { value, topics }
    } catch (error) {
      await client.query('ROLLBACK').catch(spoil)
      throw error
    }
  }, true)
}

async function checkServer(connections: Connections): Promise<void> {
  let encoding: unknown
  try {
    encoding = (await connections.use((client) => rowsOf(client, 'SHOW server_encoding')))[0]?.['server_encoding']
  } catch (error) {
    const words = `PostgreSQL cannot be used: ${reasonOf(error)}. Check DATABASE_URL and that the server is running.`
    throw new StartupError(words, { cause: error })
  }
  if (encoding !== 'UTF8') throw new StartupError(`The database has the encoding ${String(encoding)}. Create it with ENCODING 'UTF8'.`)
}

/** In the server's words, or those of the system. */
function reasonOf(error: unknown): string {
  if (error instanceof Away && error.cause === undefined) return 'the server does not answer'
  const cause = error instanceof Away ? error.cause : error
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ')
  if (!(cause instanceof Error)) return String(cause)
  const isUnknown = 'code' in cause && (cause.code === 'ENOTFOUND' || cause.code === 'EAI_AGAIN')
  if (isUnknown && 'hostname' in cause) return `the host name ${String(cause.hostname)} does not resolve`
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}

/** One migration in one transaction under an advisory lock: nodes that start together run each file once. */
export function postgresTarget(connections: Connections): MigrationTarget {
  return {
    dialect: 'postgres',
    read: (sql) => connections.use((client) => rowsOf(client, sql)),
    transaction: (fn) =>
      connections.use(async (client, spoil) => {
        await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL client_min_messages = warning')
        try {
          await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
          const result = await fn((sql) => rowsOf(client, sql))
          await client.query('COMMIT')
          return result
        } catch (error) {
          await client.query('ROLLBACK').catch(spoil)
          throw error
        }
      }),
  }
}

async function rowsOf(client: Queryable, sql: string): Promise<Record<string, unknown>[]> {
  const result = await client.query(sql)
  // Several statements at once answer with an array of results; nobody reads those. Rows are objects by name.
  return Array.isArray(result) ? [] : (result.rows as Record<string, unknown>[])
}
