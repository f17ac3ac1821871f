// Everybody who left their details in a talk of the account.
import { useLocation } from 'preact-iso/router'
import { allVisitsQuery, leadsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { peopleFrom } from './people.ts'
import { ExportPeople, filterIn, PeopleScreen } from './people-screen.tsx'

export function AllPeople() {
  const { query } = useLocation()
  const leads = useQuery(leadsQuery())
  const rows = leads.data?.rows ?? []
  const visits = useQuery({ ...allVisitsQuery([...new Set(rows.flatMap(({ sessionId }) => sessionId ?? []))]), enabled: rows.length > 0 })
  const withDetails = peopleFrom(rows, visits.data ?? []).filter((person) => person.leads.length > 0)
  return (
    <>
      <PageHead
        title="People"
        lead="Who left their details in a talk, what they watched and asked, and what they agreed to."
        actions={<ExportPeople people={withDetails} filter={filterIn(query)} name="leads.csv" />}
      />
      <Loaded query={leads} rows={6} shape="talks">
        {(list) => <PeopleScreen people={withDetails} list={list} base="/dashboard/people" />}
      </Loaded>
    </>
  )
}
