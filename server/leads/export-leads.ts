// The leads of one session, and of the whole account, as JSON or CSV (spec 2.6, 4.5 `export_leads`).
import { newestFirst } from '../platform/db/cursor.ts'
import { z } from 'zod'
import { utmNames, uuid } from '@rostrum/contract/fields'
import { type Call, operation, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { ownSession } from '../sessions/session.ts'
import type { LeadsDeps } from './deps.ts'
import { leadRecord, toLeadRecord, wholeLeadRecord } from './lead.ts'
import type { Lead } from './tables.ts'

// Spreadsheets: RFC 4180 with a byte order mark, and no cell that a spreadsheet would run as a formula.

const startsFormula = /^["'\s]*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/u

/** One cell, always quoted; a leading apostrophe disarms what would be read as a formula. */
export function csvCell(value: string): string {
  const safe = startsFormula.test(value) ? `'${value}` : value
  return `"${safe.replaceAll('"', '""')}"`
}

/** A whole file: header and rows, CRLF line ends. */
export function csvFile(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return `\uFEFF${[header, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`
}

const page = {
  limit: z.number().multipleOf(1).min(1).max(1_000).default(1_000).describe('How many to return, 1 to 1,000.'),
  cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
}
const ofSession = z.object({ sessionId: uuid.describe('Id of the session.'), ...page })
const ofAccount = z.object({ sessionId: uuid.describe('Only the leads of this session.').optional(), ...page })

interface Exported {
  sessionId: string | undefined
  rows: readonly Lead[]
  total: number
  /** Of them, marked as unproven. */
  unproven: number
  limit: number
  nextCursor?: string
}

type Wanted = z.output<typeof ofSession> | z.output<typeof ofAccount>

async function list({ sessionId, limit, cursor }: Wanted, call: Call<AccountPrincipal>, deps: LeadsDeps): Promise<Exported> {
  const { accountId } = call.principal
  let matching = deps.store.read.selectFrom('leads').where('account_id', '=', accountId)
  if (sessionId !== undefined) {
    const own = await ownSession(deps.store.read, accountId, sessionId)
    matching = matching.where('session_id', '=', own.id)
  }
  const context = ['leads', accountId, sessionId ?? '']
  const [page, counted] = await Promise.all([
    newestFirst(matching.selectAll(), deps.cursors, { context, cursor, limit, by: 'created_at' }),
    matching
      .select((row) => [
        row.fn.countAll<number>().as('total'),
        row.fn.count<number>('id').filterWhere('proof', '=', 'burst').as('unproven'),
      ])
      .executeTakeFirstOrThrow(),
  ])
  return { ...page, sessionId, total: Number(counted.total), unproven: Number(counted.unproven), limit }
}

const columns = [
  'id',
  'name',
  'email',
  'company',
  'phone',
  'notes',
  'ctaClicked',
  'source',
  'consentAt',
  'consentText',
  'sessionId',
  'created_at',
  'repeatOf',
  'followUp',
  'hostNote',
] as const

function toCsv({ rows }: Exported): string {
  return csvFile(
    [...columns, ...utmNames.map((name) => `utm_${name}`), 'unproven'],
    rows.map((row) => {
      const record = toLeadRecord(row)
      return [
        ...columns.map((column) => String(record[column] ?? '')),
        ...utmNames.map((name) => record.utm?.[name] ?? ''),
        String(record.unproven ?? ''),
      ]
    }),
  )
}

const view = ({ rows, total, nextCursor }: Exported) => ({ leads: rows.map(toLeadRecord), total, nextCursor })
const ofSessionView = (found: Exported) => ({ sessionId: found.sessionId, ...view(found) })
/** A spreadsheet has no place for a cursor: the next page is named where every representation has it (RFC 8288). */
export function nextPage({
  sessionId,
  limit,
  nextCursor,
}: Pick<Exported, 'limit' | 'nextCursor'> & { sessionId?: string | undefined }): Record<string, string> {
  if (nextCursor === undefined) return {}
  const query = new URLSearchParams({ ...(sessionId === undefined ? {} : { sessionId }), limit: String(limit), cursor: nextCursor })
  return { Link: `<?${query.toString()}>; rel="next"` }
}

const burst = z.object({ leads: z.number(), detail: z.string().describe('What to do, in words.') })
const burstOf = ({ unproven: leads }: Exported) =>
  leads === 0
    ? {}
    : {
        burst: {
          leads,
          detail: `${leads === 1 ? '1 lead' : `${leads} leads`} came with so many others within an hour that nobody can say which are real: they are marked as unproven. Look at them before you rely on them, and take the mark off those that you believe.`,
        },
      }
const more = { total: z.number().optional(), nextCursor: z.string().optional() }
const output = z.object({ sessionId: z.string(), leads: z.array(leadRecord), ...more })
const wholeOutput = output.extend({
  leads: z.array(wholeLeadRecord),
  burst: burst.optional().describe('Leads that came in a burst. Absent where none did.'),
})
const formats = { 'text/csv': toCsv }

export const exportLeads = operation({
  name: 'export_leads',
  summary: 'Export the leads of a session',
  description: 'Newest first. `Accept: text/csv` gives a spreadsheet. Where there are more, `Link` names the next page.',
  access: scoped('leads:read'),
  input: ofSession,
  run: list,
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/leads',
    output: wholeOutput,
    view: (found) => ({ ...ofSessionView(found), ...burstOf(found) }),
    formats,
    headers: nextPage,
  },
  tool: {
    title: 'Export leads',
    description:
      'Exports the leads of one of your Rostrum presentations: contact details that attendees gave with consent. Use this when a talk has been held and someone wants to follow up. Personal data: share it only with the host. Needs the scope leads:read.',
    output,
    view: (found) => {
      const { leads, ...rest } = ofSessionView(found)
      return { ...rest, leads: leads.map((lead) => leadRecord.parse(lead)) }
    },
    ui: 'leads',
  },
})

export const listLeads = operation({
  name: 'list_leads',
  summary: 'List the leads of all sessions',
  description: 'Newest first. `Accept: text/csv` gives a spreadsheet. Where there are more, `Link` names the next page.',
  access: scoped('leads:read'),
  errors: ['not_found'],
  input: ofAccount,
  run: list,
  http: {
    method: 'GET',
    path: '/api/v1/agent/leads',
    output: wholeOutput.omit({ sessionId: true }),
    view: (found) => ({ ...view(found), ...burstOf(found) }),
    formats,
    headers: nextPage,
  },
})
