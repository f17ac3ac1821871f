// Real stores for tests: every storage suite runs on SQLite and on PostgreSQL, each test on data of its own.
import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, describe } from 'node:test'
import { Client, DatabaseError } from 'pg'
import type { Clock } from '@rostrum/base/clock'
import { readMigrations } from '../../server/platform/db/migrations.ts'
import { openPostgres, type PostgresOptions } from '../../server/platform/db/postgres.ts'
import { databaseFile, openSqlite, type SqliteOptions } from '../../server/platform/db/sqlite.ts'
import type { OutboxSettings, Store } from '../../server/platform/db/store.ts'
import { countPostgres } from './counted-postgres.ts'
import type { TestPostgres } from './postgres.ts'
import { startPostgres } from './postgres.ts'
import { track } from './under-way.ts'

export const testOutbox: OutboxSettings = { baseUrl: 'https://rostrum.test', consumers: ['webhooks'] }

/** With the clock of the test, what a store does by itself is done in the time of the test. */
interface StoreTime {
  clock?: Clock
}

/** A store for tests that are not about storage: SQLite, private, gone on close. */
export async function openTestStore(time: StoreTime = {}): Promise<Store> {
  const directory = await newDirectory()
  const store = await openEmbedded(directory, { ...time, isPassing: true })
  const close = () => store.close().then(() => rmSync(directory, { recursive: true, force: true }))
  return { ...store, close }
}

/** Its reads wait for nothing but its writes. */
async function openEmbedded(directory: string, options: Pick<SqliteOptions, 'clock' | 'migrates' | 'isPassing'>): Promise<Store> {
  const store = await openSqlite(directory, { outbox: testOutbox, ...options })
  return { ...store, write: (fn) => track(store.write(fn)) }
}

const directories = new Set<string>()
process.once('exit', () => directories.forEach((directory) => rmSync(directory, { recursive: true, force: true })))
let emptyStore: Uint8Array | undefined

/** Holds a store that is empty and migrated: a copy, for the statements that make one take longer than many a test. */
async function newDirectory(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-test-'))
  directories.add(directory)
  const file = join(directory, databaseFile)
  if (emptyStore === undefined) {
    await (await openEmbedded(directory, { isPassing: true })).close()
    emptyStore = readFileSync(file)
  } else writeFileSync(file, emptyStore)
  return directory
}

type OpenAnother = (manner?: Pick<PostgresOptions, 'natsUrl' | 'migrates'>) => Promise<Store>

export interface OpenedStore {
  store: Store
  /** Another store on the same data, as a second process would open it; on PostgreSQL it may ring through NATS. */
  another: OpenAnother
}

/** Opens an empty, migrated store; it is closed and removed after the test. */
export type OpenStore = (time?: StoreTime) => Promise<OpenedStore>

interface Backend {
  /** Returns null where the database cannot be had. */
  open(time: StoreTime): Promise<Opened | null>
  stop(): Promise<void>
}
interface Opened {
  first: Store
  another: OpenAnother
  remove: () => Promise<void>
}

async function openOrRemove(open: () => Promise<Store>, remove: () => Promise<void>): Promise<Store> {
  try {
    return await open()
  } catch (error) {
    await remove()
    throw error
  }
}

const sqlite: Backend = {
  async open(time) {
    const directory = await newDirectory()
    const another: OpenAnother = ({ migrates = false } = {}) => openEmbedded(directory, { ...time, migrates })
    const remove = async () => rmSync(directory, { recursive: true, force: true })
    return { first: await openOrRemove(another, remove), another, remove }
  },
  stop: async () => undefined,
}

/** A busy machine may keep a caller waiting, and no test is about that. */
const noLimits = { connect: 0, statement: 0, idle: 0, silence: 0 }

interface Server extends Pick<TestPostgres, 'url' | 'stop'> {
  /** Makes the databases. */
  admin: Client
  template: string
  /** What the template's schema looks like from outside. */
  schema: string
}

