// Cached SQL for the hot paths (claim, mark, expand): one text per shape, so that neither a query builder nor the database
// compiles it twice. Placeholders are written `?`; lists come in a few sizes only.
import { CompiledQuery } from 'kysely'
import type { Reader, Store, Tx } from '../storage/store.ts'

export type Value = string | number | Uint8Array | null

export interface RawSql {
  readonly dialect: Store['dialect']
  /** `Row` names what the statement returns; the caller wrote it. */
  run<Row>(db: Reader | Tx, text: string, values: readonly Value[]): Promise<readonly Row[]>
}

export function rawSql(dialect: Store['dialect']): RawSql {
  const numbered = new Map<string, string>()
  const native = (text: string): string => {
    if (dialect === 'sqlite') return text
    let known = numbered.get(text)
    if (known === undefined) {
      let n = 0
      known = text.replaceAll('?', () => `$${++n}`)
      numbered.set(text, known)
    }
    return known
  }
  return {
    dialect,
    async run<Row>(db: Reader | Tx, text: string, values: readonly Value[]) {
      return (await db.executeQuery<Row>(CompiledQuery.raw(native(text), [...values]))).rows
    },
  }
}

const listSizes = [1, 4, 16, 64, 256] as const

/** `(?, ?, ...)` and the values of an `IN`: filled up with the last one to one of five lengths. At most 256. */
export function inList(values: readonly string[]): { marks: string; values: readonly string[] } {
  const size = listSizes.find((each) => each >= values.length)
  if (size === undefined) throw new RangeError('More than 256 values.')
  const last = values.at(-1) ?? ''
  return { marks: marksOf(1, size), values: [...values, ...Array.from({ length: size - values.length }, () => last)] }
}

const chunkSizes = [64, 16, 4, 1] as const

/** Cuts rows into runs of 64, 16, 4 and 1. */
export function chunks<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const cut: (readonly Row[])[] = []
  let at = 0
  for (const size of chunkSizes) for (; at + size <= rows.length; at += size) cut.push(rows.slice(at, at + size))
  return cut
}

const known = new Map<string, string>()

/** `(?, ?), (?, ?)` for `rows` rows. `cast` writes the types that PostgreSQL cannot guess in a `VALUES` of its own. */
export function marksOf(rows: number, columns: number, cast: readonly string[] = []): string {
  const key = `${rows} ${columns} ${cast.join(' ')}`
  let marks = known.get(key)
  if (marks === undefined) {
    const row = Array.from({ length: columns }, (_, column) => (cast[column] === undefined ? '?' : `CAST(? AS ${cast[column]})`))
    marks = Array.from({ length: rows }, () => `(${row.join(', ')})`).join(', ')
    known.set(key, marks)
  }
  return marks
}
