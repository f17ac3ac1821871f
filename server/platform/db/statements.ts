// Statements as both databases take them: what Kysely builds is sent through connections of our own, those of hot paths compiled once, with
// parameters and locks that mean the same on each.
import {
  type Compilable,
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type DialectAdapter,
  DummyDriver,
  type KyselyProps,
  PostgresAdapter,
  type QueryCompiler,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import type { Reader, Tx } from './store.ts'
import type { Tables } from './tables.ts'

/** Kysely with a compiler and an adapter of its own, over connections of ours: its drivers queue reads behind an open transaction. */
export function queriesOf(compiler: QueryCompiler, adapter: DialectAdapter): (provider: ConnectionProvider) => KyselyProps {
  const driver = new DummyDriver()
  const dialect = {
    createDriver: () => driver,
    createQueryCompiler: () => compiler,
    createAdapter: () => adapter,
    createIntrospector: () => {
      throw new Error('Nobody asks what tables there are.')
    },
  }
  return (provider) => ({ config: { dialect }, driver, executor: new DefaultQueryExecutor(compiler, adapter, provider), dialect })
}

// eslint-disable-next-line require-yield -- the interface of a connection asks for a generator
export async function* streamQuery(): AsyncGenerator<never> {
  throw new Error('The store does not stream; read in pages.')
}

// Statements of hot paths, compiled once: building and compiling one costs more than SQLite takes to answer it.

/** Of statements whose text stays: PostgreSQL plans each once for a connection. */
export const preparedNodes = new WeakSet<object>()

/** Where a parameter comes from: a member of a row that the call brings, or, without a name, what the statement always says. */
interface Source {
  row: number
  name: string | null
  constant: unknown
}

interface Text {
  query: CompiledQuery
  sources: readonly Source[]
  /** How many values every call brings. */
  size: number
}

type Row = Readonly<Record<string, unknown>>

/**
 * A statement whose values change and whose text does not. `build` runs once for each database, and once for each number of rows where
 * `values` is a list of them; it is given stand-ins, so it must not look at a value. Every call brings values of the same names, and
 * gets the rows that the statement returns.
 */
export function prepared<Found, Values extends object>(
  build: (db: Reader, values: Values) => Compilable<Found>,
): (db: Reader | Tx, values: Values) => Promise<Found[]> {
  const texts = new Map<DialectAdapter, Map<number, Text>>()
  return (db, values) => {
    const rows = rowsIn(values)
    const { adapter } = db.getExecutor()
    let bySize = texts.get(adapter)
    if (bySize === undefined) texts.set(adapter, (bySize = new Map<number, Text>()))
    let text = bySize.get(rows.length)
    if (text === undefined) bySize.set(rows.length, (text = compiled(db, build, values)))
    return rowsOf<Found>(db, text, rows)
  }
}

/** A list is the rows of one insert; anything else is the only row. */
const rowsIn = (values: object): readonly Row[] => (Array.isArray(values) ? (values as Row[]) : [values as Row])

function compiled<Values extends object>(db: Reader, build: (db: Reader, values: Values) => Compilable<unknown>, values: Values): Text {
  const held = new Map<unknown, Source>()
  const standIn = (row: number, name: string): object => {
    const source = { row, name, constant: undefined }
    held.set(source, source)
    return source
  }
  const rows = rowsIn(values).map((row, at) => Object.fromEntries(Object.keys(row).map((name) => [name, standIn(at, name)])))
  // Kysely hands on as a parameter whatever stands in the place of a value.
  const query = build(db, (Array.isArray(values) ? rows : rows[0]) as Values).compile()
  const sources = query.parameters.map((constant) => held.get(constant) ?? { row: 0, name: null, constant })
  preparedNodes.add(query.query)
  return { query, sources, size: held.size }
}

function parametersOf({ query, sources, size }: Text, rows: readonly Row[]): unknown[] {
  let brought = 0
  for (const row of rows) brought += Object.keys(row).length
  if (brought !== size) throw new TypeError(`${brought} values instead of ${size} for: ${query.sql}`)
  return sources.map(({ row, name, constant }) => (name === null ? constant : rows[row]?.[name]))
}

async function rowsOf<Found>(db: Reader | Tx, text: Text, values: readonly Row[]): Promise<Found[]> {
  const { rows } = await db.executeQuery({ ...text.query, parameters: parametersOf(text, values) })
  // The text was compiled from a statement that returns such rows.
  return rows as Found[]
}

// Query parameters that one of the two databases would refuse, change or drop are refused on both, before they are sent.

/** Throws on what SQLite and PostgreSQL would treat differently: U+0000, `undefined`, booleans, unsafe or broken numbers. */
export function checkParameters(parameters: readonly unknown[], sql: string): void {
  for (let i = 0; i < parameters.length; i++) {
    const problem = problemOf(parameters[i])
    if (problem !== null) throw new TypeError(`Parameter ${i + 1} ${problem} in: ${sql}`)
  }
}

function problemOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value.includes('\u0000') ? 'holds U+0000, which PostgreSQL cannot store' : null
    case 'number':
      return Number.isSafeInteger(value) ? null : 'is not a whole number within 2^53'
    case 'object':
      return value === null || value instanceof Uint8Array ? null : 'is an object; store JSON as text'
    default:
      return `is of type ${typeof value}; send text, a whole number, bytes or null`
  }
}

// Locks of rows, until the end of the transaction that reads them. SQLite writes one at a time and knows none.

type Rows<Of extends keyof Tables, Found> = SelectQueryBuilder<Tables, Of, Found>

const knowsLocks = (db: Reader | Tx): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** Nobody else changes or deletes the rows that it finds, nor holds them. */
export const held = <Of extends keyof Tables, Found>(db: Reader | Tx, query: Rows<Of, Found>): Rows<Of, Found> =>
  knowsLocks(db) ? query.forNoKeyUpdate() : query

/** Nobody deletes the rows that it finds; others may change them. */
export const remaining = <Of extends keyof Tables, Found>(db: Reader | Tx, query: Rows<Of, Found>): Rows<Of, Found> =>
  knowsLocks(db) ? query.forKeyShare() : query

/** Leaves out rows that another transaction holds, and holds the others; `of`: the table whose rows are meant, where there are several. */
export const heldUnlessTaken = <From, Of extends keyof From & string, Found>(
  db: Reader | Tx,
  query: SelectQueryBuilder<From, Of, Found>,
  of?: Of,
): SelectQueryBuilder<From, Of, Found> =>
  knowsLocks(db) ? (of === undefined ? query.forUpdate() : query.forUpdate(of)).skipLocked() : query

/** Nobody changes, deletes or holds the rows that it finds, as `held` does; others may keep them too. */
export const kept = <Of extends keyof Tables, Found>(db: Reader | Tx, query: Rows<Of, Found>): Rows<Of, Found> =>
  knowsLocks(db) ? query.forShare() : query

/** Nobody else goes on from here with the same word: for what is counted, and has no row to hold. */
export async function holdWord(tx: Tx, word: string): Promise<void> {
  if (knowsLocks(tx)) await sql`SELECT pg_advisory_xact_lock(hashtextextended(${word}, 0))`.execute(tx)
}