/**
 * A server named by `ROSTRUM_TEST_POSTGRES`, which the test runner starts once for all files, or one for this file alone. To make and
 * drop a database costs as much as most tests: one that a test has left is emptied and waits under the name of the idle for the next
 * test, of whichever process. It has a new name each time, so nobody who knew it before finds it.
 */
function postgres(): Backend {
  let started: Promise<Server | null> | undefined
  const start = async () => {
    countPostgres()
    const named = process.env['ROSTRUM_TEST_POSTGRES']
    const server = named === undefined ? await startPostgres() : { url: named, stop: async () => undefined }
    if (server === null) return null
    const admin = new Client({ connectionString: server.url })
    await admin.connect()
    const name = await template(admin, server.url)
    return { ...server, admin, template: name, schema: await onDatabase(server.url, name, schemaOf) }
  }
  return {
    async open(time) {
      const server = await (started ??= start())
      if (server === null) return null
      const { url, admin } = server
      const database = `test_${randomUUID().replaceAll('-', '')}`
      const idle = server.template.replace('template', 'idle')
      // A copy of the files costs less than one through the log.
      if (!(await takeIdle(admin, idle, database)))
        await onceLeft(admin, `CREATE DATABASE ${database} TEMPLATE ${server.template} STRATEGY file_copy`)
      const own = withDatabase(url, database)
      const options = { outbox: testOutbox, connectionsMax: 5, limitsMs: noLimits, ...time }
      const another: OpenAnother = (manner = {}) => openPostgres(own, { ...options, ...manner })
      const remove = async () => {
        const isEmpty = await onDatabase(url, database, async (client) => {
          await client.query(emptying)
          return (await schemaOf(client)) === server.schema
        })
        await onceLeft(
          admin,
          isEmpty ? `ALTER DATABASE ${database} RENAME TO ${database.replace('test', idle)}` : `DROP DATABASE ${database} WITH (FORCE)`,
        )
      }
      return { first: await openOrRemove(another, remove), another, remove }
    },
    async stop() {
      const server = await started
      await server?.admin.end()
      await server?.stop()
    },
  }
}

/** Gives an idle database the name; false where there is none. */
async function takeIdle(admin: Client, idle: string, name: string): Promise<boolean> {
  for (;;) {
    const { rows } = await admin.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE datname LIKE $1 ORDER BY random() LIMIT 1',
      [`${idle}%`],
    )
    if (rows[0] === undefined) return false
    try {
      await admin.query(`ALTER DATABASE ${rows[0].datname} RENAME TO ${name}`)
      return true
    } catch (error) {
      // Another process has been quicker.
      if (!(error instanceof DatabaseError && error.code === invalidCatalogName)) throw error
    }
  }
}

const invalidCatalogName = '3D000'

/**
 * Ends what is still connected, as the end of a process leaves it, and takes out every row but those that each store begins with. Rows
 * deleted stay in their file until it is long enough to be worth a new one.
 */
const emptying = `DO $$
DECLARE "table" regclass; bytes bigint;
BEGIN
  SET LOCAL session_replication_role = replica;
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
  WHILE EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()) LOOP
    PERFORM pg_sleep(0.001), pg_stat_clear_snapshot();
  END LOOP;
  FOR "table", bytes IN SELECT oid, pg_relation_size(oid) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migrations' LOOP
    IF bytes > 65536 THEN EXECUTE format('TRUNCATE %s CASCADE', "table");
    ELSIF bytes > 0 THEN EXECUTE format('DELETE FROM %s', "table");
    END IF;
  END LOOP;
END $$`

