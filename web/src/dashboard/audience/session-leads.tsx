// The leads of one session.
import { useLocation } from 'preact-iso/router'
import { leadsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { Loaded } from '../parts/loaded.tsx'
import { fileName } from '../parts/save-file.ts'
import { SessionFrame } from '../session/session-frame.tsx'
import { ExportLeads, LeadTable } from './lead-table.tsx'

export function SessionLeads({ id }: { id: string }) {
  const search = useLocation().query['q'] ?? ''
  const leads = useQuery(leadsQuery(id))
  return (
    <SessionFrame
      id={id}
      tab="People"
      actions={({ title }) => <ExportLeads sessionId={id} leads={leads.data?.rows} search={search} name={fileName(title, 'leads.csv')} />}
    >
      {() => (
        <Loaded query={leads}>
          {(list) => <LeadTable list={list} sessionId={id} search={search} base={`/dashboard/sessions/${id}/leads`} />}
        </Loaded>
      )}
    </SessionFrame>
  )
}
