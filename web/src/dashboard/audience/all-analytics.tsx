// All sessions together: the totals, and each session beside the account's median.
import { useLocation } from 'preact-iso/router'
import { Empty } from '../../ui/empty.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useQuery } from '../data/use-query.ts'
import { count, duration } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { Thumb } from '../parts/thumb.tsx'
import { allAnalyticsQuery, type SessionFigures } from './all-analytics-query.ts'
import { DaysSelect } from './days-select.tsx'
import { difference, medians, type Stats, totals } from './figures.ts'
import { StatRow } from './stat-row.tsx'

function columnsFor(middle: Stats | undefined): readonly Column<SessionFigures>[] {
  const compared: readonly Column<SessionFigures>[] =
    middle === undefined
      ? []
      : [
          {
            name: 'compared',
            head: 'Time compared',
            cell: ({ analytics }) => (
              <span class="muted">{difference(analytics.averageEngagementSec, middle.averageEngagementSec, duration)}</span>
            ),
          },
        ]
  return [
    {
      name: 'title',
      head: 'Session',
      rowHead: true,
      cell: ({ session }) => (
        <div class="row-talk">
          <Thumb src={session.coverUrl} title={session.slidesCount > 0 ? session.title : undefined} />
          <a class="row-link" href={`/dashboard/sessions/${session.id}/analytics`}>
            <bdi>{session.title}</bdi>
          </a>
        </div>
      ),
    },
    { name: 'attendees', head: 'Attendees', number: true, cell: ({ analytics }) => count(analytics.totalAttendees) },
    { name: 'time', head: 'Average time', number: true, cell: ({ analytics }) => duration(analytics.averageEngagementSec) },
    ...compared,
    { name: 'questions', head: 'Questions', number: true, cell: ({ analytics }) => count(analytics.questionsCount) },
    { name: 'clicks', head: 'Offer clicks', number: true, cell: ({ analytics }) => count(analytics.ctaClicks) },
  ]
}

export function AllAnalytics() {
  const location = useLocation()
  const days = Number(location.query['days']) || undefined
  const query = useQuery(allAnalyticsQuery(days))
  return (
    <>
      <PageHead
        title="Analytics"
        lead="Your newest sessions together. Rehearsals are never counted."
        actions={
          <DaysSelect
            days={days}
            onChange={(chosen) => location.route(`/dashboard/analytics${chosen === '' ? '' : `?days=${chosen}`}`, true)}
          />
        }
      />
      <Loaded query={query} rows={6}>
        {(all) => {
          const held = all.filter(({ analytics }) => analytics.totalAttendees > 0)
          if (held.length === 0)
            return (
              <Empty
                title={days === undefined ? 'No figures yet' : 'Nobody came in this time'}
                text="They appear with the first person in one of your rooms."
                example={['Grid storage in 12 minutes', '24 attendees', '7 min', '31 questions', '9 clicks']}
              />
            )
          const figures = held.map(({ analytics }) => analytics)
          return (
            <>
              <StatRow stats={totals(figures)} />
              <Table
                caption="Sessions compared"
                columns={columnsFor(medians(figures))}
                rows={held.toSorted((a, b) => b.analytics.totalAttendees - a.analytics.totalAttendees)}
                rowKey={({ session }) => session.id}
              />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
