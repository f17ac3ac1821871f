// Everybody who came to a talk or left their details there.
import { useLocation } from 'preact-iso/router'
import { leadsQuery, visitsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { Loaded } from '../parts/loaded.tsx'
import { fileName } from '../parts/save-file.ts'
import { SessionFrame } from '../session/session-frame.tsx'
import { peopleFrom } from './people.ts'
import { ExportPeople, filterIn, PeopleScreen } from './people-screen.tsx'

export function SessionPeople({ id }: { id: string }) {
  const { query } = useLocation()
  const leads = useQuery(leadsQuery(id))
  const visits = useQuery(visitsQuery(id))
  const people = peopleFrom(leads.data?.rows ?? [], visits.data?.rows ?? [])
  return (
    <SessionFrame
      id={id}
      tab="People"
      actions={({ title }) => <ExportPeople sessionId={id} people={people} filter={filterIn(query)} name={fileName(title, 'leads.csv')} />}
    >
      {() => (
        <Loaded query={leads} rows={6} shape="talks">
          {(list) => (
            <Loaded query={visits} rows={6} shape="talks">
              {() => <PeopleScreen people={people} list={list} sessionId={id} base={`/dashboard/sessions/${id}/people`} />}
            </Loaded>
          )}
        </Loaded>
      )}
    </SessionFrame>
  )
}
