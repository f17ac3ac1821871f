// The list of sessions: filter, search, what is going on in each, and its acts; keys j k Enter c r /.
import { useLocation } from 'preact-iso/router'
import { useMemo, useRef } from 'preact/hooks'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Thread } from '../../ui/thread.tsx'
import { sessionsPath, sessionsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { SessionRecord } from '../data/wire.ts'
import { plural } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Older } from '../parts/older.tsx'
import { PageHead } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { isLiveNow, SessionStatusWord } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { Checklist } from './checklist.tsx'
import { SessionActions } from './session-actions.tsx'
import { useRowKeys } from './session-keys.ts'

const filters = {
  all: () => true,
  live: isLiveNow,
  published: (session: SessionRecord) => session.status === 'published',
  draft: (session: SessionRecord) => session.status === 'draft',
} satisfies Record<string, (session: SessionRecord) => boolean>

type Filter = keyof typeof filters
const words: Record<Filter, string> = { all: 'All', live: 'Live', published: 'Published', draft: 'Draft' }
const isFilter = (text: string | undefined): text is Filter => text !== undefined && text in filters

const columns: readonly Column<SessionRecord>[] = [
  { name: 'title', head: 'Session', rowHead: true, cell: (session) => <TitleCell session={session} /> },
  { name: 'status', head: 'Status', cell: (session) => <SessionStatusWord session={session} /> },
  { name: 'now', head: 'Now', cell: (session) => <NowCell session={session} /> },
  { name: 'changed', head: 'Changed', cell: (session) => <Time at={session.updatedAt} /> },
  { name: 'acts', head: 'Acts', hideHead: true, cell: (session) => <SessionActions session={session} /> },
]

export function Sessions() {
  const { query, route } = useLocation()
  const sessions = useQuery({ ...sessionsQuery, refetchInterval: 20_000 })
  const filter: Filter = isFilter(query['show']) ? query['show'] : 'all'
  const search = query['q'] ?? ''
  const list = useRef<HTMLDivElement>(null)
  const shown = useMemo(
    () => (sessions.data?.rows ?? []).filter(filters[filter]).filter((one) => holds(one, search)),
    [sessions.data, filter, search],
  )
  useRowKeys(list, shown)
  const href = (next: { show?: Filter; q?: string }) => {
    const { show, q } = { show: filter, q: search, ...next }
    const params = new URLSearchParams({ ...(show === 'all' ? {} : { show }), ...(q === '' ? {} : { q }) }).toString()
    return params === '' ? '/dashboard' : `/dashboard?${params}`
  }
  return (
    <>
      <PageHead
        title="Sessions"
        actions={
          <a class={buttonClass('primary')} href="/dashboard/sessions/new">
            New session
          </a>
        }
      />
      <Loaded query={sessions} rows={6}>
        {(read) => (
          <>
            <Checklist sessions={read.rows} />
            <div class="list-bar">
              <Tabs
                label="Filter"
                items={(Object.keys(filters) as Filter[]).map((show) => ({
                  href: href({ show }),
                  label: words[show],
                  current: show === filter,
                  count: read.rows.filter(filters[show]).length,
                }))}
              />
              <SearchField label="Search sessions" value={search} keys="/" onChange={(q) => route(href({ q }), true)} />
            </div>
            <div ref={list} class="session-list">
              {shown.length > 0 ? (
                <Table keepsRows caption="Sessions" columns={columns} rows={shown} rowKey={({ id }) => id} />
              ) : (
                <NoSessions hasAny={read.rows.length > 0} />
              )}
            </div>
            <Older list={read} what="sessions" path={sessionsPath} query={sessionsQuery} />
          </>
        )}
      </Loaded>
    </>
  )
}

const holds = ({ title, description }: SessionRecord, search: string) =>
  `${title} ${description ?? ''}`.toLowerCase().includes(search.trim().toLowerCase())

function TitleCell({ session }: { session: SessionRecord }) {
  return (
    <a class="row-link" href={`/dashboard/sessions/${session.id}`}>
      <bdi>{session.title}</bdi>
    </a>
  )
}

function NowCell({ session }: { session: SessionRecord }) {
  const { attendeesOnline, slideIndex, slidesCount } = session
  if (attendeesOnline === undefined || attendeesOnline === 0) {
    return <span class="muted">{slidesCount === 0 ? 'No slides yet' : plural(slidesCount, 'slide')}</span>
  }
  return (
    <span class="now">
      <span>{attendeesOnline} in room</span>
      {slideIndex !== undefined && (
        <Thread count={slidesCount} current={slideIndex} progress={1} label={`Slide ${slideIndex + 1} of ${slidesCount}`} />
      )}
    </span>
  )
}

function NoSessions({ hasAny }: { hasAny: boolean }) {
  if (hasAny) return <Empty title="No session matches" text="Change the filter or the search to see the others." />
  return <Empty title="No sessions yet" text="A session is a talk to hold: give it a title and slides, rehearse it, then share its link." />
}
