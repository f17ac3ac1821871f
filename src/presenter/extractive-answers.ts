// The answers of runs and of personal agents without a model: one function finds and quotes; these adapters give it the index
// of the one session and the words of the one exchange.
import type { DeckContent } from '../decks/content.ts'
import type { SuggestedAction as RoomAction } from '../room/run-event.ts'
import type { TalkSession } from '../room/talk.ts'
import { answer } from './answer/answer.ts'
import type { AnswerEnd, AnswerSession, SuggestedAction } from './answer/answer-part.ts'
import type { AnswerPort, AnswerRequest } from './answer-port.ts'
import type { Searchable, Talks } from './talks.ts'

export function createAnswers(talks: Pick<Talks, 'searchable'>): AnswerPort {
  return {
    async *answer(request: AnswerRequest) {
      const { session, talk, question, slideIndex, history } = request
      const searchable = await talks.searchable(session.sessionId, talk.deckId)
      const context = {
        session: answerSession(session, searchable),
        history,
        audience: 'room' as const,
        ...(slideIndex === null ? {} : { slideIndex }),
      }
      for await (const part of answer(question, context)) {
        if (part.type === 'sentence') yield { type: 'sentence', text: part.text, citations: part.citations }
        else yield toEnd(part)
      }
    },
  }
}

/** The whole answer to a personal agent's question, from the deck in service. */
export async function answerAgent(talks: Talks, sessionId: string, question: string): Promise<{ sentences: string[]; end: AnswerEnd }> {
  const session = await talks.getSession(sessionId)
  const { deckId } = await talks.currentTalk(sessionId)
  if (session === null) throw new Error('The session went away while it was being asked.')
  const sentences: string[] = []
  const context = { session: answerSession(session, await talks.searchable(sessionId, deckId)), audience: 'agent' as const }
  for await (const part of answer(question, context)) {
    if (part.type === 'end') return { sentences, end: part }
    sentences.push(part.text)
  }
  throw new Error('An answer had no end.')
}

function answerSession(session: TalkSession, { deck, index, passages }: Searchable): AnswerSession {
  const { sessionId, title, language, cta } = session
  const content: DeckContent = { title, language, slides: deck?.slides ?? [], passages }
  return { sessionId, title, content, index, ...(cta === null ? {} : { cta: { text: cta.text, url: cta.url } }) }
}

function toEnd({ outcome, mode, confidence, citations, suggestedActions, control, signal, trace }: AnswerEnd) {
  return {
    type: 'end' as const,
    outcome,
    mode,
    confidence,
    citations,
    suggestedActions: suggestedActions.map(toRoomAction),
    ...(control === undefined ? {} : { control }),
    ...(signal === undefined ? {} : { signal }),
    trace,
  }
}

/** The room's wire has one shape for all of them. */
function toRoomAction(action: SuggestedAction): RoomAction {
  if (action.type !== 'ask') return action
  return { type: 'ask', label: action.label, text: action.question }
}
