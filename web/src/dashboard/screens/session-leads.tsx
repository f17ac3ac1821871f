// The leads of one session.
import { useLocation } from 'preact-iso/router'
import { Loaded } from '../loaded.tsx'
import { leadsQuery } from '../queries.ts'
import { fileName } from '../save-file.ts'
import { SessionFrame } from '../session-frame.tsx'
import { useQuery } from '../use-query.ts'
import { ExportLeads, LeadTable } from './lead-table.tsx'

export function SessionLeads({ id }: { id: string }) {
  const search = useLocation().query['q'] ?? ''
  const leads = useQuery(leadsQuery(id))
  return (
    <SessionFrame
      id={id}
      tab="Leads"
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
