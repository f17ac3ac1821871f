// What came of a poll, as bars: for the room, the live page, the replay, the analytics and the recap. The figures stand in words beside
// each bar, so the bars themselves are for the eye alone.
import { resultRows } from '@rostrum/contract/poll-rows'
import type { PollSoFar } from '@rostrum/contract/poll'

export type ShownPoll = Pick<PollSoFar, 'kind' | 'options' | 'results'> & { right?: number | undefined }

export interface PollResultsProps {
  poll: ShownPoll
  /** The place of this attendee's own answer. */
  own?: number | undefined
  words: { right: string; yours: string }
  /** Of the host: takes a word out. */
  onHide?: ((word: string) => void) | undefined
}

export function PollResults({ poll, own, words, onHide }: PollResultsProps) {
  return (
    <ol class="poll-bars">
      {resultRows(poll).map(({ name, count, share, width }, at) => {
        const marks = [at === poll.right && words.right, at === own && words.yours].filter(Boolean)
        return (
          <li key={name} class={at === poll.right ? 'poll-bar poll-right' : 'poll-bar'}>
            <span class="poll-name">
              <bdi>{name}</bdi>
              {marks.length > 0 && <span class="small"> {`(${marks.join(', ')})`}</span>}
            </span>
            <span class="tabular">
              {share}
              {poll.kind !== 'words' && <span class="muted small">{` (${count})`}</span>}
            </span>
            {onHide && (
              <button type="button" class="btn btn-quiet btn-dense" aria-label={`Hide ${name}`} onClick={() => onHide(name)}>
                Hide
              </button>
            )}
            <svg class="poll-track" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={width} height="1" />
            </svg>
          </li>
        )
      })}
    </ol>
  )
}
