// Progress of a deck as `text/event-stream`: the whole view at the start and at the end, counts in between.
import type { EventFeed } from '../../../platform/operation.ts'
import type { DecksDeps } from '../deps.ts'
import { deckTopic } from '../topics.ts'
import { type DeckView, viewDeck } from './deck-view.ts'

const isMoving = ({ state }: DeckView) => state === 'pending' || state === 'processing'

/** Ends after the message that says `ready` or `failed`. Doorbells may be lost, so the deck is also read each second. */
export function deckFeed(sessionId: string, first: DeckView, { store, clock, mediaBase }: DecksDeps): EventFeed {
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
