// SQL of the hot paths (claim, mark, expand): few texts, each for a whole group of rows, so that neither a query builder nor the
// database compiles them twice. Placeholders are written `?`. PostgreSQL gets a group as one array for each column, SQLite as
// rows of placeholders in a few sizes.
import { CompiledQuery } from 'kysely'
import { directRows } from '../storage/direct-rows.ts'
import type { Reader, Store, Tx } from '../storage/store.ts'

export type Value = string | number | Uint8Array | null
type Db = Reader | Tx

/** Columns of a group of rows, and their types. */
export type Shape = Readonly<Record<string, 'TEXT' | 'BIGINT'>>

/** `Row` names what a statement returns; the caller wrote it. */
export interface RawSql {
  readonly dialect: Store['dialect']
  run<Row>(db: Db, text: string, values: readonly Value[]): Promise<readonly Row[]>
  /** Runs `text`, in which `{ids}` becomes the condition that the column before it is one of `ids`; `values` stand before it. */
  among<Row>(db: Db, text: string, ids: readonly string[], values?: readonly Value[]): Promise<readonly Row[]>
  /** Runs `text` over a group of rows that it calls `given`. `values`: row after row. */
  each<Row>(db: Db, shape: Shape, values: readonly Value[], text: string): Promise<readonly Row[]>
}

const listSizes = [1, 4, 16, 64, 256] as const
const listMax = 256
const groupSizes = [64, 32, 16, 8, 4, 2, 1] as const

export function rawSql(dialect: Store['dialect']): RawSql {
  return dialect === 'postgres' ? overArrays() : overPlaceholders()
}

/** A list is filled up with its last value to one of five lengths; a group is cut into runs of 64, 32, 16 and so on. */
function overPlaceholders(): RawSql {
  const listText = madeOnce((text, size) => text.replace('{ids}', `IN (${repeat('?', size)})`))
  const groupText = madeOnce((text, rows, shape) => {
    const row = `(${repeat('?', Object.keys(shape).length)})`
    return withGiven(shape, `VALUES ${repeat(row, rows)}`, text)
  })
  return {
    dialect: 'sqlite',
    run: rowsOf,
    async among<Row>(db: Db, text: string, ids: readonly string[], values: readonly Value[] = []) {
      const runs: Promise<readonly Row[]>[] = []
      for (let from = 0; from < ids.length; from += listMax) {
        const some = ids.slice(from, from + listMax)
        const size = listSizes.find((each) => each >= some.length) ?? listMax
        const filled = [...values, ...some]
        while (filled.length < values.length + size) filled.push(some.at(-1) ?? '')
        runs.push(rowsOf<Row>(db, listText(text, size, {}), filled))
      }
      return allOf(runs)
    },
    async each<Row>(db: Db, shape: Shape, values: readonly Value[], text: string) {
      const width = Object.keys(shape).length
      const runs: Promise<readonly Row[]>[] = []
      let from = 0
      for (const rows of groupSizes) {
        for (let to = from + rows * width; to <= values.length; to += rows * width) {
          runs.push(rowsOf<Row>(db, groupText(text, rows, shape), values.slice(from, to)))
          from = to
        }
      }
      return allOf(runs)
    },
  }
}

async function allOf<Row>(runs: readonly Promise<readonly Row[]>[]): Promise<readonly Row[]> {
  return (await Promise.all(runs)).flat()
}

function overArrays(): RawSql {
  const numbered = madeOnce((text) => {
    let n = 0
    return text.replaceAll('?', () => `$${++n}`)
  })
  const listText = madeOnce((text) => numbered(text.replace('{ids}', '= ANY(?::TEXT[])'), 0, {}))
  const groupText = madeOnce((text, _, shape) => {
    const lists = Object.values(shape).map((type) => `?::${type}[]`)
    return numbered(withGiven(shape, `SELECT * FROM unnest(${lists.join(', ')})`, text), 0, {})
  })
  return {
    dialect: 'postgres',
    run: (db, text, values) => rowsOf(db, numbered(text, 0, {}), values),
    among: async (db, text, ids, values = []) => (ids.length === 0 ? [] : rowsOf(db, listText(text, 0, {}), [...values, ids])),
    async each(db, shape, values, text) {
      if (values.length === 0) return []
      const width = Object.keys(shape).length
      const lists = Array.from({ length: width }, (): Value[] => [])
      for (const [at, value] of values.entries()) lists[at % width]?.push(value)
      return rowsOf(db, groupText(text, 0, shape), lists)
    },
  }
}

async function rowsOf<Row>(db: Db, text: string, values: readonly (Value | readonly Value[])[]): Promise<readonly Row[]> {
  const direct = directRows.get(db)
  // The caller has written what the statement returns.
  if (direct !== undefined) return (await direct.rows(text, values)) as Row[]
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
}

const withGiven = (shape: Shape, rows: string, text: string): string => `WITH given(${Object.keys(shape).join(', ')}) AS (${rows}) ${text}`

const repeat = (text: string, times: number): string => Array.from({ length: times }, () => text).join(', ')

/** The same string for the same text and size: its hash, by which statements are found, is reckoned once too. */
function madeOnce(make: (text: string, size: number, shape: Shape) => string): typeof make {
  const known = new Map<string, Map<number, string>>()
  return (text, size, shape) => {
    let bySize = known.get(text)
    if (bySize === undefined) known.set(text, (bySize = new Map<number, string>()))
    let made = bySize.get(size)
    if (made === undefined) bySize.set(size, (made = make(text, size, shape)))
    return made
  }
}
