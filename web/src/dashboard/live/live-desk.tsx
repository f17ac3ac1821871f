// What a host looks at beside the slide: what comes next, the private notes, the time, and who is there with a hand up.
import { Hand } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import type { RoomState } from '../../room/stream/state.ts'
import { webClock } from '../../ui/clock.ts'
import { Icon } from '../../ui/icon.tsx'
import { deckQuery, runsQuery, scriptQuery, visitsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { duration, plural, timecode } from '../parts/format.ts'
import { SlideOf } from '../parts/text-slide.tsx'

export function NextAndNotes({ sessionId, state }: { sessionId: string; state: RoomState }) {
  const next = state.slides[state.slideIndex + 1]
  const notes = useQuery(deckQuery(sessionId)).data?.slides.find(({ id }) => id === state.slides[state.slideIndex]?.id)?.agentNotes
  return (
    <div class="live-next">
      <div>
        <p class="small muted">Next</p>
        <SlideOf slide={next} empty="The end" />
      </div>
      {notes && <Notes notes={notes} />}
    </div>
  )
}

const Notes = ({ notes }: { notes: string }) => (
  <div class="notes live-notes">
    <p class="chip chip-amber">Private notes</p>
    <p class="live-notes-text">{notes}</p>
  </div>
)

/** The time since the talk began, and what is left of the script. */
export function Timer({ sessionId, runId, state }: { sessionId: string; runId: string; state: RoomState }) {
  const startedAt = useQuery(runsQuery(sessionId)).data?.find((run) => run.runId === runId)?.startedAt
  const beats = useQuery(scriptQuery(sessionId)).data?.beats ?? []
  const [now, setNow] = useState(() => webClock.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(webClock.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  if (!startedAt || state.status === 'completed') return null
  const left = beats.filter(({ slideIndex }) => slideIndex > state.slideIndex).reduce((sum, { estMs, pauseMs }) => sum + estMs + pauseMs, 0)
  return (
    <span class="tabular" role="timer" aria-label="Time">
      {timecode(now - Date.parse(startedAt))}
      {left > 0 && <span class="muted">, about {duration(Math.max(60, Math.round(left / 60_000) * 60))} left</span>}
    </span>
  )
}

/** Of a larger room only the count is told: every look at the list reads the log of the talk. */
const namedMost = 100

export function PeopleHere({
  sessionId,
  runId,
  state,
  raised,
  hands,
}: {
  sessionId: string
  runId: string
  state: RoomState
  raised: readonly string[]
  hands: number
}) {
  const isSmall = state.presence > 0 && state.presence <= namedMost
  const visits = useQuery({ ...visitsQuery(sessionId), enabled: isSmall, refetchInterval: isSmall ? 15_000 : false }).data?.rows ?? []
  const here = visits.filter((visit) => visit.runId === runId && visit.leftAt === undefined)
  const up = (attendeeId: string) => raised.includes(attendeeId)
  const unnamed = Math.max(0, hands - here.filter(({ attendeeId }) => up(attendeeId)).length)
  return (
    <section class="live-people" aria-labelledby="people-here">
      <h2 id="people-here">
        People <span class="tab-count">{state.presence}</span>
      </h2>
      {here.length > 0 && (
        <ul class="people-here">
          {here
            .toSorted((a, b) => Number(up(b.attendeeId)) - Number(up(a.attendeeId)))
            .map(({ attendeeId, name }) => (
              <li key={attendeeId} class={up(attendeeId) ? 'chip chip-amber' : 'chip'}>
                {up(attendeeId) && <Icon of={Hand} />}
                <bdi>{name ?? 'Someone'}</bdi>
                {up(attendeeId) && <span class="vh">, hand raised</span>}
              </li>
            ))}
        </ul>
      )}
      {unnamed > 0 && <p class="small muted">{plural(unnamed, 'more hand')} raised.</p>}
    </section>
  )
}
