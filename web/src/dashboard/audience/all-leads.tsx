// The leads of every session of the account.
import { useLocation } from 'preact-iso/router'
import { leadsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { ExportLeads, LeadTable } from './lead-table.tsx'

export function AllLeads() {
  const search = useLocation().query['q'] ?? ''
  const leads = useQuery(leadsQuery())
  return (
    <>
      <PageHead
        title="People"
        lead="People who left their details, with what they agreed to."
        actions={<ExportLeads leads={leads.data?.rows} search={search} name="leads.csv" />}
      />
      <Loaded query={leads}>{(list) => <LeadTable list={list} search={search} base="/dashboard/leads" />}</Loaded>
    </>
  )
}
