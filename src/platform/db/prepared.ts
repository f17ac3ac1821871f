// Statements of hot paths, compiled once: building and compiling one costs more than SQLite takes to answer it.
import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely'
import type { Reader, Tx } from './store.ts'

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
