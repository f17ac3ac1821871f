// What a host sees and does: who registered, who came by their link and for how long; takes one off the list; has the people they named
// written to.
import { z } from 'zod'
import { countLimit, uuid } from '@rostrum/contract/fields'
import { sessionId, settingOf } from '@rostrum/contract/session'
import { csvFile, nextPage } from '../leads/export-leads.ts'
import { iso, isoOrNull } from '@rostrum/base/clock'
import { newestFirst } from '../platform/db/cursor.ts'
import type { Reader } from '../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, operation, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { isSessionVouched, ownSession } from '../sessions/session.ts'
import { heldMails, heldOf, isHeld } from './ceiling.ts'
import { endedAt, mailboxKey } from './ended.ts'
import { personalUrl } from './register.ts'
import {
  blank,
  type Consent,
  fillPlaces,
  removeRows,
  type RegistrantRow,
  type RegistrationsDeps,
  remindOne,
  startOf,
  tellOne,
} from './registrants.ts'

const path = '/api/v1/agent/sessions/{sessionId}/registrations'

const record = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  company: z.string().nullable(),
  phone: z.string().nullable(),
  answer: z.string().nullable().describe('To your question.'),
  state: z.enum(['going', 'waiting', 'cancelled']),
  isNamed: z.boolean().describe('You named them and had their link sent.'),
  wantsRecap: z.boolean(),
  consents: z.array(z.object({ to: z.enum(['registration', 'recap']), text: z.string(), version: z.number(), at: z.string() })),
  roomUrl: z.string().describe('The link that is theirs alone; it works while they are `going`.'),
  isTold: z.boolean().describe('What is so now was mailed to them.'),
  mailFailed: z.boolean().describe('The last mail to them was refused.'),
  mailsEnded: z.boolean().describe('They want no more mails of this talk.'),
  mailWaitsUntil: z.string().optional().describe('When their first mail leaves, where it waits because many registered at once.'),
  openedAt: z.string().nullable().describe('When their link was first opened in a browser.'),
  joinedAt: z.string().nullable().describe('When they first entered by it.'),
  secondsInRoom: z.number(),
  createdAt: z.string(),
})
type Registration = z.output<typeof record>

interface Stay {
  joinedAt: number
  ms: number
}

/** Of people who came by a personal link; rehearsals count nowhere. */
async function staysOf(read: Reader, session: string, keys: readonly string[], now: number): Promise<Map<string, Stay>> {
  if (keys.length === 0) return new Map()
  const rows = await read
    .selectFrom('attendees as a')
    .innerJoin('runs as r', 'r.id', 'a.run_id')
    .leftJoin('visits as v', 'v.attendee_id', 'a.id')
    .select(['a.came_by', 'a.created_at', 'v.opened_at', 'v.left_at'])
    .where('a.session_id', '=', session)
    .where('a.came_by', 'in', keys)
    .where('r.kind', '=', 'live')
    .execute()
  const stays = new Map<string, Stay>()
  for (const { came_by: key, created_at, opened_at, left_at } of rows) {
    const before = stays.get(key ?? '') ?? { joinedAt: created_at, ms: 0 }
    const ms = opened_at === null ? 0 : (left_at ?? now) - opened_at
    stays.set(key ?? '', { joinedAt: Math.min(before.joinedAt, created_at), ms: before.ms + ms })
  }
  return stays
}

