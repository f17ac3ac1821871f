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
  return { marks: `(${repeat('?', size)})`, values: [...values, ...Array.from({ length: size - values.length }, () => last)] }
}

const chunkSizes = [64, 16, 4, 1] as const

/** Cuts rows into runs of 64, 16, 4 and 1. */
export function chunks<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const cut: (readonly Row[])[] = []
  let at = 0
  for (const size of chunkSizes) for (; at + size <= rows.length; at += size) cut.push(rows.slice(at, at + size))
  return cut
}

const repeated = new Map<string, string>()

/** `text` as often as there are rows, separated by commas: the rows of a `VALUES`. */
export function repeat(text: string, rows: number): string {
  const key = `${rows} ${text}`
  let known = repeated.get(key)
  if (known === undefined) {
    known = Array.from({ length: rows }, () => text).join(', ')
    repeated.set(key, known)
  }
  return known
}
