// Passages of a session as they are stored: read, made ready, written. Knowledge has no versions: it is the session's as it is now.
import { createHash } from 'node:crypto'
import { stepByStep } from '@rostrum/base/work'
import type { Ids } from '@rostrum/base/clock'
import type { Passage } from '@rostrum/contract/content'
import type { NewPassage } from '@rostrum/contract/new-content'
import type { DeckWarning } from '@rostrum/deck/warnings'
import { type Bounds, bounded, inWords } from '../platform/bounded-text.ts'
import { prepared } from '../platform/db/statements.ts'
import type { Reader, Tx } from '../platform/db/store.ts'
import type { PassageRow } from './tables.ts'

/** Somebody may paste a book of one paragraph, or a table of short lines. */
const passageBounds: Bounds = { run: 200, line: 50_000, sentence: 10_000, lines: 50_000 }

export const boundedPassage = (content: string): string => bounded(content, passageBounds)

/** Said on the deck in service. */
export const knowledgeCut: DeckWarning = {
  index: 0,
  isOfDeck: true,
  code: 'knowledge_cut',
  /** Not made at the start, which would load the words of all languages for it (17 ms). */
  get detail() {
    return `A passage of the background held ${inWords(passageBounds)}: what was beyond is left out.`
  },
}

export async function passagesOf(read: Reader, sessionId: string): Promise<Passage[]> {
  const rows = await read
    .selectFrom('passages')
    .select(['id', 'position', 'title', 'content'])
    .where('session_id', '=', sessionId)
    .orderBy('position')
    .execute()
  return rows.map(({ id, position, title, content }) => ({ id, index: position, content, ...(title === null ? {} : { title }) }))
}

/** As it is stored. */
export interface PreparedPassage {
  /** Of a passage that is there already. */
  id?: string | undefined
  title: string | null
  content: string
  digest: string
  isCut: boolean
}

/** What takes time of passages that are to be stored, of which two hundred may be a book; before the transaction. */
export const preparePassages = (passages: readonly WantedPassage[]): Promise<PreparedPassage[]> =>
  passages.length === 0 ? Promise.resolve([]) : stepByStep(preparingPassages(passages))

type WantedPassage = NewPassage & { id?: string | undefined }

function* preparingPassages(passages: readonly WantedPassage[]): Generator<undefined, PreparedPassage[]> {
  const prepared: PreparedPassage[] = []
  for (const { id, title: given, content: whole } of passages) {
    const [title, content] = [given?.trim() || null, boundedPassage(whole)]
    const digest = createHash('sha256')
      .update(JSON.stringify([title, content]))
      .digest('base64url')
    prepared.push({ ...(id !== undefined && { id }), title, content, digest, isCut: content !== whole })
    yield
  }
  return prepared
}

/** Replaces the knowledge of a session; a passage keeps its id where the caller names one of the session's. True where one was cut to its bounds. */
export async function replacePassages(
  tx: Tx,
  sessionId: string,
  wanted: readonly PreparedPassage[],
  { ids }: { ids: Ids },
): Promise<boolean> {
  const present = await tx.selectFrom('passages').select('id').where('session_id', '=', sessionId).execute()
  const known = new Set(present.map(({ id }) => id))
  await tx.deleteFrom('passages').where('session_id', '=', sessionId).execute()
  const kept = wanted.map(({ id, ...passage }) => ({
    ...passage,
    ...(id !== undefined && known.delete(id.toLowerCase()) && { id: id.toLowerCase() }),
  }))
  return insertPassages(tx, sessionId, kept, 0, { ids })
}

const putPassages = prepared((db, passages: readonly PassageRow[]) => db.insertInto('passages').values(passages))

/** Writes passages in order, the first at `first`; true where one was cut to its bounds. */
export async function insertPassages(
  tx: Tx,
  sessionId: string,
  passages: readonly PreparedPassage[],
  first: number,
  { ids }: { ids: Ids },
): Promise<boolean> {
  const rows = passages.map(({ id, title, content, digest }, index) => {
    return { id: id ?? ids.uuid(), session_id: sessionId, position: first + index, title, content, digest }
  })
  for (let from = 0; from < rows.length; from += rowsAtOnce) await putPassages(tx, rows.slice(from, from + rowsAtOnce))
  return passages.some(({ isCut }) => isCut)
}

/** In one statement: a megabyte at most. */
const rowsAtOnce = 20
