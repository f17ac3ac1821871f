// Reads and writes of deck versions and their slides. Only what says so sees `agent_notes`; everything public goes through
// `content.ts`, whose types have no such member.
import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { held, prepared } from '../platform/db/statements.ts'
import { addJob } from '../platform/db/jobs.ts'
import type { Reader, Tx } from '../platform/db/store.ts'
import type { DeckRow, SlideRow } from './tables.ts'
import type { Ids } from '@rostrum/base/clock'
import { readImages } from './slide-images.ts'
import { endBlobs, releaseBlobs, useBlobs } from '../platform/blobs/blob-uses.ts'
import { isPresentation } from '@rostrum/deck/render/office'
import { type DeckWarning, readWarnings } from '@rostrum/deck/warnings'

export type Deck = Selectable<DeckRow>
export type Slide = Selectable<SlideRow>

/** Jobs whose key is a deck (`ingest/worker.ts`). Presentations wait for the program that draws them; nothing else waits for presentations. */
export const deckKind = { presentation: 'presentation', other: 'deck' } as const

/** Of the job that reads it. */
export const kindOf = ({ kind }: Pick<Deck, 'kind'>) => (isPresentation(kind) ? deckKind.presentation : deckKind.other)

export async function newestDeck(read: Reader | Tx, sessionId: string): Promise<Deck | undefined> {
  return read.selectFrom('decks').selectAll().where('session_id', '=', sessionId).orderBy('version', 'desc').limit(1).executeTakeFirst()
}

export async function findDeck(read: Reader | Tx, deckId: string): Promise<Deck | undefined> {
  return read.selectFrom('decks').selectAll().where('id', '=', deckId).executeTakeFirst()
}

/** With the private notes: for the owner's view, the script compiler and copies. */
export async function slidesWithNotes(read: Reader | Tx, deckId: string): Promise<Slide[]> {
  return read.selectFrom('slides').selectAll().where('deck_id', '=', deckId).orderBy('position').execute()
}

export type NewDeck = Pick<Deck, 'session_id' | 'account_id' | 'kind' | 'created_at'> & Partial<Deck> & { sizeBytes?: number }

const putDeck = prepared((db, deck: Deck) => db.insertInto('decks').values(deck))

async function insertVersion(tx: Tx, ids: Ids, { sizeBytes, ...wanted }: NewDeck, version: number): Promise<Deck> {
  const deck: Deck = {
    id: ids.uuid(),
    version,
    state: 'pending',
    progress_done: 0,
    progress_total: 0,
    reason: null,
    warnings: '[]',
    source_url: null,
    source_keys: '[]',
    source_sha256: null,
    file_name: '',
    overrides: null,
    notes_as: 'private',
    finished_at: null,
    ...wanted,
  }
  await putDeck(tx, deck)
  if (deck.state === 'pending')
    await addJob(tx, kindOf(deck), {
      key: deck.id,
      dueAt: deck.created_at,
      data: sizeBytes === undefined ? '' : String(sizeBytes),
    })
  return deck
}

/** Of a session that is being created: there is no version before it. */
export const insertFirstDeck = (tx: Tx, ids: Ids, wanted: NewDeck): Promise<Deck> => insertVersion(tx, ids, wanted, 1)

/** A new version, after the newest. Unfinished older ones end: what was sent last is what counts. */
export async function insertDeck(tx: Tx, ids: Ids, wanted: NewDeck): Promise<Deck> {
  const over = await tx
    .updateTable('decks')
    .set({ state: 'failed', reason: 'A newer deck took its place.', finished_at: wanted.created_at })
    .where('session_id', '=', wanted.session_id)
    .where('state', 'in', ['pending', 'processing'])
    .returning('id')
    .execute()
  // They take no turn of their account; a reading that is under way loses its lease.
  if (over.length > 0)
    await tx
      .deleteFrom('jobs')
      .where('kind', 'in', Object.values(deckKind))
      .where(
        'key',
        'in',
        over.map(({ id }) => id),
      )
      .execute()
  const newest = await newestDeck(tx, wanted.session_id)
  return insertVersion(tx, ids, wanted, (newest?.version ?? 0) + 1)
}

const putSlides = prepared((db, slides: readonly Slide[]) => db.insertInto('slides').values(slides))

