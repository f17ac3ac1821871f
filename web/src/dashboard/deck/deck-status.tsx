// What state the deck is in, in words: how far reading has come, why it failed, which pages need the host's eye.
import { Button } from '../../ui/button.tsx'
import type { Deck, SessionDetail } from '../data/wire.ts'
import { atClock, plural } from '../parts/format.ts'
import { StatusWord } from '../parts/status.tsx'

interface DeckStatusProps {
  session: SessionDetail
  deck: Deck | undefined
  /** Opens the choice of another file; without it the words lead to where that is. */
  onReplace?: (() => void) | undefined
}

export function DeckStatus({ session, deck, onReplace }: DeckStatusProps) {
  const state = deck?.state ?? session.deckState
  const toMend = warningsToMend(deck)
  return (
    <div class="deck-state" data-testid="deck-state" data-state={state}>
      <Words state={state} deck={deck} session={session} onReplace={onReplace} />
      {state === 'processing' && deck !== undefined && deck.progress.total > 0 && (
        <progress aria-label="Pages read" max={deck.progress.total} value={deck.progress.done} />
      )}
      {toMend.length > 0 && (
        <details>
          <summary>{plural(toMend.length, 'thing', 'things')} to look at</summary>
          <ul>
            {toMend.map((warning, index) => (
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

/** Without what nearly every deck has: headers and footers that are set apart are told on the page of its slides. */
export const warningsToMend = (deck: Pick<Deck, 'warnings'> | undefined): Deck['warnings'] =>
  deck?.warnings.filter(({ isUsual }) => isUsual !== true) ?? []

/** Whether its pages are still on their way. */
export const isBeingRead = (deck: Pick<Deck, 'state'> | undefined): boolean => deck?.state === 'pending' || deck?.state === 'processing'

/** "Waiting to be read, 2 before yours, some 20 s" */
function waitingWords(queue: Deck['queue']): string {
  if (queue === undefined) return 'Waiting to be read'
  if (queue.goesOnAt !== undefined)
    return `Waiting to be read: the reading time of your account for this hour is used up, it goes on at ${atClock(queue.goesOnAt)}`
  return queue.before === 0
    ? 'Waiting to be read, next in line'
    : `Waiting to be read, ${queue.before} before yours, some ${queue.seconds} s`
}

function Words({ state, deck, session, onReplace }: DeckStatusProps & { state: SessionDetail['deckState'] }) {
  const slidesHref = `/dashboard/sessions/${session.id}/slides`
  switch (state) {
    case 'none':
      return <StatusWord shape="dash" word="No deck" />
    case 'pending':
      return <StatusWord shape="ring" word={waitingWords(deck?.queue)} tone="wait" />
    case 'processing':
      return (
        <StatusWord
          shape="ring"
          word={
            deck === undefined || deck.progress.total === 0
              ? 'Reading the deck'
              : `Reading page ${Math.min(deck.progress.done + 1, deck.progress.total)} of ${deck.progress.total}`
          }
          tone="wait"
        />
      )
    case 'failed':
      return (
        <div class="note note-red deck-failed">
          <StatusWord shape="cross" word="The deck could not be read" tone="bad" />
          <p>
            {deck?.reason ?? 'Nothing of it could be read.'}
            {deck?.inService && ' People in the room still see the slides you had.'}
          </p>
          {onReplace === undefined ? <a href={slidesHref}>Try another file</a> : <Button onClick={onReplace}>Try another file</Button>}
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
