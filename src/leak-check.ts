// Whether something that was said holds private notes (Spec 2.3): the second net of a rehearsal. The notes are read here,
// compared, and go no further; only the texts that leak are handed on.
import { passagesOf } from './decks/deck-in-service.ts'
import { slidesWithNotes } from './decks/deck-rows.ts'
import { leakTest } from './presenter/answer/shingles.ts'
import type { Reader } from './storage/store.ts'

export async function leaksIn(read: Reader, sessionId: string, deckId: string | null, texts: readonly string[]): Promise<string[]> {
  if (deckId === null) return []
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
    ...slides.flatMap((slide) => [slide.title, slide.text_content]),
    ...passages.flatMap(({ title, content }) => [title ?? '', content]),
  ]
  const leaks = leakTest(
    slides.map((slide) => slide.agent_notes),
    open,
    session?.language ?? 'en',
  )
  return texts.filter(leaks)
}
