// Knowledge is written as a whole: each change sends the full list of passages in order, as it is at that moment.
import { call, Problem } from '../data/api.ts'
import { knowledgeQuery } from '../data/queries.ts'
import { doneWithUndo } from '../data/undoable.ts'
import { cache } from '../data/use-query.ts'
import type { Passage } from '../data/wire.ts'

/** A passage without an id is new. */
export interface PassageDraft {
  id?: string
  title?: string
  content: string
}

const draftOf = ({ id, title, content }: Passage): PassageDraft => ({ id, content, ...(title ? { title } : {}) })

export async function savePassages(sessionId: string, passages: PassageDraft[]): Promise<void> {
  const saved = await call('put_knowledge', { sessionId, passages })
  const { queryKey } = knowledgeQuery(sessionId)
  cache.setQueryData(queryKey, saved.passages)
  await cache.invalidateQueries({ queryKey })
}

/** As they are on the server now; a screen that shows others, and a form in it, stay as they are. */
async function present(sessionId: string): Promise<PassageDraft[]> {
  return (await call('get_knowledge', { sessionId })).passages.map(draftOf)
}

export const refreshKnowledge = (sessionId: string): Promise<void> =>
  cache.invalidateQueries({ queryKey: knowledgeQuery(sessionId).queryKey })

export async function addPassage(sessionId: string, passage: PassageDraft): Promise<void> {
  await savePassages(sessionId, [...(await present(sessionId)), passage])
}

export async function changePassage(sessionId: string, id: string, passage: Omit<PassageDraft, 'id'>): Promise<void> {
  const before = await present(sessionId)
  if (!before.some((one) => one.id === id)) throw new Problem(404, { detail: goneWords })
  await savePassages(
    sessionId,
    before.map((one) => (one.id === id ? { id, ...passage } : one)),
  )
}

const goneWords = 'This passage is gone: it was deleted meanwhile. Copy what you wrote; Cancel shows what is left.'

export async function deletePassage(sessionId: string, passage: Passage): Promise<void> {
  let place = 0
  await doneWithUndo(
    'Passage deleted.',
    async () => {
      const before = await present(sessionId)
      place = before.findIndex(({ id }) => id === passage.id)
      await savePassages(
        sessionId,
        before.filter(({ id }) => id !== passage.id),
      )
    },
    async () => savePassages(sessionId, (await present(sessionId)).toSpliced(place, 0, draftOf(passage))),
  )
}
