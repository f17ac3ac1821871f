// Replaces the background passages of a session (`PUT .../knowledge`). Public to people in its room.
import { z } from 'zod'
import { limits } from '../kernel/fields.ts'
import type { Call } from '../kernel/operation.ts'
import { changes, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { newPassage, sessionId } from '../sessions/fields.ts'
import { ownSession } from '../sessions/session.ts'
import { ringAfter } from '../storage/transaction-context.ts'
import type { Passage } from './content.ts'
import { replacePassages } from './create-content.ts'
import { passagesOf } from './deck-in-service.ts'
import type { DecksDeps } from './deps.ts'
import { knowledgeView, showKnowledge } from './get-knowledge.ts'
import { deckTopic } from './topics.ts'

const input = z.object({
  sessionId,
  passages: z
    .array(newPassage.extend({ id: z.uuid().describe('Id of a passage to keep; default a new one.').optional() }))
    .max(limits.passages)
    .describe('All passages, in order.'),
})

async function put(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<Passage[]> {
  const { accountId } = call.principal
  const sessionId = await deps.store.write(async (tx) => {
    const { id } = await ownSession(tx, accountId, wanted.sessionId)
    await replacePassages(tx, id, wanted.passages, deps)
    await tx.updateTable('sessions').set({ updated_at: call.now }).where('id', '=', id).execute()
    ringAfter(tx, deckTopic(id))
    return id
  })
  deps.scripts.refresh(sessionId)
  return passagesOf(deps.store.read, sessionId)
}

export const putKnowledge = operation({
  name: 'put_knowledge',
  area: 'decks',
  summary: 'Replace the knowledge of a session',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found', 'payload_too_large'],
  input,
  run: put,
  http: {
    method: 'PUT',
    path: '/api/v1/agent/sessions/{sessionId}/knowledge',
    bodyMax: 16 * 1024 * 1024,
    output: knowledgeView,
    view: showKnowledge,
  },
})
