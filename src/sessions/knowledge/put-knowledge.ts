// Replaces the background passages of a session (`PUT .../knowledge`). Public to people in its room.
import { z } from 'zod'
import { limits } from '../../contract/fields.ts'
import { ringAfter } from '../../platform/db/transaction-context.ts'
import { type Call, changes, operation, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import type { Passage } from '../deck/content.ts'
import { replacePassages } from '../deck/create-content.ts'
import { passagesOf } from '../deck/deck-in-service.ts'
import type { DecksDeps } from '../deck/deps.ts'
import { deckTopic } from '../deck/topics.ts'
import { newPassage } from '../../contract/new-content.ts'
import { sessionId } from '../../contract/session.ts'
import { ownSession } from '../session.ts'
import { knowledgeView, showKnowledge } from './get-knowledge.ts'

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