export const listRegistrations = operation({
  name: 'list_registrations',
  summary: 'List who registered for a session',
  description:
    'Newest first, with those whom you named and had written to. `Accept: text/csv` gives a spreadsheet. Where there are more, `Link` names the next page.',
  access: scoped('leads:read'),
  input: z.object({
    sessionId,
    limit: countLimit(1_000, 1_000).describe('How many to return, 1 to 1,000.'),
    cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  }),
  async run({ sessionId: wanted, limit, cursor }, { principal, now }: Call<AccountPrincipal>, deps: RegistrationsDeps) {
    const { read } = deps.store
    const session = await ownSession(read, principal.accountId, wanted)
    const matching = read.selectFrom('registrants').where('session_id', '=', session.id)
    const context = ['registrations', session.id]
    const { rows, nextCursor } = await newestFirst(matching.selectAll(), deps.cursors, { context, cursor, limit, by: 'created_at' })
    const counted = await matching
      .select((row) => ['state', row.fn.countAll<number>().as('count')])
      .groupBy('state')
      .execute()
    const count = (state: string) => Number(counted.find((each) => each.state === state)?.count ?? 0)
    const stays = await staysOf(
      read,
      session.id,
      rows.map(({ link_key }) => link_key),
      now,
    )
    const view = (row: RegistrantRow): Registration => {
      const stay = stays.get(row.link_key)
      const { id, email, name, company, phone, answer, state } = row
      const isTold = row.told === `${state}:${startOf(session) ?? ''}`
      return {
        id,
        email,
        name,
        company,
        phone,
        answer,
        state,
        isNamed: row.is_named === 1,
        wantsRecap: row.wants_recap === 1,
        // `register` alone writes them.
        consents: JSON.parse(row.consents) as Consent[],
        roomUrl: personalUrl(deps, session, row),
        isTold,
        mailFailed: row.mail_failed_at !== null,
        mailsEnded: row.mails_off_at !== null,
        ...(isHeld(row, now) && { mailWaitsUntil: iso(row.mail_at ?? now) }),
        openedAt: isoOrNull(row.opened_at),
        joinedAt: isoOrNull(stay?.joinedAt ?? null),
        secondsInRoom: Math.round((stay?.ms ?? 0) / 1_000),
        createdAt: iso(row.created_at),
      }
    }
    return {
      registrations: rows.map(view),
      going: count('going'),
      waiting: count('waiting'),
      cancelled: count('cancelled'),
      pageUrl: `${deps.baseUrl}/register/${session.slug}`,
      canMail: deps.mail !== undefined,
      held: await heldOf(read, deps, session.id, now),
      nextCursor,
      limit,
    }
  },
  http: {
    method: 'GET',
    path,
    output: z.object({
      registrations: z.array(record),
      going: z.number(),
      waiting: z.number(),
      cancelled: z.number(),
      pageUrl: z.string().describe('Where people register, while the session is published and has `registration`.'),
      canMail: z.boolean().describe('False: this service sends no mail. The operator sets `ROSTRUM_SMTP_URL`.'),
      held: heldMails.optional().describe('Mails that wait, because many registered at once. Absent where none does.'),
      nextCursor: z.string().optional(),
    }),
    view: ({ limit: _, ...found }) => found,
    headers: ({ limit, nextCursor }) => nextPage({ limit, ...(nextCursor !== undefined && { nextCursor }) }),
    formats: { 'text/csv': ({ registrations }) => toCsv(registrations) },
  },
})

const columns = ['id', 'name', 'email', 'company', 'phone', 'answer', 'state', 'isNamed', 'wantsRecap', 'openedAt', 'joinedAt'] as const
const more = ['secondsInRoom', 'createdAt'] as const

const toCsv = (rows: readonly Registration[]): string =>
  csvFile(
    [...columns, ...more, 'consentText', 'consentAt'],
    rows.map((row) => {
      const [consent] = row.consents
      return [...[...columns, ...more].map((column) => String(row[column] ?? '')), consent?.text ?? '', consent?.at ?? '']
    }),
  )

