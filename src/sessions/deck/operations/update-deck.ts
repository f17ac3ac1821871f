// Changes a setting of the deck in service (`PATCH .../deck`): whether its notes are private or said.
import { z } from 'zod'
import { type Call, changes, operation, scoped } from '../../../platform/operation.ts'
import type { AccountPrincipal } from '../../../platform/principal.ts'
import { sessionId } from '../../../contract/session.ts'
import type { DecksDeps } from '../deps.ts'
import { notesAs, underNotesAs } from '../notes-as.ts'
import { type DeckView, deckView, viewDeck } from './deck-view.ts'
import { reviseDeck } from './revise-deck.ts'

const input = z.object({
  sessionId,
  notesAs: notesAs.describe(
    '`narration`: the notes of the slides are copied into `narration` where it is empty, public from then on, and said. `private`: what was copied is taken out again.',
  ),
})

async function update(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<DeckView> {
  const where = { accountId: call.principal.accountId, sessionId: wanted.sessionId, notesAs: wanted.notesAs, now: call.now }
  await reviseDeck(where, (slides) => slides.map((slide) => underNotesAs(slide, wanted.notesAs)), deps)
  return viewDeck(deps.store.read, wanted.sessionId, deps.mediaBase)
}

export const updateDeck = operation({
  name: 'update_deck',
  area: 'decks',
  summary: 'Have the notes of a deck said, or kept private',
  description: 'Makes the next version of the deck. `agentNotes` stay what they are, private, and their directives act either way.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found', 'conflict'],
  input,
  run: update,
  http: { method: 'PATCH', path: '/api/v1/agent/sessions/{sessionId}/deck', output: deckView, view: (view) => view },
})
