// Opaque page cursors: a keyset position with a MAC over what was listed, so a cursor of another list, another account or
// another filter, or one that was altered, is refused instead of skipping rows.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'
import { invalidInput } from '../parse.ts'

/** The position of the last row shown: its sort key and its id. */
export interface Position {
  at: number
  id: string
}

export type Cursors = ReturnType<typeof createCursors>

export function createCursors(secret: string) {
  const mac = (context: readonly string[], payload: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['cursor', ...context, payload]))
      .digest()
      .subarray(0, 12)
  return {
    /** `context` names the list, the account and every filter. */
    seal(context: readonly string[], { at, id }: Position): string {
      const payload = `${at}:${id}`
      return Buffer.concat([mac(context, payload), Buffer.from(payload)]).toString('base64url')
    },
    /** Throws `invalid_request` for a cursor that is not of this very list. */
    open(context: readonly string[], cursor: string): Position {
      const bytes = Buffer.from(cursor, 'base64url')
      const payload = bytes.subarray(12).toString()
      const [at, id] = payload.split(':')
      if (bytes.length < 14 || id === undefined || !timingSafeEqual(bytes.subarray(0, 12), mac(context, payload))) {
        throw invalidInput([{ pointer: '#/cursor', detail: 'is not a cursor of this list: leave it out to start at the first page.' }])
      }
      return { at: Number(at), id }
    },
  }
}

/** Of rows that were read with one more than `limit`: the page, and the cursor of the next one where there is one. */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  seal: (last: Row) => string,
): { rows: readonly Row[]; nextCursor?: string } {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return found.length <= limit || last === undefined ? { rows } : { rows, nextCursor: seal(last) }
}

/** What follows `from` in a list that begins with the newest. */
export const isAfter = (from: Position, by: string, id = 'id') => sql<boolean>`(${sql.ref(by)}, ${sql.ref(id)}) < (${from.at}, ${from.id})`

interface Asked {
  /** Names the list, the account and every filter. */
  context: readonly string[]
  cursor: string | undefined
  limit: number
  /** The column of the time that the list goes by, and the one of the id; both are selected. */
  by: string
  id?: string
}

/** A page of a list that goes from its newest row to its oldest. */
export async function newestFirst<Of extends keyof Tables, Row extends { id: string }>(
  query: SelectQueryBuilder<Tables, Of, Row>,
  cursors: Cursors,
  { context, cursor, limit, by, id = 'id' }: Asked,
): Promise<{ rows: readonly Row[]; nextCursor?: string }> {
  const [time, key] = [sql.ref<number>(by), sql.ref<string>(id)]
  const from = cursor === undefined ? undefined : cursors.open(context, cursor)
  const older = from === undefined ? query : query.where(isAfter(from, by, id))
  const found = await older
    .orderBy(time, 'desc')
    .orderBy(key, 'desc')
    .limit(limit + 1)
    .execute()
  const name = by.slice(by.indexOf('.') + 1)
  return pageOf(found as Row[], limit, (last) => cursors.seal(context, { at: Number(last[name as keyof Row]), id: last.id }))
}
