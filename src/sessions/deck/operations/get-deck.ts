// The owner's deck with notes, progress and warnings (`GET .../deck`); as a stream while it is being made.
import { z } from 'zod'
import { type Call, type EventFeed, operation, reads, scoped } from '../../../platform/operation.ts'
import type { AccountPrincipal } from '../../../platform/principal.ts'
import { sessionId } from '../../fields.ts'
import { ownSession } from '../../session.ts'
import type { DecksDeps } from '../deps.ts'
import { deckFeed } from './deck-feed.ts'
import { type DeckView, deckView, viewDeck } from './deck-view.ts'

const input = z.object({ sessionId, accept: z.string().optional() })

async function get(
  wanted: z.output<typeof input>,
  call: Call<AccountPrincipal>,
  deps: DecksDeps,
): Promise<{ view: DeckView; feed: EventFeed | undefined }> {
  const session = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  const view = await viewDeck(deps.store.read, session.id, deps.mediaBase)
  const wantsFeed = wanted.accept?.includes('text/event-stream') === true
  return { view, feed: wantsFeed ? deckFeed(session.id, view, deps) : undefined }
}

export const getDeck = operation({
  name: 'get_deck',
  area: 'decks',
  summary: 'Show the deck of a session',
  description:
    'The newest version with private notes, progress and warnings; `inService` is the version the room shows. With `Accept: text/event-stream` the progress until it is ready or failed.',
  access: scoped('sessions:write'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/deck',
    headerMembers: { accept: 'accept' },
    output: deckView,
    view: ({ view }) => view,
    feed: ({ feed }) => feed,
  },
})
