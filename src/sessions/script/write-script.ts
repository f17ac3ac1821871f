// Has the script put into words by a model, or takes that back (`POST`, `DELETE .../script/write`): it runs on behind the answer, `GET
// .../script` tells how far it is, and what the host has written stays either way. Or has the sentences of one slide put into better
// words, for its host to take or leave (`POST .../script/proposals`): nothing is stored, what is taken is part of the document that is saved.
import { z } from 'zod'
import { uuid } from '../../contract/fields.ts'
import { sessionId } from '../../contract/session.ts'
import { ServiceError } from '../../platform/errors.ts'
import { type Call, changes, operation, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import type { DecksDeps } from '../deck/create-decks.ts'
import { isSessionVouched, ownSession } from '../session.ts'
import { type Proposal, tones, type Writing, writingView } from './script-writing.ts'

const input = z.object({ sessionId })
const wish = input.extend({
  withNotes: z.boolean().default(true).describe('Whether the model reads the private notes of each slide too, as guidance for the tone.'),
})

async function checkVouched({ store }: DecksDeps, sessionId: string): Promise<void> {
  if (await isSessionVouched(store.read, sessionId)) return
  throw new ServiceError('forbidden', 'A model writes for agents that a person has claimed: show your person claim_uri.')
}

const noModel = () =>
  new ServiceError('conflict', 'No language model is configured here. Set ROSTRUM_LLM, or write the sentences yourself.')

async function write(wanted: z.output<typeof wish>, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<Writing> {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  await checkVouched(deps, id)
  if (!deps.writing.start(id, wanted.withNotes)) throw noModel()
  return deps.writing.of(id)
}

async function discard(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<Writing> {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  await deps.writing.discard(id)
  return deps.writing.of(id)
}

const path = '/api/v1/agent/sessions/{sessionId}/script/write'

export const writeScript = operation({
  name: 'write_script',
  area: 'decks',
  summary: 'Have the script put into words by a model',
  description:
    'One call per slide, ahead of the talk. The model reads the slide and its private notes, without them where `withNotes` is false. Each sentence is checked against its slide; one that does not pass stays as it was compiled. Sentences that you changed stay, and a slide that was sent before and says the same is not sent again. `GET .../script` tells how far it is.',
  access: scoped('sessions:write'),
  effects: { ...changes, idempotent: false },
  limit: 'upload',
  errors: ['not_found', 'forbidden', 'conflict'],
  input: wish,
  run: write,
  http: { method: 'POST', path, status: 202, output: writingView },
})

export const discardWrittenScript = operation({
  name: 'discard_written_script',
  area: 'decks',
  summary: 'Take back what a model wrote',
  description: 'Every sentence that a model wrote becomes the compiled one again. Sentences that you changed stay.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: discard,
  http: { method: 'DELETE', path, output: writingView },
})

// Has a model put the sentences of one slide into better words, for its host to take or leave (`POST .../script/proposals`). Nothing is
// stored: what is taken is part of the document that is saved.

const slideWish = wish.extend({
  slideId: uuid.describe('Of which slide.'),
  tone: z.enum(tones).describe('How it is to sound.').optional(),
})

async function propose(wanted: z.output<typeof slideWish>, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<readonly Proposal[]> {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  await checkVouched(deps, id)
  const { slideId, withNotes, tone } = wanted
  const proposals = await deps.writing.propose(id, { slideId, withNotes, ...(tone && { tone }) }, call.signal)
  if (proposals === 'off') throw noModel()
  if (proposals === 'no slide')
    throw new ServiceError('not_found', 'There is no such slide in the present deck. `GET .../deck` shows their ids.')
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
  input: slideWish,
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
