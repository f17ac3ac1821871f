// The owner's deck with notes, progress and warnings (`GET .../deck`); as a stream while it is being made.
import { z } from 'zod'
import { type Call, type EventFeed, operation, reads, scoped } from '../../../platform/operation.ts'
import type { AccountPrincipal } from '../../../platform/principal.ts'
import { sessionId } from '../../../contract/session.ts'
import { ownSession } from '../../session.ts'
import type { DecksDeps } from '../deps.ts'
import { deckTopic } from '../topics.ts'
import { type DeckView, deckView, viewDeck } from './deck-view.ts'

// Progress of a deck as `text/event-stream`: the whole view at the start and at the end, counts in between.

const isMoving = ({ state }: DeckView) => state === 'pending' || state === 'processing'

/** Ends after the message that says `ready` or `failed`. Doorbells may be lost, so the deck is also read each second. */
function deckFeed(sessionId: string, first: DeckView, { store, clock, mediaBase }: DecksDeps): EventFeed {
  return {
    open(sink) {
      let isOpen = true
      let last = ''
      let cancel = () => {}
      const send = (view: DeckView) => {
        const { slides: _, ...counts } = view
        const data = JSON.stringify(isMoving(view) ? counts : view)
        if (data !== last && !sink.write(Buffer.from(`event: deck\ndata: ${data}\n\n`))) return close()
        last = data
        if (!isMoving(view)) close()
      }
      let isLooking = false
      let isAwaited = false
      /** One look at a time: doorbells may ring faster than the store answers. */
      const look = async () => {
        cancel()
        if (isLooking) {
          isAwaited = true
          return
        }
        isLooking = true
        const view = await viewDeck(store.read, sessionId, mediaBase)
        isLooking = false
        if (isOpen) send(view)
        if (isOpen) cancel = clock.after(isAwaited ? 0 : 1_000, again)
        isAwaited = false
      }
      const again = () => void look().catch(close)
      const stopListening = store.listen(deckTopic(sessionId), again)
      const stop = () => {
        isOpen = false
        cancel()
        stopListening()
      }
      const close = () => {
        if (!isOpen) return
        stop()
        sink.close()
      }
      send(first)
      if (isOpen) cancel = clock.after(1_000, again)
      return { stop }
    },
  }
}

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
