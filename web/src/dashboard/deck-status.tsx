// What state the deck is in, in words: how far reading has come, why it failed, which pages need the host's eye.
import type { Deck, SessionDetail } from './wire.ts'
import { plural } from './format.ts'
import { StatusWord } from './status.tsx'

export function DeckStatus({ session, deck }: { session: SessionDetail; deck: Deck | undefined }) {
  const state = deck?.state ?? session.deckState
  return (
    <div class="deck-state" data-testid="deck-state" data-state={state}>
      <Words state={state} deck={deck} session={session} />
      {state === 'processing' && deck !== undefined && deck.progress.total > 0 && (
        <progress aria-label="Pages read" max={deck.progress.total} value={deck.progress.done} />
      )}
      {deck !== undefined && deck.warnings.length > 0 && (
        <details>
          <summary>{plural(deck.warnings.length, 'thing', 'things')} to look at</summary>
          <ul>
            {deck.warnings.map((warning, index) => (
              <li key={index}>
                {warning.slideIndex !== undefined && `Slide ${warning.slideIndex + 1}: `}
                {warning.detail} {warning.fix}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Words({ state, deck, session }: { state: SessionDetail['deckState']; deck: Deck | undefined; session: SessionDetail }) {
  const slidesHref = `/dashboard/sessions/${session.id}/slides`
  switch (state) {
    case 'none':
      return <StatusWord shape="dash" word="No deck" />
    case 'pending':
      return <StatusWord shape="ring" word="Waiting to be read" tone="wait" />
    case 'processing':
      return (
        <StatusWord
          shape="ring"
          word={
            deck === undefined
              ? 'Reading the deck'
              : `Reading page ${Math.min(deck.progress.done + 1, deck.progress.total)} of ${deck.progress.total}`
          }
          tone="wait"
        />
      )
    case 'failed':
      return (
        <div class="note note-red">
          <StatusWord shape="cross" word="The deck could not be read" tone="bad" />
          <p>{deck?.reason ?? 'Replace it with another file.'}</p>
          <a href={slidesHref}>Replace deck</a>
        </div>
      )
    case 'ready':
      return (
        <p>
          <StatusWord shape="ring" word={`Deck ready, ${plural(deck?.slides.length ?? session.slidesCount, 'slide')}`} tone="live" />{' '}
          <a href={slidesHref}>Slides and script</a>
        </p>
      )
  }
}
