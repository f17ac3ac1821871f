// The cluster store: PostgreSQL. One write is one transaction of the pool; conflicts between transactions are tried again.
import { DatabaseError, Pool, type PoolConfig } from 'pg'
import { type Clock, systemClock } from '../../clock.ts'
import { systemIds } from '../../ids.ts'
import { createDoorbell, type Ring } from '../bell/doorbell.ts'
import { type NodeBell, openNodeBell, postgresWire } from '../bell/node-bell.ts'
import { migrate, type MigrationTarget } from '../migrations.ts'
import { caughtFailure, type OutboxSettings, StartupError, type Store, type Topic, type Tx, type WriteManner } from '../store.ts'
import { bindContext } from '../transaction-context.ts'
import { postgresLifeline } from './lifeline.ts'
import { type Connections, connectionsOf, plainTypes, postgresReader, postgresTransaction, type Queryable } from './postgres-connection.ts'

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
}

/** How long a caller waits for a connection, a statement may take, and a transaction may do nothing; 0 for ever. */
interface PostgresLimits {
  connect: number
  statement: number
  idle: number
}

const usualLimitsMs: PostgresLimits = { connect: 10_000, statement: 15_000, idle: 10_000 }

/** Opens the store at `url`, and sets an empty one up. Throws `StartupError` when it cannot be reached or is of another version. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Store> {
  const { outbox, clock = systemClock, migrates = false, connectionsMax = 10, natsUrl = null, limitsMs = usualLimitsMs } = options
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
  const connections = connectionsOf(pool)
  const urgent = connectionsOf(quietPool({ ...config, max: Math.ceil(connectionsMax / 2) }))
  const doorbell = createDoorbell()
  let bell: NodeBell
  try {
    await checkServer(pool)
    await migrate(postgresTarget(connections), { migrates })
    // The client of NATS is not loaded where nobody needs it.
    const openWire = natsUrl === null ? postgresWire(config) : (await import('../bell/nats-wire.ts')).natsWire(natsUrl)
    bell = await openNodeBell({ openWire, doorbell, clock, ids: systemIds })
  } catch (error) {
    await Promise.all([connections.end(), urgent.end()])
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
    lifeline: (name) => postgresLifeline(config, name),
    ring: (topic) => bell.ring([topic]),
    listen: doorbell.listen,
    close() {
      // Writes under way ring when they end, so the bell goes last.
      closing ??= Promise.all([connections.end(), urgent.end()]).then(() => bell.close())
      return closing
    },
  }
}

/** An idle connection that breaks is replaced at the next use; without a listener it would end the process. */
function quietPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  pool.on('error', () => undefined)
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
  })
}

async function checkServer(pool: Pool): Promise<void> {
  let encoding: unknown
  try {
    encoding = (await rowsOf(pool, 'SHOW server_encoding'))[0]?.['server_encoding']
  } catch (error) {
    const reason = error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error)
    throw new StartupError(`PostgreSQL cannot be used: ${reason}. Check DATABASE_URL and that the server is running.`, { cause: error })
  }
  if (encoding !== 'UTF8') throw new StartupError(`The database has the encoding ${String(encoding)}. Create it with ENCODING 'UTF8'.`)
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
