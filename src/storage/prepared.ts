// Queries of hot paths, compiled once: building and compiling one through Kysely costs more than SQLite takes to answer it.
import { CompiledQuery } from 'kysely'
import type { Compilable } from 'kysely'
import { directRows } from './direct-rows.ts'
import type { Reader, Tx } from './store.ts'

type Values = readonly (string | number)[]

/**
 * A query whose values change and whose text does not. `build` is called once for each dialect, with stand-ins of the same
 * number and order as the values of every later call; constants of its own must come after them.
 */
export function prepared<Row, const Stand extends Values>(
  stand: Stand,
  build: (read: Reader, ...stand: Stand) => Compilable<Row>,
): (read: Reader | Tx, ...values: Stand) => Promise<Row[]> {
  const texts = new Map<string, { sql: string; constants: readonly unknown[] }>()
  return async (read, ...values) => {
    const dialect = read.getExecutor().adapter.constructor.name
    let text = texts.get(dialect)
    if (text === undefined) {
      const { sql, parameters } = build(read, ...stand).compile()
      text = { sql, constants: parameters.slice(stand.length) }
      texts.set(dialect, text)
    }
    return rowsOf<Row>(read, text.sql, [...values, ...text.constants])
  }
}

/** Straight to the statement where the connection offers it, past the executor's promises, else through Kysely. */
export async function rowsOf<Row>(read: Reader | Tx, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const direct = directRows.get(read)
  // The text was compiled from a query of this row type.
  if (direct !== undefined) return direct(sql, parameters) as Row[]
  const { rows } = await read.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))
  return rows
}
