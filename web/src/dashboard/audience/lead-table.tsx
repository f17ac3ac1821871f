// Leads as a table: who, how to reach them, and what they agreed to; search, export of what is shown, erase.
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { call, downloadPages } from '../data/api.ts'
import { leadsPath, leadsQuery, type Listing, sessionPath } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { refresh } from '../data/use-query.ts'
import type { Lead } from '../data/wire.ts'
import { ConfirmName } from '../parts/confirm-name.tsx'
import { joinFiles, keepRecords } from '../parts/csv.ts'
import { count } from '../parts/format.ts'
import { Older } from '../parts/older.tsx'
import { saveFile } from '../parts/save-file.ts'
import { SearchField } from '../parts/search-field.tsx'
import { Time } from '../parts/time.tsx'

const sources: Record<NonNullable<Lead['source']>, string> = {
  form: 'Form',
  conversation: 'In conversation',
  personal_agent: 'Personal agent',
}

const columnsFor = (all: readonly Lead[]): readonly Column<Lead>[] => [
  {
    name: 'name',
    head: 'Name',
    rowHead: true,
    cell: (lead) => (
      <>
        {lead.name === '' ? <span class="muted">No name given</span> : <bdi>{lead.name}</bdi>}
        {lead.repeatOf !== undefined && (
          <p class="lead-repeat" data-testid="lead-repeat">
            Sent by somebody else for the same address. The earlier entry is unchanged.
          </p>
        )}
      </>
    ),
  },
  {
    name: 'email',
    head: 'E-mail',
    cell: (lead) => (
      <span class="lead-email">
        <a href={`mailto:${lead.email}`}>
          <bdi>{lead.email}</bdi>
        </a>
        <Copy dense kind="quiet" value={lead.email} label="Copy" copiedLabel="Copied" failedLabel="Copy by hand" />
      </span>
    ),
  },
  { name: 'company', head: 'Company', cell: (lead) => <bdi>{lead.company}</bdi> },
  { name: 'cta', head: 'CTA', cell: (lead) => (lead.ctaClicked ? 'Clicked' : <span class="muted">No</span>) },
  { name: 'source', head: 'Source', cell: (lead) => (lead.source === undefined ? '' : sources[lead.source]) },
  { name: 'consent', head: 'Consent', cell: (lead) => <Consent lead={lead} /> },
  { name: 'acts', head: 'Actions', hideHead: true, cell: (lead) => <Erase lead={lead} others={othersOf(lead, all)} /> },
]

/** How many other entries there are for the same address in the same session. */
const othersOf = (lead: Lead, all: readonly Lead[]): number =>
  all.filter(({ id, sessionId, email }) => {
    const isSame = sessionId === lead.sessionId && email.toLowerCase() === lead.email.toLowerCase()
    return isSame && id !== lead.id
  }).length

export const leadMatches = (lead: Lead, search: string): boolean =>
  `${lead.name} ${lead.email} ${lead.company} ${lead.notes ?? ''}`.toLowerCase().includes(search.trim().toLowerCase())

export interface LeadTableProps {
  list: Listing<Lead>
  /** Absent for those of the whole account. */
  sessionId?: string
  search: string
  base: string
}

export function LeadTable({ list, sessionId, search, base }: LeadTableProps) {
  const { route } = useLocation()
  const { rows: leads, isWhole } = list
  const shown = leads.filter((lead) => leadMatches(lead, search))
  if (leads.length === 0) {
    return <Empty title="No leads yet" text="People leave their details from the offer card or at the end of the talk." />
  }
  return (
    <>
      <div class="list-bar">
        <p class="muted">
          {shown.length === leads.length
            ? `${count(leads.length)} ${isWhole ? 'in all' : 'read'}, newest first`
            : `${count(shown.length)} of ${count(leads.length)}`}
        </p>
        <SearchField
          label="Search leads"
          value={search}
          onChange={(q) => route(q === '' ? base : `${base}?${new URLSearchParams({ q }).toString()}`, true)}
        />
      </div>
      {shown.length === 0 ? (
        <p class="muted empty">No lead matches.</p>
      ) : (
        <Table caption="Leads" columns={columnsFor(leads)} rows={shown} rowKey={({ id }) => id} />
      )}
      <Older
        list={list}
        what="leads"
        path={leadsPath(sessionId)}
        query={leadsQuery(sessionId)}
        also="Without a search, Export CSV has every one."
      />
    </>
  )
}

/** The server makes the file; a search keeps the records of what is shown, byte for byte. */
export function ExportLeads({
  sessionId,
  leads,
  search,
  name,
}: {
  sessionId?: string
  leads: readonly Lead[] | undefined
  search: string
  name: string
}) {
  const shown = (leads ?? []).filter((lead) => leadMatches(lead, search))
  const run = async () => {
    const text = joinFiles(await downloadPages(leadsPath(sessionId), 'text/csv'))
    const kept = shown.length === leads?.length ? text : keepRecords(text, new Set(shown.map(({ id }) => id)))
    saveFile(name, kept, 'text/csv')
  }
  return (
    <Button disabled={shown.length === 0} onClick={() => void orToast(run())}>
      Export CSV
    </Button>
  )
}

function Consent({ lead }: { lead: Lead }) {
  return (
    <details class="consent">
      <summary>
        <Time at={lead.consentAt ?? lead.created_at} />
      </summary>
      <p class="small">{lead.consentText}</p>
      {(lead.consents ?? []).slice(1).map(({ at, text, source }) => (
        <p key={at} class="small">
          Again, <Time at={at} /> ({sources[source].toLowerCase()}): {text}
        </p>
      ))}
      {lead.phone && <p class="small">Phone: {lead.phone}</p>}
      {lead.notes && (
        <p class="small">
          Notes: <bdi>{lead.notes}</bdi>
        </p>
      )}
    </details>
  )
}

async function erase({ id, sessionId = '' }: Lead, only: boolean): Promise<void> {
  await call('DELETE', sessionPath(sessionId, `/leads/${encodeURIComponent(id)}${only ? '?only=true' : ''}`))
  await Promise.all([refresh('leads'), refresh('session', sessionId, 'leads')])
}

function Erase({ lead, others }: { lead: Lead; others: number }) {
  const [isAsking, setAsking] = useState(false)
  const [only, setOnly] = useState(false)
  return (
    <div class="cell-actions">
      <Button kind="quiet" dense aria-label={`Erase ${lead.email}`} onClick={() => setAsking(true)}>
        Erase
      </Button>
      {isAsking && (
        <ConfirmName
          act="Erase"
          title="Erase this lead?"
          name={lead.email}
          nameLabel="Type the e-mail address"
          onClose={() => setAsking(false)}
          onConfirm={() => erase(lead, only)}
        >
          <p>
            The contact details and the name that this person gave in the room are removed here, from the transcript and from the events
            that told of them. What they asked stays, without a name. <strong>This cannot be undone.</strong>
          </p>
          {others > 0 && (
            <div class="erase-only">
              <Checkbox
                name="only"
                checked={only}
                onChange={setOnly}
                label={`Only this entry. Otherwise all ${others + 1} entries for this address are erased.`}
              />
            </div>
          )}
        </ConfirmName>
      )}
    </div>
  )
}
