// Questions put to the presenter before anybody comes: answered as in the room, on drafts too, and nothing of it is kept. And whether the
// call to action leads anywhere: what a host wants to know before publishing.
import { z } from 'zod'
import { answerOutcome, citation } from '../../contract/answer.ts'
import { knownBy, limits, words } from '../../contract/fields.ts'
import { fill, languageOf } from '../../platform/languages.ts'
import { operation, reads, scoped } from '../../platform/operation.ts'
import type { DeckContent } from '../../sessions/deck/content.ts'
import { isUnspeakable } from '../../sessions/script/compile/spoken-words.ts'
import { ownSession } from '../../sessions/session.ts'
import type { RehearsalDeps } from '../room-deps.ts'
import { syntheticAudience } from './synthetic-audience.ts'

const most = 5

/** What a listener would ask first: of titles all over the deck, and of its lines where it has too few. */
function questionsOf(content: Pick<DeckContent, 'language' | 'slides' | 'passages'>): readonly string[] {
  const { title } = languageOf(content.language).audience
  const named = content.slides.slice(1).flatMap((slide) => (slide.title === '' || isUnspeakable(slide.title) ? [] : [slide.title]))
  const titles = [...new Set(named)]
  const spread = titles.filter((_, index) => Math.floor((index * most) / titles.length) > Math.floor(((index - 1) * most) / titles.length))
  const others = syntheticAudience(content, { questions: 4 * most, seed: 1 }).flatMap(({ kind, text }) =>
    kind === 'answerable' ? [text] : [],
  )
  return [...new Set([...spread.map((words) => fill(title, { title: words })), ...others])].slice(0, most)
}

export const trySession = operation({
  name: 'try_session',
  area: 'room',
  summary: 'Try questions on a session',
  description:
    'Works for drafts. Answers up to five questions as the room would, or five of its own made from the slides, and looks whether the call to action can be reached. Nothing is kept or counted.',
  access: scoped('sessions:write'),
  effects: { ...reads, idempotent: false },
  limit: 'api',
  errors: ['not_found'],
  input: z.object({
    sessionId: knownBy,
    questions: z.array(words(limits.message)).min(1).max(most).describe('In the words of a listener; left out, it makes five.').optional(),
  }),
  run: async (wanted, { principal, signal }, { room, contentOf, ask, reach }: RehearsalDeps) => {
    const session = await ownSession(room.store.read, principal.accountId, wanted.sessionId)
    const questions = wanted.questions ?? questionsOf(await contentOf(session.id))
    const answers = []
    for (const question of questions) {
      const { sentences, citations, outcome } = await ask(session.id, { question, history: [] }, { id: principal.accountId, signal })
      answers.push({ question, answer: sentences.join(' '), outcome, citations })
    }
    return { answers, link: session.cta_url === null ? undefined : { url: session.cta_url, status: await reach(session.cta_url) } }
  },
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/try',
    output: z.object({
      answers: z.array(
        z.object({
          question: z.string(),
          answer: z.string(),
          outcome: answerOutcome,
          citations: z.array(citation.omit({ region: true })),
        }),
      ),
      link: z
        .object({ url: z.string(), status: z.number().nullable().describe('What it answers; null: it cannot be reached.') })
        .optional()
        .describe('Of the call to action.'),
    }),
  },
})
