// What was said and asked in all the runs of a session, by the words looked for; each line leads to its moment in the replay.
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { transcriptSearchQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { plural, timecode } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Marked } from '../parts/marked.tsx'
import { Time } from '../parts/time.tsx'
import { SessionFrame } from '../session/session-frame.tsx'
import type { TranscriptMatch } from './transcript-wire.ts'

export function TranscriptSearch({ id }: { id: string }) {
  const { query, route } = useLocation()
  const words = (query['q'] ?? '').trim()
  const [typed, setTyped] = useState(words)
  return (
    <SessionFrame id={id} tab="Overview">
      {() => (
        <section class="found" aria-labelledby="found">
          <h2 id="found">Search transcripts</h2>
          <form
            class="list-bar"
            role="search"
            onSubmit={(event) => {
              event.preventDefault()
              route(`/dashboard/sessions/${id}/transcripts?${new URLSearchParams({ q: typed.trim() }).toString()}`, true)
            }}
          >
            <input
              class="input search"
              type="search"
              aria-label="Words that were said or asked"
              placeholder="A word or a price"
              maxLength={200}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
            <Button kind="primary" type="submit">
              Search
            </Button>
          </form>
          {words === '' ? (
            <p class="muted empty">Finds the words in everything that was said, asked and answered in the live runs of this session.</p>
          ) : (
            <Found key={words} id={id} words={words} />
          )}
        </section>
      )}
    </SessionFrame>
  )
}

const step = 20

function Found({ id, words }: { id: string; words: string }) {
  const [wanted, setWanted] = useState(step)
  const found = useQuery(transcriptSearchQuery(id, words, wanted))
  return (
    <Loaded query={found} rows={6}>
      {({ matches, isWhole }) => (
        <>
          <p class="muted" role="status">
            {matches.length === 0 ? `Nobody said "${words}".` : `${isWhole ? '' : 'The first '}${plural(matches.length, 'line')}.`}
          </p>
          <ol class="transcript">
            {matches.map((match) => (
              <FoundLine key={`${match.runId} ${match.seq}`} id={id} match={match} />
            ))}
          </ol>
          {!isWhole && <Button onClick={() => setWanted(wanted + step)}>Show more</Button>}
        </>
      )}
    </Loaded>
  )
}

function FoundLine({ id, match }: { id: string; match: TranscriptMatch }) {
  return (
    <li class={`line line-${match.type}`} data-testid="match">
      <a class="line-time small" href={`/dashboard/sessions/${id}/runs/${match.runId}?seq=${match.seq}`}>
        {timecode(match.offsetMs)}
      </a>
      <span class="line-speaker small muted">
        <bdi>{match.type === 'slide' ? 'Slide' : match.speaker}</bdi>
        {match.private === true && ', in writing to the asker'}
        {match.startedAt !== null && (
          <>
            {', '}
            <Time at={match.startedAt} />
          </>
        )}
      </span>
      <span class="line-text">
        <bdi>
          <Marked text={match.text} start={match.start} end={match.end} />
        </bdi>
      </span>
    </li>
  )
}
