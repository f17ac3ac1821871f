// Puts another text of the whole talk in the place of the present one: only while it is the one that the caller has read, as the next
// version of the deck, with what was there kept as a version of the script.
import type { Ids } from '@rostrum/base/clock'
import { type Reader, ringAfter, type Store, type Tx } from '../platform/db/store.ts'
import type { ScriptVersionRow } from './tables.ts'
import { ServiceError } from '@rostrum/base/errors'
import { deckTopic, ownSession } from '../sessions/session.ts'
import { type Slide, slidesWithNotes } from '../decks/deck-rows.ts'
import { reviseIn } from '../decks/revise-deck.ts'
import type { BeatEdit } from './beat-edits.ts'
import { type PresentScript, type WrittenScript, writtenScript } from './script-document.ts'
import type { Scripts, ScriptSource, StoredScript } from './scripts.ts'

// What was written for a talk, kept each time its script is saved as a document, so that it can be brought back.

/** Older ones go. */
const versionsMost = 50

export type VersionReason = ScriptVersionRow['reason']

async function newest(tx: Tx, sessionId: string) {
  const versions = tx.selectFrom('script_versions').select(['version', 'body']).where('session_id', '=', sessionId)
  return versions.orderBy('version', 'desc').limit(1).executeTakeFirst()
}

/** Keeps `script` as the newest version, unless it is that already. */
async function keepVersion(
  tx: Tx,
  session_id: string,
  { script, reason, changed, now }: { script: WrittenScript; reason: VersionReason; changed: number; now: number },
): Promise<void> {
  const last = await newest(tx, session_id)
  const body = JSON.stringify(script)
  if (last?.body === body) return
  const version = (last?.version ?? 0) + 1
  await tx.insertInto('script_versions').values({ session_id, version, reason, changed, body, saved_at: now }).execute()
  await tx
    .deleteFrom('script_versions')
    .where('session_id', '=', session_id)
    .where('version', '<=', version - versionsMost)
    .execute()
}

/** Newest first. */
export async function listVersions(read: Reader, sessionId: string) {
  const versions = read
    .selectFrom('script_versions')
    .select(['version', 'reason', 'changed', 'saved_at'])
    .where('session_id', '=', sessionId)
  return versions.orderBy('version', 'desc').execute()
}

export async function findVersion(read: Reader | Tx, sessionId: string, version: number): Promise<WrittenScript | undefined> {
  const row = await read
    .selectFrom('script_versions')
    .select('body')
    .where('session_id', '=', sessionId)
    .where('version', '=', version)
    .executeTakeFirst()
  // Only our own JSON is ever written to the column.
  return row === undefined ? undefined : (JSON.parse(row.body) as WrittenScript)
}

export interface ReplaceScriptDeps {
  store: Store
  ids: Ids
  scripts: Pick<Scripts, 'find' | 'source' | 'revision' | 'refresh'>
}

export interface Replacing {
  accountId: string
  sessionId: string
  now: number
  /** The `If-Match` of the call. */
  ifMatch?: string | undefined
  reason: VersionReason
}

/** The tag of a script. A read tells its body apart as well, findings and all: that comes after a dot. */
export const scriptTag = (revision: string): string => `"${revision}"`

function matches(ifMatch: string, revision: string): boolean {
  return ifMatch.split(',').some((each) => {
    const tag = each.trim().replace(/^W\//u, '')
    return tag === '*' || tag === scriptTag(revision) || tag.startsWith(`"${revision}.`)
  })
}

/** A change of something else, such as the background, between our look and our write: looked at anew. */
const triesMost = 5

/** What is to be there; `prepare` is what of it takes long, before anything is held. */
export interface Making<Prepared> {
  prepare(script: StoredScript, source: ScriptSource): Promise<Prepared>
  make(present: PresentScript, prepared: Prepared, tx: Tx): WrittenScript | Promise<WrittenScript>
}

export async function replaceScript<Prepared>(
  where: Replacing,
  { prepare, make }: Making<Prepared>,
  deps: ReplaceScriptDeps,
): Promise<StoredScript> {
  const { id } = await ownSession(deps.store.read, where.accountId, where.sessionId)
  for (let tries = 0; tries < triesMost; tries++) {
    const script = await deps.scripts.find(id)
    const source = await deps.scripts.source(id)
    if (script === null || source === null || script.deckId === null) throw new ServiceError('not_found', 'The session has no slides yet.')
    const { deckId } = script
    const prepared = await prepare(script, source)
    const isDone = await deps.store.write(async (tx) => {
      await ownSession(tx, where.accountId, id)
      const revision = await deps.scripts.revision(tx, id)
      if (where.ifMatch !== undefined && !matches(where.ifMatch, revision ?? '')) {
        throw new ServiceError('precondition_failed', 'The script was changed meanwhile. Read it again and bring your change to it.')
      }
      if (revision !== script.revision) return false
      const slides = await slidesWithNotes(tx, deckId)
      const passageIds = (source.input.passages ?? []).map((passage) => passage.id)
      const present = { script, slides, edits: source.edits, passageIds, now: where.now }
      await apply(tx, { ...where, sessionId: id }, present, await make(present, prepared, tx), deps)
      return true
    })
    if (!isDone) continue
    deps.scripts.refresh(id)
    const after = await deps.scripts.find(id)
    if (after === null) break
    return after
  }
  throw new ServiceError('conflict', 'The talk is being changed just now. Try again in a moment.')
}

async function apply(tx: Tx, where: Replacing, present: PresentScript, next: WrittenScript, deps: { ids: Ids }): Promise<void> {
  const { sessionId, now, reason } = where
  const before = writtenScript(present)
  const changed = next.slides.filter((slide, at) => !isSame(slide, before.slides[at])).length
  const hasEdits = JSON.stringify(next.edits) !== JSON.stringify(before.edits)
  if (changed === 0 && !hasEdits) return
  await keepVersion(tx, sessionId, { script: before, reason: 'before', changed: 0, now })
  if (changed > 0) {
    const rows = new Map(present.slides.map((slide) => [slide.id, slide]))
    const after = next.slides.flatMap(({ id, ...words }): Slide[] => {
      const row = rows.get(id)
      return row === undefined ? [] : [{ ...row, ...words }]
    })
    await reviseIn(tx, where, () => after, deps)
  }
  if (hasEdits) await putEdits(tx, sessionId, next.edits)
  await keepVersion(tx, sessionId, { script: next, reason, changed: Math.max(1, changed), now })
  ringAfter(tx, deckTopic(sessionId))
}

const isSame = (one: object, other: object | undefined): boolean => JSON.stringify(one) === JSON.stringify(other)

const rowsAtOnce = 100

async function putEdits(tx: Tx, session_id: string, edits: readonly BeatEdit[]): Promise<void> {
  await tx.deleteFrom('beat_edits').where('session_id', '=', session_id).execute()
  for (let from = 0; from < edits.length; from += rowsAtOnce) {
    const rows = edits.slice(from, from + rowsAtOnce).map((edit) => ({ session_id, author: 'host' as const, ...edit }))
    await tx.insertInto('beat_edits').values(rows).execute()
  }
}
