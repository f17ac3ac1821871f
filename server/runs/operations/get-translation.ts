// What is said in a run, in a language of its listeners: for who follows it by captions.
import { z } from 'zod'
import { knownBy } from '@rostrum/contract/fields'
import { ServiceError } from '@rostrum/base/errors'
import { attendeeOnly, operation } from '../../platform/operation.ts'
import { wordsOf } from '../../scripts/translations.ts'
import { getAttendee, requireOwnRun } from '../attendees.ts'
import type { RoomDeps } from '../room/deps.ts'
import { questionView } from '../stream/snapshot.ts'

const output = z.object({
  language: z.string(),
  sentences: z.record(z.string(), z.string()).describe('By the words that were said. A sentence that is not here stays as it was said.'),
  isWhole: z.boolean().describe('False while the script is still being translated: ask again in half a minute.'),
})

export const getTranslation = operation({
  name: 'get_translation',
  summary: 'Follow a talk in another language',
  description:
    'The titles and sentences of the talk, and of the answers that this attendee has seen, in one of `listenerLanguages`. They were translated by a model, and each kept its figures and names; what did not is left out. Ask again after an answer.',
  access: attendeeOnly,
  limit: 'room',
  input: z.object({ runId: knownBy, language: z.string().min(2).max(35).describe('One of `listenerLanguages`.') }),
  run: async ({ runId, language }, { principal, signal }, { store, hub, translations }: RoomDeps) => {
    requireOwnRun(principal, runId)
    const { id } = await getAttendee(store.read, principal.attendeeId)
    const tail = await hub.open(runId)
    const offered = tail?.session.listenerLanguages ?? []
    try {
      if (tail === null || translations === undefined || !offered.includes(language))
        throw new ServiceError(
          'not_found',
          offered.length === 0 ? 'This talk is in one language.' : `Choose one of: ${offered.join(', ')}.`,
        )
      const { talk, state, session } = tail
      const script = wordsOf(session.title, talk.slides, talk.beats).map(({ text }) => text)
      const questions = [...state.questions.values()].filter((one) => one.attendeeId === id || !one.isPrivate)
      const answers = questions.flatMap((question) => {
        const { answer } = questionView(question, state)
        const said = answer === null ? [] : 'text' in answer ? [answer.text] : (answer.sentences ?? []).map(({ text }) => text)
        return question.attendeeId === id && question.instant !== null ? [...said, question.instant.text] : said
      })
      const known = await translations.known(session.sessionId, language, script)
      const isWhole = script.every((text) => known.has(text))
      if (!isWhole) await translations.order(session.sessionId)
      const ways = { from: session.language, to: language }
      const answered = await translations.now(session.sessionId, ways, answers.slice(-answersMost), signal)
      const told = [...known, ...answered].filter((each): each is [string, string] => each[1] !== null)
      return { language, sentences: Object.fromEntries(told), isWhole }
    } finally {
      tail?.release()
    }
  },
  http: { method: 'GET', path: '/api/v1/runs/{runId}/translations/{language}', output },
})

/** The newest of a long talk. */
const answersMost = 40
