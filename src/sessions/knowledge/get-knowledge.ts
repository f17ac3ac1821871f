// The background passages of a session, which the presenter may quote (Spec 2.3 `knowledgeBase`).
import { z } from 'zod'
import { type Call, operation, reads, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import type { Passage } from '../deck/content.ts'
import { passagesOf } from '../deck/deck-in-service.ts'
import type { DecksDeps } from '../deck/deps.ts'
import { sessionId } from '../../contract/session.ts'
import { ownSession } from '../session.ts'

export const knowledgeView = z.object({
  passages: z.array(z.object({ id: z.string(), index: z.number(), title: z.string().optional(), content: z.string() })),
  count: z.number(),
})

export function showKnowledge(passages: readonly Passage[]): z.output<typeof knowledgeView> {
  return { passages: passages.map((passage) => ({ ...passage })), count: passages.length }
}

const input = z.object({ sessionId })

async function get(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, { store }: DecksDeps): Promise<Passage[]> {
  const session = await ownSession(store.read, call.principal.accountId, wanted.sessionId)
  return passagesOf(store.read, session.id)
}

export const getKnowledge = operation({
  name: 'get_knowledge',
  area: 'decks',
  summary: 'Show the knowledge of a session',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: { method: 'GET', path: '/api/v1/agent/sessions/{sessionId}/knowledge', output: knowledgeView, view: showKnowledge },
})
