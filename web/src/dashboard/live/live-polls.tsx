// What the talk asks its room, as its host leads it: each poll of the script with its answers as they come in.
import type { RoomState } from '../../room/stream/state.ts'
import type { PollSoFar } from '../../room/stream/wire.ts'
import { Button } from '../../ui/button.tsx'
import { PollResults } from '../../ui/poll-results.tsx'
import { scriptQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import { plural } from '../parts/format.ts'
import { hostAct, type HostAction } from './live-run.ts'

interface Asked extends Pick<PollSoFar, 'pollId' | 'kind' | 'question' | 'options'> {
  slideIndex: number
  right?: number | undefined
}

export function LivePolls({ sessionId, runId, state }: { sessionId: string; runId: string; state: RoomState }) {
  const beats = useQuery(scriptQuery(sessionId)).data?.beats ?? []
  const scripted = beats.flatMap(({ poll, slideIndex }): Asked[] => (poll ? [{ options: [], ...poll, slideIndex }] : []))
  // A poll that was asked stays, whatever became of the script since.
  const gone = state.polls.filter(({ pollId }) => !scripted.some((poll) => poll.pollId === pollId))
  const all: readonly Asked[] = [...gone, ...scripted].toSorted((a, b) => a.slideIndex - b.slideIndex)
  if (all.length === 0) return null
  return (
    <section aria-labelledby="polls">
      <h2 id="polls">
        Polls <span class="tab-count">{all.length}</span>
      </h2>
      <ol class="queue">
        {all.map((poll) => (
          <LivePoll
            key={poll.pollId}
            runId={runId}
            poll={poll}
            now={state.polls.find(({ pollId }) => pollId === poll.pollId)}
            tally={state.tally?.pollId === poll.pollId ? state.tally : undefined}
            isOver={state.status === 'completed'}
          />
        ))}
      </ol>
    </section>
  )
}

interface LivePollProps {
  runId: string
  poll: Asked
  now: PollSoFar | undefined
  tally: RoomState['tally'] | undefined
  isOver: boolean
}

function LivePoll({ runId, poll, now, tally, isOver }: LivePollProps) {
  const { pollId, kind, question, options, slideIndex } = poll
  const act = (action: Exclude<HostAction['action'], 'hide_word'> & `${string}_poll`) => void orToast(hostAct(runId, { action, pollId }))
  const hide = (word: string) => void orToast(hostAct(runId, { action: 'hide_word', pollId, word }))
  // As the answers come in; what was counted last stays when the poll is closed.
  const results = now?.open ? (tally ?? now.results) : (now?.results ?? tally ?? undefined)
  const state = now === undefined ? 'not asked yet' : now.open ? (now.shown ? 'open, shown' : 'open') : now.shown ? 'shown' : 'closed'
  return (
    <li class={now?.open ? 'queue-item queue-pending' : 'queue-item'} data-testid="live-poll" data-state={state}>
      <p class="small muted">
        Slide {slideIndex + 1}, {state}
        {results && `, ${plural(results.answers, 'answer')}`}
      </p>
      <p class="queue-text">
        <bdi>{question}</bdi>
      </p>
      {results && (results.counts !== undefined || results.words !== undefined) && (
        <PollResults
          poll={{ kind, options, results, right: poll.right }}
          words={{ right: 'right', yours: '' }}
          onHide={kind === 'words' && !isOver ? hide : undefined}
        />
      )}
      {!isOver && !(now?.shown && !now.open) && (
        <div class="actions">
          {!now?.open && !now?.shown && (
            <Button dense aria-label={`${now === undefined ? 'Ask now' : 'Ask again'}: ${question}`} onClick={() => act('open_poll')}>
              {now === undefined ? 'Ask now' : 'Ask again'}
            </Button>
          )}
          {now?.open && (
            <Button dense aria-label={`Close: ${question}`} onClick={() => act('close_poll')}>
              Close
            </Button>
          )}
          {now !== undefined && !now.shown && (
            <Button dense aria-label={`Show results: ${question}`} onClick={() => act('show_poll')}>
              Show results
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
