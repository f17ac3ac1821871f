// The list of sessions: filter, search, what is going on in each, and its acts; keys j k Enter c r /.
import { Plus } from 'lucide'
import lazy from 'preact-iso/lazy'
import { useLocation } from 'preact-iso/router'
import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { buttonClass } from '../../ui/button.tsx'
import { webClock } from '../../ui/clock.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Thread } from '../../ui/thread.tsx'
import { allAnalyticsQuery } from '../audience/all-analytics-query.ts'
import { leadsQuery, sessionsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { SessionRecord } from '../data/wire.ts'
import { count, plural } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Older } from '../parts/older.tsx'
import { PageHead } from '../parts/page.tsx'
import { isTyping, SearchField } from '../parts/search-field.tsx'
import { isLiveNow, SessionStatusWord } from '../parts/status.tsx'
import { Thumb } from '../parts/thumb.tsx'
import { Time } from '../parts/time.tsx'
import { Checklist } from './checklist.tsx'
import { SessionActions } from './session-actions.tsx'
import { copyLink, rehearse } from './session-acts.ts'

const filters = {
  all: () => true,
  live: isLiveNow,
  published: (session: SessionRecord) => session.status === 'published',
  draft: (session: SessionRecord) => session.status === 'draft',
} satisfies Record<string, (session: SessionRecord) => boolean>

type Filter = keyof typeof filters
const words: Record<Filter, string> = { all: 'All', live: 'Live', published: 'Published', draft: 'Draft' }
const isFilter = (text: string | undefined): text is Filter => text !== undefined && text in filters

/** Who has fewer is still on the way to their first talks: the page begins one. */
const fewTalks = 4
const DropDeck = lazy(() => import('./new-session.tsx').then((module) => module.DropDeck))

const columns: readonly Column<SessionRecord>[] = [
  { name: 'title', head: 'Session', rowHead: true, cell: (session) => <TitleCell session={session} /> },
  { name: 'status', head: 'Status', cell: (session) => <SessionStatusWord session={session} /> },
  { name: 'week', head: 'Last 7 days', cell: (session) => <Week session={session} /> },
  { name: 'changed', head: 'Changed', cell: (session) => <Time at={session.updatedAt} /> },
  { name: 'acts', head: 'Actions', hideHead: true, cell: (session) => <SessionActions session={session} /> },
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
            <Icon of={Plus} />
            New session
          </a>
        }
      />
      <Loaded query={sessions} rows={6} shape="talks">
        {(read) => (
          <>
            <Checklist sessions={read.rows} />
            {read.rows.length > 0 && (
              <>
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
                    <Table caption="Sessions" columns={columns} rows={shown} rowKey={({ id }) => id} />
                  ) : (
                    <Empty title="No session matches" text="Change the filter or the search to see the others." />
                  )}
                </div>
              </>
            )}
            {read.rows.length < fewTalks && <NextTalk isFirst={read.rows.length === 0} />}
            <Older list={read} what="sessions" query={sessionsQuery} />
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
    <div class="row-talk">
      <Thumb src={session.coverUrl} title={session.slidesCount > 0 ? session.title : undefined} />
      <div class="row-words">
        <a class="row-link" href={`/dashboard/sessions/${session.id}`}>
          <bdi>{session.title}</bdi>
        </a>
        <NowLine session={session} />
      </div>
    </div>
  )
}

function NowLine({ session }: { session: SessionRecord }) {
  const { attendeesOnline, slideIndex, slidesCount } = session
  if (attendeesOnline === undefined || attendeesOnline === 0) {
    return <span class="small muted">{slidesCount === 0 ? 'No slides yet' : plural(slidesCount, 'slide')}</span>
  }
  return (
    <span class="now small">
      <span>{attendeesOnline} in room</span>
      {slideIndex !== undefined && (
        <Thread count={slidesCount} current={slideIndex} progress={1} label={`Slide ${slideIndex + 1} of ${slidesCount}`} />
      )}
    </span>
  )
}

const weekMs = 7 * 86_400_000

/** What came of it, and what is owed to those who asked. */
function Week({ session }: { session: SessionRecord }) {
  const since = webClock.now() - weekMs
  const leads = (useQuery(leadsQuery()).data?.rows ?? []).filter(
    ({ sessionId, created_at }) => sessionId === session.id && Date.parse(created_at) > since,
  )
  const figures = useQuery(allAnalyticsQuery(7)).data?.find((one) => one.session.id === session.id)?.analytics
  const open = figures?.unanswered ?? 0
  const own = `/dashboard/sessions/${session.id}`
  return (
    <span class="week-of-talk small">
      {leads.length > 0 && <a href={`${own}/people`}>{plural(leads.length, 'lead')}</a>}
      {open > 0 && <a href={`${own}/questions?show=open`}>{count(open)} unanswered</a>}
      {leads.length + open === 0 && (
        <span class="muted">{figures !== undefined && figures.totalAttendees > 0 ? 'Visits only' : 'Nothing'}</span>
      )}
    </span>
  )
}

function NextTalk({ isFirst }: { isFirst: boolean }) {
  return (
    <section class="next-talk" aria-labelledby="next-talk">
      <h2 id="next-talk">{isFirst ? 'No sessions yet' : 'The next talk'}</h2>
      <p class="muted">
        {isFirst && 'A session is a talk to hold: slides, a presenter that gives it and answers, and a link to share. '}
        Drop the slides, or <a href="/dashboard/sessions/new">begin from a link or text</a>. Nobody sees a talk before you publish it.
      </p>
      <DropDeck />
    </section>
  )
}

/** j and k move between rows, c copies the link, r rehearses (Enter is the link's own). */
function useRowKeys(list: RefObject<HTMLElement | null>, sessions: readonly SessionRecord[]): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const links = Array.from(list.current?.querySelectorAll<HTMLElement>('.row-link') ?? [])
      const row = document.activeElement?.closest('tr')
      const at = links.findIndex((link) => link.closest('tr') === row)
      const session = sessions[at]
      if (event.key === 'j') links[Math.min(at + 1, links.length - 1)]?.focus()
      else if (event.key === 'k') links[Math.max(at - 1, 0)]?.focus()
      else if (event.key === 'c' && session !== undefined) void copyLink(session)
      else if (event.key === 'r' && session !== undefined) void rehearse(session.id)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [list, sessions])
}
