// Whether something that was said holds private notes (Spec 2.3): the second net of rehearsals and of what models write. The notes
// are read here, compared, and go no further: what leaves is a test of texts.
import { passagesOf } from './knowledge/passage-rows.ts'
import { deckTopic } from './sessions/session.ts'
import { slidesWithNotes } from './decks/deck-rows.ts'
import { madeOnce, stepByStep } from '@rostrum/base/work'
import { type LeakTest, type LeakTests, leakTests } from '@rostrum/answers/shingles'
import type { Reader, Store } from './platform/db/store.ts'

/** Tests kept, by deck version; each is about as large as the notes. */
const keptMax = 200

export function createLeakCheck(store: Store) {
  const kept = new Map<string, Promise<LeakTests>>()
  const topics = deckTopic('')
  const stop = store.listen(topics, (topic) => {
    for (const key of kept.keys()) if (key.startsWith(topic.slice(topics.length))) kept.delete(key)
  })

  function testsOf(sessionId: string, deckId: string | null): Promise<LeakTests> {
    if (deckId === null) return Promise.resolve({ runs: () => false, strict: () => false })
    const key = `${sessionId}:${deckId}`
    return madeOnce(kept, key, keptMax, () => makeTests(store.read, sessionId, deckId))
  }

  return {
    /** For sentences of a model: true for text that holds what only the notes of this deck hold; words of the question are no secret. */
    testOf: async (sessionId: string, deckId: string | null): Promise<LeakTest> => (await testsOf(sessionId, deckId)).strict,
    /** Those of `texts` that leak. */
    async leaksIn(sessionId: string, deckId: string | null, texts: readonly string[]): Promise<string[]> {
      const { runs } = await testsOf(sessionId, deckId)
      return texts.filter((text) => runs(text))
    },
    close: stop,
  }
}

async function makeTests(read: Reader, sessionId: string, deckId: string): Promise<LeakTests> {
  const session = await read
    .selectFrom('sessions')
    .select(['title', 'description', 'language'])
    .where('id', '=', sessionId)
    .executeTakeFirst()
  const slides = await slidesWithNotes(read, deckId)
  const passages = await passagesOf(read, sessionId)
  const open = [
    session?.title ?? '',
    session?.description ?? '',
    ...slides.flatMap((slide) => [slide.title, slide.text_content, slide.narration]),
    ...passages.flatMap(({ title, content }) => [title ?? '', content]),
  ]
  const notes = slides.map((slide) => slide.agent_notes)
  const language = session?.language ?? 'en'
  return stepByStep(leakTests(notes, open, language))
}
