// People as a list: who came or left their details, when, how long they watched and what they asked; filters that can be kept as views, and
// a file of what is shown.
import { Download } from 'lucide'
import { useLocation } from 'preact-iso/router'
import { Button } from '../../ui/button.tsx'
import { webClock } from '../../ui/clock.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { downloadPages } from '../data/api.ts'
import { leadsQuery, type Listing, sessionsQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import type { Lead } from '../data/wire.ts'
import { csvFrom, joinFiles, keepRecords } from '../parts/csv.ts'
import { count, duration } from '../parts/format.ts'
import { Older } from '../parts/older.tsx'
import { saveFile } from '../parts/save-file.ts'
import { SearchField } from '../parts/search-field.tsx'
import { Thumb } from '../parts/thumb.tsx'
import { Time } from '../parts/time.tsx'
import { DaysSelect } from './days-select.tsx'
import { matches, type PeopleFilter, type Person, utmNames } from './people.ts'
import { Face, followUpWords, isFollowUp, nameOf, PersonSheet } from './person-sheet.tsx'
import { SavedViews } from './saved-views.tsx'

/** What the address of the page says is wanted. */
export function filterIn(query: Record<string, string>): PeopleFilter {
  const { show, q = '', status, days } = query
  return {
    everyone: show === 'all',
    search: q,
    followUp: isFollowUp(status) ? status : undefined,
    days: Number(days) > 0 ? Number(days) : undefined,
  }
}

const shownOf = (people: readonly Person[], filter: PeopleFilter) => people.filter((person) => matches(person, filter, webClock.now()))

function columnsFor(href: (key: string) => string, isOfAll: boolean): readonly Column<Person>[] {
  return [
    {
      name: 'person',
      head: 'Person',
      rowHead: true,
      cell: (person) => (
        <div class="row-talk">
          <Face person={person} />
          <div class="row-words">
            <a class="row-link" href={href(person.key)}>
              <bdi>{nameOf(person)}</bdi>
            </a>
            {person.leads[0] !== undefined && person.name !== '' && (
              <span class="small person-mail">
                <a href={`mailto:${person.leads[0].email}`}>
                  <bdi>{person.leads[0].email}</bdi>
                </a>
                {person.leads[0].company !== '' && (
                  <span class="muted">
                    , <bdi>{person.leads[0].company}</bdi>
                  </span>
                )}
              </span>
            )}
            {person.leads.some(({ unproven }) => unproven) && (
              <p class="lead-repeat small">Unproven: came with many others within an hour.</p>
            )}
            {person.leads[0]?.repeatOf !== undefined && (
              <p class="lead-repeat small" data-testid="lead-repeat">
                Sent by somebody else for the same address. The earlier entry is unchanged.
              </p>
            )}
          </div>
        </div>
      ),
    },
    ...(isOfAll ? [{ name: 'session', head: 'Session', cell: (person: Person) => <OfSession person={person} /> }] : []),
    { name: 'date', head: 'Last there', cell: ({ lastAt }) => <Time at={lastAt} /> },
    {
      name: 'watched',
      head: 'Watched',
      number: true,
      cell: ({ visits, watchedSeconds }) => (visits.length === 0 ? '' : duration(watchedSeconds)),
    },
    {
      name: 'questions',
      head: 'Questions',
      number: true,
      cell: ({ visits, questions }) => (visits.length === 0 ? '' : count(questions.length)),
    },
    { name: 'offer', head: 'Offer', cell: ({ hasClicked }) => (hasClicked ? 'Clicked' : <span class="muted">No</span>) },
    {
      name: 'status',
      head: 'Status',
      cell: ({ leads: [lead] }) =>
        lead === undefined ? (
          <span class="muted">Watched</span>
        ) : (
          <span class={lead.followUp === 'new' ? 'chip chip-accent' : 'chip'}>{followUpWords[lead.followUp]}</span>
        ),
    },
  ]
}

function OfSession({ person: { leads, visits } }: { person: Person }) {
  const id = leads[0]?.sessionId ?? visits[0]?.sessionId
  const session = useQuery(sessionsQuery).data?.rows.find((one) => one.id === id)
  if (session === undefined) return null
  return (
    <span class="row-talk">
      <Thumb src={session.coverUrl} title={session.slidesCount > 0 ? session.title : undefined} />
      <bdi>{session.title}</bdi>
    </span>
  )
}

export interface PeopleScreenProps {
  people: readonly Person[]
  list: Listing<Lead>
  /** Absent for those of the whole account. */
  sessionId?: string
  base: string
}

export function PeopleScreen({ people, list, sessionId, base }: PeopleScreenProps) {
  const { query, route } = useLocation()
  const filter = filterIn(query)
  const href = (next: Record<string, string | undefined>) => {
    const entries = Object.entries({ ...query, ...next }).filter((entry): entry is [string, string] => Boolean(entry[1]))
    const params = new URLSearchParams(entries).toString()
    return params === '' ? base : `${base}?${params}`
  }
  const shown = shownOf(people, filter)
  const whole = shownOf(people, { ...filter, search: '', followUp: undefined, days: undefined })
  const open = people.find(({ key }) => key === query['person'])
  if (people.length === 0) {
    return (
      <Empty
        title="Nobody yet"
        text="Whoever joins a talk is listed here, with what they watched and asked. People leave their details from the offer card or at the end."
        example={['MO  Maya Okafor', 'Watched 12 min', '3 questions', 'Clicked', 'New']}
      />
    )
  }
  return (
    <>
      <div class="list-bar">
        {sessionId === undefined ? (
          <p class="muted">
            {shown.length === whole.length
              ? `${count(whole.length)} ${list.isWhole ? 'in all' : 'read'}, newest first`
              : `${count(shown.length)} of ${count(whole.length)}`}
          </p>
        ) : (
          <Tabs
            label="Filter"
            items={[
              {
                href: href({ show: undefined }),
                label: 'Left details',
                current: !filter.everyone,
                count: shownOf(people, { ...filter, everyone: false }).length,
              },
              {
                href: href({ show: 'all' }),
                label: 'Everyone',
                current: filter.everyone,
                count: shownOf(people, { ...filter, everyone: true }).length,
              },
            ]}
          />
        )}
        <div class="actions">
          <select class="input filter" aria-label="Status" onChange={(event) => route(href({ status: event.currentTarget.value }), true)}>
            <option value="">Every status</option>
            {Object.entries(followUpWords).map(([value, words]) => (
              <option key={value} value={value} selected={value === filter.followUp}>
                {words}
              </option>
            ))}
          </select>
          <DaysSelect days={filter.days} onChange={(days) => route(href({ days }), true)} />
          <SearchField label="Search people" value={filter.search} onChange={(q) => route(href({ q }), true)} />
        </div>
      </div>
      <SavedViews query={query} href={(kept) => (kept === '' ? base : `${base}?${kept}`)} />
      {shown.length === 0 ? (
        <p class="muted empty">Nobody matches.</p>
      ) : (
        <Table
          caption="People"
          columns={columnsFor((person) => href({ person }), sessionId === undefined)}
          rows={shown}
          rowKey={({ key }) => key}
          rowProps={() => ({ 'data-testid': 'person' })}
        />
      )}
      <Older list={list} what="leads" query={leadsQuery(sessionId)} also="Without a filter, Export CSV has every one." />
      {open !== undefined && <PersonSheet person={open} leads={list.rows} onClose={() => route(href({ person: undefined }), true)} />}
    </>
  )
}

/** Leads come in the server's own file, of which the records that are shown are kept byte for byte; who only watched is in no such file. */
export function ExportPeople({
  people,
  filter,
  sessionId,
  name,
}: {
  people: readonly Person[]
  filter: PeopleFilter
  sessionId?: string
  name: string
}) {
  const shown = shownOf(people, filter)
  const run = async () => {
    if (filter.everyone) return saveFile(name, asCsv(shown), 'text/csv')
    const text = joinFiles(
      await (sessionId === undefined
        ? downloadPages('list_leads', {}, 'text/csv')
        : downloadPages('export_leads', { sessionId }, 'text/csv')),
    )
    const isAll = shown.length === shownOf(people, { everyone: false, search: '', followUp: undefined, days: undefined }).length
    saveFile(name, isAll ? text : keepRecords(text, new Set(shown.flatMap(({ leads }) => leads.map(({ id }) => id)))), 'text/csv')
  }
  return (
    <Button disabled={shown.length === 0} onClick={() => void orToast(run())}>
      <Icon of={Download} />
      Export CSV
    </Button>
  )
}

const asCsv = (people: readonly Person[]): string =>
  csvFrom(
    [
      'name',
      'email',
      'company',
      'last_there',
      'watched_seconds',
      'questions',
      'poll_answers',
      'offer_clicked',
      'status',
      'note',
      ...utmNames.map((part) => `utm_${part}`),
      'unproven',
    ],
    people.map(({ name, leads: [lead], lastAt, watchedSeconds, questions, visits, hasClicked }) => [
      name,
      lead?.email ?? '',
      lead?.company ?? '',
      lastAt,
      watchedSeconds,
      questions.map(({ text }) => text).join(' | '),
      visits.flatMap(({ polls = [] }) => polls.map(({ question, answer }) => `${question} ${answer}`)).join(' | '),
      String(hasClicked),
      lead?.followUp ?? '',
      lead?.hostNote ?? '',
      ...utmNames.map((part) => (lead?.utm ?? visits[0]?.utm)?.[part] ?? ''),
      String(lead?.unproven ?? ''),
    ]),
  )