export const deleteRegistration = operation({
  name: 'delete_registration',
  summary: 'Remove somebody who registered',
  description:
    'Erases what they gave. Who was told that they have a place is told that it is cancelled; it goes to who has waited longest.',
  access: scoped('leads:read', 'sessions:write'),
  input: z.object({ sessionId, registrationId: uuid }),
  run: (wanted, { principal, now }: Call<AccountPrincipal>, deps: RegistrationsDeps) =>
    deps.store.write(async (tx) => {
      const session = await ownSession(tx, principal.accountId, wanted.sessionId)
      const rows = await tx
        .selectFrom('registrants')
        .selectAll()
        .where('session_id', '=', session.id)
        .where('id', '=', wanted.registrationId)
        .execute()
      if (rows.length === 0) throw new ServiceError('not_found', 'Nobody is registered under this id. `GET .../registrations` lists them.')
      await removeRows(tx, deps, rows, session, { occasion: 'cancelled', now })
      await fillPlaces(tx, deps, session, now)
      return { deleted: true as const }
    }),
  http: { method: 'DELETE', path: `${path}/{registrationId}`, output: z.object({ deleted: z.literal(true) }) },
})

export const sendInvitations = operation({
  name: 'send_invitations',
  summary: 'Send the people you named their links',
  description:
    'Each of `guests` gets a mail with the link that is theirs alone, reminders of a talk at a set time, and word when it moves. Nothing is sent before this call. Without `emails` those get one who have none yet; who is named there gets another.',
  access: scoped('sessions:write', 'leads:read'),
  errors: ['forbidden'],
  input: z.object({ sessionId, emails: z.array(z.email().max(254)).min(1).max(500).optional().describe('Of `guests`.') }),
  run: (wanted, { principal, now }: Call<AccountPrincipal>, deps: RegistrationsDeps) =>
    deps.store.write(async (tx) => {
      const session = await ownSession(tx, principal.accountId, wanted.sessionId)
      const fault = (pointer: string, detail: string) => invalidInput([{ pointer, detail }])
      if (deps.mail === undefined)
        throw fault(
          '#',
          'cannot be sent: this service sends no mail. Its operator sets ROSTRUM_SMTP_URL; until then copy the links of `guests`.',
        )
      if (!(await isSessionVouched(tx, session.id)))
        throw new ServiceError('forbidden', 'An agent that nobody has claimed writes to nobody: have it claimed by a person first.')
      if (session.status !== 'published') throw fault('#', 'are sent once the session is published: before that their links open nothing.')
      const guests = settingOf('guests', session) ?? []
      const only = wanted.emails && new Set(wanted.emails.map((email) => email.toLowerCase()))
      const unknown = [...(only ?? [])].find((email) => !guests.some((guest) => guest.email.toLowerCase() === email))
      if (unknown !== undefined) throw fault('#/emails', 'names somebody who is not among `guests` of the session: add them there first.')
      const rows = await tx.selectFrom('registrants').selectAll().where('session_id', '=', session.id).execute()
      const known = new Map(rows.map((row) => [row.email_key, row]))
      let sent = 0
      const fresh = async (email: string) => ({
        ...blank,
        id: deps.ids.uuid(),
        session_id: session.id,
        email_key: email.toLowerCase(),
        mailbox: mailboxKey(deps, email),
        mails_off_at: await endedAt(tx, deps, session, email),
        created_at: now,
      })
      for (const { email, name = null, key = '' } of guests) {
        const emailKey = email.toLowerCase()
        const before = known.get(emailKey)
        if (only === undefined ? before?.is_named === 1 : !only.has(emailKey)) continue
        const row: RegistrantRow = {
          ...(before ?? (await fresh(email))),
          email,
          name,
          link_key: key,
          state: 'going',
          is_named: 1,
          told: null,
          mail_failed_at: null,
          updated_at: now,
        }
        if (before === undefined) await tx.insertInto('registrants').values(row).execute()
        else await tx.updateTable('registrants').set(row).where('id', '=', row.id).execute()
        known.set(emailKey, row)
        if (row.mails_off_at !== null) continue
        await tellOne(tx, deps, row.id)
        await remindOne(tx, deps, row, startOf(session))
        sent++
      }
      return { sent, ended: guests.filter(({ email }) => (known.get(email.toLowerCase())?.mails_off_at ?? null) !== null).length }
    }),
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/invitations',
    status: 202,
    output: z.object({ sent: z.number(), ended: z.number().describe('Of `guests`, who want no more mails and get none.') }),
  },
})