/** Changes with whatever a test makes, alters or drops; not as the service takes the table of its limits out of the log, which makes a part of it anew. */
async function schemaOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(`SELECT concat_ws(' ',
    (SELECT concat(count(*), ' ', max(oid)) FROM pg_class WHERE relnamespace <> 'pg_toast'::regnamespace),
    (SELECT concat(count(*), ' ', max(oid)) FROM pg_constraint),
    (SELECT concat(count(*), ' ', max(oid)) FROM pg_trigger),
    (SELECT concat(count(*), ' ', max(oid)) FROM pg_proc),
    (SELECT concat(count(*), ' ', sum(atttypid::int), count(*) FILTER (WHERE attnotnull)) FROM pg_attribute)) AS schema`)
  return rows[0]?.schema ?? ''
}

async function onDatabase<T>(url: string, database: string, fn: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: withDatabase(url, database) })
  await client.connect()
  try {
    return await fn(client)
  } finally {
    await client.end()
  }
}

/** The name of a migrated database to copy; made by whoever comes first, anew when a migration changes. */
async function template(admin: Client, url: string): Promise<string> {
  const digest = createHash('sha256')
  for (const { hash } of readMigrations()) digest.update(hash)
  const name = `template_${digest.digest('hex').slice(0, 16)}`
  await admin.query('SELECT pg_advisory_lock(1)')
  try {
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) {
      await admin.query(`DROP DATABASE IF EXISTS ${name}_new`)
      await admin.query(`CREATE DATABASE ${name}_new`)
      await (await openPostgres(withDatabase(url, `${name}_new`), { outbox: testOutbox, limitsMs: noLimits })).close()
      await onceLeft(admin, `ALTER DATABASE ${name}_new RENAME TO ${name}`)
    }
  } finally {
    await admin.query('SELECT pg_advisory_unlock(1)')
  }
  return name
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

/** PostgreSQL waits five seconds for those who have left a database to be gone; a busy machine may need longer. */
async function onceLeft(client: Client, sql: string): Promise<void> {
  const isInUse = (error: unknown) => error instanceof DatabaseError && error.code === '55006'
  for (let hasRun = false; !hasRun;) {
    hasRun = await client.query(sql).then(
      () => true,
      (error: unknown) => {
        if (isInUse(error)) return false
        throw error
      },
    )
  }
}

/** For a process that is no test: a store on a PostgreSQL of its own. */
export async function openTestPostgres(): Promise<{ open: (time: StoreTime) => Promise<Store>; stop: () => Promise<void> }> {
  const backend = postgres()
  return {
    async open(time) {
      const opened = await backend.open(time)
      if (opened === null) throw noPostgres()
      const { first, remove } = opened
      return {
        ...first,
        async close() {
          await first.close()
          await remove()
        },
      }
    },
    stop: backend.stop,
  }
}

const noPostgres = () => new Error('There is no PostgreSQL for this platform; name a server in ROSTRUM_TEST_POSTGRES.')

/** Declares `suite` once for each kind of store. */
export function eachStore(suite: (name: Store['dialect'], open: OpenStore) => void): void {
  for (const [name, backend] of [
    ['sqlite', sqlite],
    ['postgres', postgres()],
  ] as const) {
    describe(name, () => {
      let undo: (() => Promise<void>)[] = []
      afterEach(async () => {
        for (const step of undo.toReversed()) await step()
        undo = []
      })
      after(() => backend.stop())
      suite(name, async (time = {}) => {
        const opened = await backend.open(time)
        if (opened === null) throw noPostgres()
        undo.push(opened.remove, () => opened.first.close())
        return {
          store: opened.first,
          async another(manner) {
            const store = await opened.another(manner)
            undo.push(() => store.close())
            return store
          },
        }
      })
    })
  }
}

/** Every read answer, write and commit of `store` comes `ms` later: races that need a slow store become visible. */
export function delayedStore(store: Store, ms: number): Store {
  const later = () => track(new Promise<void>((resolve) => void setTimeout(resolve, ms)))
  const { urgent: _urgent, ...rest } = store
  return {
    ...rest,
    read: store.read.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        await later()
        return result
      },
    }),
    async write(fn) {
      await later()
      const result = await store.write(fn)
      await later()
      return result
    },
  }
}
