// `leads`: who asked to be contacted, as a table to sort, download and copy from.
import { useState } from 'preact/hooks'
import { csvFrom } from '../dashboard/parts/csv.ts'
import type { Bridge } from './bridge.ts'
import { Button, Copy, Frame, Problem, Selected, day, toClipboard } from './parts.tsx'
import { useTool } from './use-tool.ts'

interface Lead {
  id: string
  name: string
  email: string
  company: string
  phone?: string
  notes?: string
  ctaClicked: boolean
  created_at: string
  repeatOf?: string
  unproven?: boolean
}

interface Exported {
  sessionId: string
  leads: readonly Lead[]
  total?: number
  nextCursor?: string
}

type Column = 'name' | 'email' | 'company' | 'created_at'
const columns: readonly [Column, string][] = [
  ['name', 'Name'],
  ['email', 'Email'],
  ['company', 'Company'],
  ['created_at', 'Since'],
]

const join = (before: Exported, now: Exported): Exported => ({ ...now, leads: [...before.leads, ...now.leads] })

function toCsv(leads: readonly Lead[]): string {
  const rows = leads.map((lead) => [
    lead.name,
    lead.email,
    lead.company,
    lead.phone ?? '',
    lead.notes ?? '',
    lead.ctaClicked ? 'yes' : 'no',
    lead.created_at,
    lead.repeatOf === undefined ? '' : 'yes',
    lead.unproven === true ? 'yes' : '',
  ])
  return csvFrom(['name', 'email', 'company', 'phone', 'notes', 'ctaClicked', 'created_at', 'sent by somebody else', 'unproven'], rows)
}

export function Leads({ bridge }: { bridge: Bridge }) {
  const { data, status, problem, canCall, isBusy, call, host } = useTool<Exported>(bridge, 'export_leads')
  const [sort, setSort] = useState<{ by: Column; isDown: boolean }>({ by: 'created_at', isDown: true })
  const [csv, setCsv] = useState<string>()
  const sessionId = data?.sessionId ?? host.input?.['sessionId']
  const refresh = canCall && sessionId !== undefined ? () => void call({ sessionId }) : undefined
  if (data === undefined) {
    return (
      <Frame state={status === 'error' ? 'error' : 'loading'} title="Leads">
        <Problem words={problem ?? ''} again={refresh} />
      </Frame>
    )
  }
  const { leads, nextCursor, total = leads.length } = data
  const actions = refresh !== undefined && (
    <Button onPress={refresh} isBusy={isBusy}>
      Refresh
    </Button>
  )
  if (leads.length === 0) {
    return (
      <Frame state="empty" title="Leads" actions={actions}>
        <p class="note">No leads yet. They come when attendees leave their details.</p>
      </Frame>
    )
  }
  const sorted = leads.toSorted((a, b) => a[sort.by].localeCompare(b[sort.by]) * (sort.isDown ? -1 : 1))
  const download = async () => {
    const text = toCsv(sorted)
    const isSaved = await bridge.download('leads.csv', 'text/csv', text)
    const isCopied = !isSaved && (await toClipboard(text))
    setCsv(isSaved || isCopied ? undefined : text)
    bridge.tellModel(`The person took ${leads.length} leads as CSV from the view.`, { sessionId: data.sessionId })
  }
  const order = (by: Column) => setSort({ by, isDown: sort.by === by ? !sort.isDown : false })
  return (
    <Frame state="ready" title="Leads" actions={actions}>
      <p class="facts">
        <span>{leads.length < total ? `${leads.length} of ${total}` : total === 1 ? '1 lead' : `${total} leads`}</span>
      </p>
      <div class="row">
        <Button isMain onPress={() => void download()}>
          Download CSV
        </Button>
        <Copy label="Copy emails" text={sorted.map(({ email }) => email).join(', ')} name="Email addresses" />
      </div>
      {csv !== undefined && <Selected name="CSV" text={csv} />}
      <div class="scroll" role="region" aria-label="Leads" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(([column, label]) => (
                <th key={column} aria-sort={sort.by !== column ? 'none' : sort.isDown ? 'descending' : 'ascending'}>
                  <button type="button" class="plain" onClick={() => order(column)}>
                    {label}
                  </button>
                </th>
              ))}
              <th>Offer</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((lead) => (
              <tr key={lead.id}>
                <td>{lead.name}</td>
                <td>
                  {lead.email}
                  {lead.repeatOf !== undefined && <p class="note">Sent by somebody else for the same address.</p>}
                  {lead.unproven === true && <p class="note">Unproven: came with many others within an hour.</p>}
                </td>
                <td>{lead.company}</td>
                <td>{day(bridge, lead.created_at)}</td>
                <td>{lead.ctaClicked ? 'Clicked' : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {nextCursor !== undefined && canCall && (
        <div class="row">
          <Button isBusy={isBusy} onPress={() => void call({ sessionId, cursor: nextCursor }, join)}>
            More
          </Button>
        </div>
      )}
    </Frame>
  )
}
