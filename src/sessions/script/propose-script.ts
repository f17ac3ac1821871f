// Has a model put the sentences of one slide into better words, for its host to take or leave (`POST .../script/proposals`). Nothing is
// stored: what is taken is part of the document that is saved.
import { z } from 'zod'
import { uuid } from '../../contract/fields.ts'
import { ServiceError } from '../../platform/errors.ts'
import { type Call, changes, operation, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import type { DecksDeps } from '../deck/create-decks.ts'
import { sessionId } from '../../contract/session.ts'
import { ownSession } from '../session.ts'
import { type Proposal, tones } from './script-writing.ts'
import { checkVouched, noModel } from './write-script.ts'

const input = z.object({
  sessionId,
  slideId: uuid.describe('Of which slide.'),
  withNotes: z.boolean().default(true).describe('Whether the model reads the private notes of the slide too, as guidance.'),
  tone: z.enum(tones).describe('How it is to sound.').optional(),
})

async function propose(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<readonly Proposal[]> {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  await checkVouched(deps, id)
  const { slideId, withNotes, tone } = wanted
  const proposals = await deps.writing.propose(id, { slideId, withNotes, ...(tone && { tone }) }, call.signal)
  if (proposals === 'off') throw noModel()
  if (proposals === 'no slide') throw new ServiceError('not_found', 'There is no such slide in the present deck.')
  return proposals
}

export const proposeScript = operation({
  name: 'propose_script',
  area: 'decks',
  summary: 'Have a model propose better words for a slide',
  description:
    'One call of the model. Each proposal is checked against the slide, as everything that a model writes; sentences that it would leave, or that do not pass, have none. Nothing is stored: send what you take with `PUT .../script`.',
  access: scoped('sessions:write'),
  effects: { ...changes, idempotent: false },
  limit: 'api',
  errors: ['not_found', 'forbidden', 'conflict', 'quota_exceeded', 'temporarily_unavailable'],
  input,
  run: propose,
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/script/proposals',
    output: z.object({
      proposals: z.array(z.object({ beatId: z.string(), was: z.string(), text: z.string().describe('What may be said instead.') })),
    }),
    view: (proposals) => ({ proposals: [...proposals] }),
  },
})
