// How a session went: four figures, then attendance, attention per slide, the path to the CTA and what was asked.
import { useLocation } from 'preact-iso/router'
import { resultRows } from '@rostrum/contract/poll-rows'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { analyticsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { Analytics } from '../data/wire.ts'
import { csvFrom } from '../parts/csv.ts'
import { Loaded } from '../parts/loaded.tsx'
import { fileName, saveFile } from '../parts/save-file.ts'
import { SessionFrame } from '../session/session-frame.tsx'
import { allAnalyticsQuery } from './all-analytics-query.ts'
import { Attendance, Attention, CtaPath, Polls, QuestionsBySlide, Sources } from './analytics-charts.tsx'
import { DaysSelect } from './days-select.tsx'
import { medians } from './figures.ts'
import { StatRow } from './stat-row.tsx'

export function SessionAnalytics({ id }: { id: string }) {
  const location = useLocation()
  const days = Number(location.query['days']) || undefined
  const query = useQuery(analyticsQuery(id, days))
  const others = useQuery({ ...allAnalyticsQuery(days), enabled: query.data !== undefined && query.data.totalAttendees > 0 })
  const middle = others.data && medians(others.data.map(({ analytics }) => analytics))
  return (
    <SessionFrame
      id={id}
      tab="Analytics"
      actions={({ title }) => (
        <>
          <DaysSelect
            days={days}
            onChange={(chosen) => location.route(`/dashboard/sessions/${id}/analytics${chosen === '' ? '' : `?days=${chosen}`}`, true)}
          />
          <Button
            disabled={query.data === undefined || query.data.totalAttendees === 0}
            onClick={() => query.data && saveFile(fileName(title, 'analytics.csv'), asCsv(query.data), 'text/csv')}
          >
            Export CSV
          </Button>
        </>
      )}
    >
      {() => (
        <Loaded query={query} rows={8}>
          {(analytics) => (
            <>
              <StatRow stats={analytics} middle={middle} />
              {analytics.totalAttendees === 0 ? (
                <Empty
                  title={days === undefined ? 'Nobody has come yet' : 'Nobody came in this time'}
                  text="Figures appear with the first person in the room. Rehearsals are never counted."
                  example={['24 attendees', '7 min on average', '31 questions', '9 clicks']}
                />
              ) : (
                <div class="charts">
                  <Attendance analytics={analytics} />
                  <Attention analytics={analytics} />
                  <CtaPath analytics={analytics} />
                  <Sources analytics={analytics} />
                  <QuestionsBySlide sessionId={id} analytics={analytics} />
                  <Polls analytics={analytics} />
                  <p class="small muted">Live runs only; rehearsals are never mixed in.</p>
                </div>
              )}
            </>
          )}
        </Loaded>
      )}
    </SessionFrame>
  )
}

/** The slides, and below them each answer of each poll. */
function asCsv(analytics: Analytics): string {
  const polls = (analytics.polls ?? []).flatMap((poll) =>
    resultRows(poll).map(({ name, count }, at) => [
      poll.slideIndex + 1,
      poll.question,
      name,
      count,
      poll.results.answers,
      String(at === poll.right),
    ]),
  )
  const slides = csvFrom(
    ['slide', 'views', 'average_seconds', 'left_here', 'questions'],
    (analytics.slides ?? []).map(({ index, views, avgSeconds, leftHere, questions }) => [
      index + 1,
      views,
      avgSeconds,
      leftHere,
      questions,
    ]),
  )
  if (polls.length === 0) return slides
  return `${slides}\r\n${csvFrom(['slide', 'poll', 'answer', 'count', 'answers', 'right'], polls).slice(1)}`
}