/** In statements of a size that both databases take; notes that their pictures are in use, or still to be fetched. */
export async function insertSlides(tx: Tx, slides: readonly Slide[]): Promise<void> {
  for (let from = 0; from < slides.length; from += 100) await putSlides(tx, slides.slice(from, from + 100))
  for (const [deckId, rows] of Map.groupBy(slides, ({ deck_id }) => deck_id)) {
    const keys = rows.flatMap(({ images }) => readImages(images).map(({ key }) => key))
    if (keys.length > 0) await useBlobs(tx, deckId, keys)
    if (rows.some(({ image_state }) => image_state === 'pending')) await addJob(tx, deckKind.other, { key: deckId })
  }
}

/** What was cut of the background is said of the version in service, whichever that is. */
async function takeOverTold(tx: Tx, { id, session_id }: Deck): Promise<void> {
  const told = async (deckId: string | null) => readWarnings((deckId === null ? undefined : await findDeck(tx, deckId))?.warnings ?? '[]')
  const session = await tx.selectFrom('sessions').select('deck_id').where('id', '=', session_id).executeTakeFirst()
  const isKnowledge = ({ code }: DeckWarning) => code === 'knowledge_cut'
  const before = (await told(session?.deck_id ?? null)).filter(isKnowledge)
  if (before.length === 0) return
  const others = (await told(id)).filter((warning) => !isKnowledge(warning))
  await tx
    .updateTable('decks')
    .set({ warnings: JSON.stringify([...others, ...before]) })
    .where('id', '=', id)
    .execute()
}

/** Makes `deck` the version that the room shows, and drops versions that nobody needs. */
export async function putInService(tx: Tx, deck: Deck, slidesCount: number, now: number): Promise<void> {
  await takeOverTold(tx, deck)
  await tx
    .updateTable('sessions')
    .set({ deck_id: deck.id, slides_count: slidesCount, updated_at: now })
    .where('id', '=', deck.session_id)
    .execute()
  const named = tx
    .selectFrom('runs')
    .select('deck_id')
    .where('session_id', '=', deck.session_id)
    .where('deck_id', 'is not', null)
    .$castTo<{ deck_id: string }>()
  const old = tx
    .selectFrom('decks')
    .select('id')
    .where('session_id', '=', deck.session_id)
    .where('version', '<', deck.version)
    .where('state', 'in', ['ready', 'failed'])
    .where('id', 'not in', named)
  const ids = (await held(tx, old).execute()).map(({ id }) => id)
  if (ids.length === 0) return
  // A run that began while we waited for its version is seen only by a look of its own.
  const kept = new Set((await named.where('deck_id', 'in', ids).execute()).map(({ deck_id }) => deck_id))
  await removeDecks(
    tx,
    ids.filter((id) => !kept.has(id)),
    now,
  )
}

/** With their slides, scripts and clips. Whoever writes one of these has the deck first, and so do we: nothing is left, nobody waits in a ring. */
export async function removeDecks(
  tx: Tx,
  deckIds: readonly string[],
  now: number,
  release: (tx: Tx, deckId: string, now: number) => Promise<unknown> = releaseBlobs,
): Promise<void> {
  if (deckIds.length === 0) return
  await tx.deleteFrom('decks').where('id', 'in', deckIds).execute()
  await tx.deleteFrom('slides').where('deck_id', 'in', deckIds).execute()
  await tx.deleteFrom('scripts').where('deck_id', 'in', deckIds).execute()
  await tx.deleteFrom('clips').where('deck_id', 'in', deckIds).execute()
  // After the clips: one that is ready just now takes its blob into use.
  for (const deckId of deckIds) await release(tx, deckId, now)
}

/** Everything of a deleted session: decks, knowledge, scripts. */
export async function forget(tx: Tx, sessionId: string, now: number): Promise<void> {
  const decks = await tx.selectFrom('decks').select('id').where('session_id', '=', sessionId).execute()
  await removeDecks(
    tx,
    decks.map(({ id }) => id),
    now,
    endBlobs,
  )
  // The portrait, the logo and the recordings.
  await endBlobs(tx, sessionId, now)
  await tx.deleteFrom('passages').where('session_id', '=', sessionId).execute()
  await tx.deleteFrom('beat_edits').where('session_id', '=', sessionId).execute()
  await tx.deleteFrom('translations').where('session_id', '=', sessionId).execute()
  await tx.deleteFrom('script_versions').where('session_id', '=', sessionId).execute()
}

// Says when two uploads are the same: their bytes and everything that decides what is made of them.

/** Raised when pages of the same file would come out differently. */
const pipelineVersion = 7

/** Over the keys of the files, in order; a key is the digest of its bytes. */
export function sourceDigest(kind: string, keys: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([pipelineVersion, kind, ...keys]))
    .digest('hex')
}
