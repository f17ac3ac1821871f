// Knowledge is written as a whole: each change sends the full list of passages in order, so Undo is the list of before.
import { call } from './api.ts'
import { knowledgeQuery, sessionPath } from './queries.ts'
import { doneWithUndo } from './undoable.ts'
import { cache } from './use-query.ts'
import type { Passage } from './wire.ts'

/** A passage without an id is new. */
export interface PassageDraft {
  id?: string
  title?: string
  content: string
}

const draftOf = ({ id, title, content }: Passage): PassageDraft => ({ id, content, ...(title ? { title } : {}) })

export async function savePassages(sessionId: string, passages: readonly PassageDraft[]): Promise<void> {
  const saved = await call<{ passages: Passage[] } | undefined>('PUT', sessionPath(sessionId, '/knowledge'), { body: { passages } })
  const { queryKey } = knowledgeQuery(sessionId)
  if (saved?.passages !== undefined) cache.setQueryData(queryKey, saved.passages)
  await cache.invalidateQueries({ queryKey })
}

/** The passages as they are now, read first where no screen has read them yet. */
async function present(sessionId: string): Promise<PassageDraft[]> {
  return (await cache.fetchQuery(knowledgeQuery(sessionId))).map(draftOf)
}

export async function addPassage(sessionId: string, passage: PassageDraft): Promise<void> {
  await savePassages(sessionId, [...(await present(sessionId)), passage])
}

export async function changePassage(sessionId: string, id: string, passage: Omit<PassageDraft, 'id'>): Promise<void> {
  const before = await present(sessionId)
  await savePassages(
    sessionId,
    before.map((one) => (one.id === id ? { id, ...passage } : one)),
  )
}

export async function deletePassage(sessionId: string, id: string): Promise<void> {
  const before = await present(sessionId)
  await doneWithUndo(
    'Passage deleted.',
    () =>
      savePassages(
        sessionId,
        before.filter((one) => one.id !== id),
      ),
    () => savePassages(sessionId, before),
  )
}
