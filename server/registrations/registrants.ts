// People of a talk before and after it: who registered, who waits for a place, whom the host named and wrote to; and what they are told.
// A row says what its person was last told (`told`). What should be told follows from the session as it is, so a mail is due where the two
// differ: nobody hears of a change that was taken back, and a kill at any moment leaves the same mail due.
import { sql } from 'kysely'
import { columnsOf, settingOf, type Settings } from '@rostrum/contract/session'
import type { Signer } from '../accounts/cookies.ts'
import type { MailLine } from '../accounts/mail.ts'
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Cursors } from '../platform/db/cursor.ts'
import { addJob } from '../platform/db/jobs.ts'
import { ringAfter, type Store, type Tx } from '../platform/db/store.ts'
import type { Vault } from '../platform/vault.ts'
import type { AddressesFound } from '../leads/deps.ts'
import { domainsOf, mailboxOf } from '../platform/mailbox.ts'
import { holdSession, type Session } from '../sessions/session.ts'
import { forgetEnds, keepEndsOf } from './ended.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    registrants: RegistrantRow
    mail_choices: MailChoiceRow
  }
}

export interface RegistrantRow {
  id: string
  session_id: string
  /** Lower case: one row for a session and an address. */
  email_key: string
  email: string
  name: string | null
  company: string | null
  phone: string | null
  /** To the question of the host. */
  answer: string | null
  /** Behind the dot of their link to the room. */
  link_key: string
  /** `waiting`: for a place. */
  state: 'going' | 'waiting' | 'cancelled'
  /** 1: named by the host, who had the link sent. */
  is_named: number
  wants_recap: number
  /** JSON `Consent[]`; empty for who was named. */
  consents: string
  /** `<state>:<start of the talk>`, as the last mail said it; null before the first. */
  told: string | null
  /** How many such mails the server has taken. */
  notices: number
  /** `SEQUENCE` of their calendar entry: rises with each change that they are told. */
  sequence: number
  /** When they wanted no further mail of this talk. */
  mails_off_at: number | null
  /** When the server refused a mail to them for good. */
  mail_failed_at: number | null
  /** When a browser first opened their link. */
  opened_at: number | null
  /** Who reads the address (`mailboxKey`). Null in rows of an older version, until `fillMailboxes`. */
  mailbox: string | null
  /** When the first mail to who registered themselves may leave; and a keyed hash of their network, of one day. */
  mail_at: number | null
  came_from: string | null
  /** Who waits is given a place in this order; renewed with a registration after a cancellation. */
  created_at: number
  updated_at: number
}

/** Of a row that nothing has happened to. */
export const blank = {
  company: null,
  phone: null,
  answer: null,
  is_named: 0,
  wants_recap: 0,
  consents: '[]',
  told: null,
  notices: 0,
  sequence: 0,
  mails_off_at: null,
  mail_failed_at: null,
  opened_at: null,
  mailbox: null,
  mail_at: null,
  came_from: null,
} as const satisfies Partial<RegistrantRow>

export interface Consent {
  to: 'registration' | 'recap'
  text: string
  version: number
  at: string
}

/** Which mails a person of an account wants; absent: an owner both, others none. */
export interface MailChoiceRow {
  account_id: string
  user_id: string
  leads: number
  questions: number
  /** Up to when they were told of questions. */
  digested_at: number
}

export interface RegistrationsDeps {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  baseUrl: string
  /** The name of this service. */
  title: string
  /** Absent where the service sends no mail: then nothing waits to be sent either. */
  mail?: MailLine
  /** People who registered themselves that a talk writes to in an hour; null: no limit. */
  mailsMax: number | null
  /** Signs the addresses under which a person finds, changes and ends what is theirs. */
  links: Signer
  vault: Vault
  /** How long the talk takes at its own pace. */
  minutesOf(sessionId: string): Promise<number>
  recapUrl(attendeeId: string): string
  mediaBase: string
  warn(words: string): void
}

export const mailKind = 'registration-mail'
export const afterKind = 'registration-after'

const minute = 60_000
/** A change that the host takes back within it is told to nobody. */
const settleMs = 2 * minute
/** Before the start; `now` with it. */
export const reminders = { day: 24 * 60 * minute, hour: 60 * minute, now: 0 } as const
export type Reminder = keyof typeof reminders

/** A broadcast at a set time that people can come to; null where there is none. */
export function startOf(session: Pick<Session, 'status' | 'mode' | 'start_policy' | 'starts_at'>): number | null {
  const isSet = session.status === 'published' && session.mode === 'broadcast' && session.start_policy === 'scheduled'
  return isSet ? session.starts_at : null
}

/** Null: there is no page to register on. */
export function registrationOf(session: Session): NonNullable<Settings['registration']> | null {
  return settingOf('registration', session) ?? (session.entry === 'confirmed' ? { asks: [] } : null)
}

export const stateFor = ({ state }: Pick<RegistrantRow, 'state'>, startsAt: number | null): string => `${state}:${startsAt ?? ''}`
export const toldStart = (told: string | null): number | null => Number(told?.split(':')[1] ?? '') || null

/** A talk that was held at the time that was told is called off by nothing. */
export function isNoticeDue(row: RegistrantRow, startsAt: number | null, now: number): boolean {
  if (row.mails_off_at !== null || stateFor(row, startsAt) === row.told) return false
  const before = toldStart(row.told)
  if (row.state === 'cancelled') return row.told?.startsWith('going') === true && (before === null || before > now)
  return before === null || before > now || (startsAt ?? 0) > now
}

/** Of a job: what it is, and of whom. */
export const noticeKey = (id: string): string => `told:${id}`

/** To be told what differs from what they know, where mails leave. */
export async function tellOne(tx: Tx, { mail, clock }: Pick<RegistrationsDeps, 'mail' | 'clock'>, id: string, dueAt = clock.now()) {
  if (mail !== undefined) await addJob(tx, mailKind, { key: noticeKey(id), dueAt })
}

/** Who registered themselves and has had no mail yet: until it has left, nothing else is mailed, and it holds no words of the host. */
export const isUntold = ({ told, is_named }: Pick<RegistrantRow, 'told' | 'is_named'>): boolean => told === null && is_named === 0

/** Reminders of one talk, and the look after its end; those whose time has come are not begun any more. */
export async function remindOne(tx: Tx, deps: Pick<RegistrationsDeps, 'mail' | 'clock'>, row: RegistrantRow, startsAt: number | null) {
  if (deps.mail === undefined || startsAt === null) return
  const jobs = ahead(startsAt, deps.clock.now()).map(([step, dueAt]) => ({ key: `${step}:${startsAt}:${row.id}`, dueAt }))
  await addJob(tx, mailKind, ...jobs)
  await addJob(tx, afterKind, { key: `${startsAt}:${row.session_id}`, dueAt: startsAt + minute })
}

const ahead = (startsAt: number, now: number): [Reminder, number][] =>
  Object.entries(reminders)
    .map(([step, before]): [Reminder, number] => [step as Reminder, startsAt - before])
    .filter(([, dueAt]) => dueAt > now)

/** One job for each row that `who` finds, in one statement however many they are. */
export async function addMails(tx: Tx, sessionId: string, prefix: string, dueAt: number, isMeant = sql<boolean>`state <> 'cancelled'`) {
  await sql`INSERT INTO jobs (kind, key, data, due_at, failures, lease_token)
    SELECT ${mailKind}, ${prefix} || ':' || id, '', CAST(${dueAt} AS BIGINT), 0, NULL FROM registrants
    WHERE session_id = ${sessionId} AND mails_off_at IS NULL AND ${isMeant}
    ON CONFLICT DO NOTHING`.execute(tx)
  ringAfter(tx, 'jobs')
}

/** Places that are free go to those who have waited longest. The caller holds the session. */
export async function fillPlaces(tx: Tx, deps: RegistrationsDeps, session: Session, now: number): Promise<void> {
  const max = registrationOf(session)?.attendeesMax
  const waiting = tx.selectFrom('registrants').select('id').where('session_id', '=', session.id).where('state', '=', 'waiting')
  const free = max === undefined ? undefined : max - (await goingCount(tx, session.id))
  if (free !== undefined && free <= 0) return
  const next = waiting.orderBy('created_at').orderBy('id')
  for (const { id } of await (free === undefined ? next : next.limit(free)).execute()) {
    await tx.updateTable('registrants').set({ state: 'going', updated_at: now }).where('id', '=', id).execute()
    await tellOne(tx, deps, id)
  }
}

export async function goingCount(tx: Tx | Store['read'], sessionId: string): Promise<number> {
  const counted = await tx
    .selectFrom('registrants')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('session_id', '=', sessionId)
    .where('state', '=', 'going')
    .executeTakeFirstOrThrow()
  return Number(counted.count)
}

/** The session has changed, in this transaction: what was told may hold no longer, the time of reminders neither, and there may be places. */
export async function sessionChanged(tx: Tx, deps: RegistrationsDeps, sessionId: string, now: number): Promise<void> {
  const any = await tx.selectFrom('registrants').select('id').where('session_id', '=', sessionId).limit(1).executeTakeFirst()
  const session = any === undefined ? undefined : await holdSession(tx, sessionId)
  if (session === undefined) return
  const named = settingOf('guests', session)?.map(({ email }) => email.toLowerCase())
  if (named !== undefined) {
    const gone = tx.selectFrom('registrants').selectAll().where('session_id', '=', sessionId).where('is_named', '=', 1)
    const rows = (await gone.execute()).filter(({ email_key }) => !named.includes(email_key))
    await removeRows(tx, deps, rows, session, { occasion: 'cancelled', now })
  }
  await fillPlaces(tx, deps, session, now)
  if (deps.mail === undefined) return
  const startsAt = startOf(session)
  await addMails(
    tx,
    sessionId,
    'told',
    now + settleMs,
    sql<boolean>`told IS NOT NULL AND told <> state || ':' || ${String(startsAt ?? '')}`,
  )
  if (startsAt === null || startsAt <= now) return
  for (const [step, dueAt] of ahead(startsAt, now)) await addMails(tx, sessionId, `${step}:${startsAt}`, dueAt)
  await addJob(tx, afterKind, { key: `${startsAt}:${sessionId}`, dueAt: startsAt + minute })
}

/** What a mail needs that is sent when its row, or its session, is there no longer. */
export interface Farewell {
  row: RegistrantRow
  occasion: 'off' | 'cancelled'
  title: string
  language: string
  timeZone: string | null
  host: string
  /** Absent in those of an older version. */
  accountId?: string
}

/** Who was told a time that is still to come hears that it holds no longer; then the rows go, and their mails that wait. */
export async function removeRows(
  tx: Tx,
  deps: RegistrationsDeps,
  rows: readonly RegistrantRow[],
  session: Session,
  { occasion, now }: Pick<Farewell, 'occasion'> & { now: number },
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const account = await tx.selectFrom('accounts').select('name').where('id', '=', session.account_id).executeTakeFirst()
  const { title, language, time_zone: timeZone } = session
  const isTold = (row: RegistrantRow) =>
    row.told?.startsWith('going') === true && (toldStart(row.told) ?? 0) > now && row.mails_off_at === null
  if (deps.mail !== undefined)
    await addJob(
      tx,
      mailKind,
      ...rows.filter(isTold).map((row) => {
        const key = `gone:${row.id}`
        const farewell: Farewell = { row, occasion, title, language, timeZone, host: account?.name ?? '', accountId: session.account_id }
        return { key, dueAt: now, data: Buffer.from(deps.vault.seal(Buffer.from(JSON.stringify(farewell)), key)).toString('base64') }
      }),
    )
  await keepEndsOf(tx, deps, rows, session)
  for (let at = 0; at < rows.length; at += 500) {
    const ids = rows.slice(at, at + 500).map(({ id }) => id)
    await tx.deleteFrom('registrants').where('id', 'in', ids).execute()
  }
}

/** Those of a session that is deleted. */
export async function forget(tx: Tx, deps: RegistrationsDeps, sessionId: string, now: number): Promise<void> {
  const session = await holdSession(tx, sessionId)
  const rows = await tx.selectFrom('registrants').selectAll().where('session_id', '=', sessionId).execute()
  if (session !== undefined) await removeRows(tx, deps, rows, session, { occasion: 'off', now })
  if (session !== undefined) await forgetEnds(tx, session)
}

/** With the lead of an address its registration goes, and its name among those who may come. The caller holds the session. */
export async function eraseAddress(
  tx: Tx,
  deps: RegistrationsDeps,
  { sessionId, emailKey }: { sessionId: string; emailKey: string },
  now: number,
): Promise<void> {
  const session = await holdSession(tx, sessionId)
  const rows = await tx
    .selectFrom('registrants')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('email_key', '=', emailKey)
    .execute()
  if (session === undefined) return
  await removeRows(tx, deps, rows, session, { occasion: 'cancelled', now })
  if (rows.length > 0) await fillPlaces(tx, deps, session, now)
  const named = settingOf('guests', session)
  const guests = named?.filter(({ email }) => email.toLowerCase() !== emailKey)
  // An empty list still keeps everybody else out.
  if (guests !== undefined && guests.length < (named?.length ?? 0))
    await tx.updateTable('sessions').set(columnsOf({ guests })).where('id', '=', sessionId).execute()
}

/** Where an account keeps somebody by an address: as registered, as named; and the seats of who came by their link. */
export async function addressesOf(tx: Tx, accountId: string, email: string): Promise<AddressesFound> {
  const isSame = (other: string) => mailboxOf(other) === mailboxOf(email)
  const known = await tx
    .selectFrom('registrants as r')
    .innerJoin('sessions as s', 's.id', 'r.session_id')
    .select(['r.session_id as sessionId', 'r.email_key as emailKey', 'r.link_key'])
    .where('s.account_id', '=', accountId)
    .where((row) => row.or(domainsOf(email).map((domain) => row('r.email_key', 'like', `%@${domain}`))))
    .execute()
  const own = known.filter(({ emailKey }) => isSame(emailKey))
  const naming = await tx
    .selectFrom('sessions')
    .select(['id', 'guests'])
    .where('account_id', '=', accountId)
    .where('guests', 'is not', null)
    .execute()
  const guests = naming.flatMap(({ id: sessionId, guests: list }) =>
    (settingOf('guests', { guests: list }) ?? [])
      .filter((guest) => isSame(guest.email))
      .map(({ email: named, key = '' }) => ({ sessionId, emailKey: named.toLowerCase(), link_key: key })),
  )
  const addresses = [...own, ...guests]
  const seats: AddressesFound['seats'] = []
  for (const { sessionId, link_key } of addresses) {
    const came = tx.selectFrom('attendees').select(['id as attendeeId', 'run_id as runId']).where('session_id', '=', sessionId)
    if (link_key !== '') seats.push(...(await came.where('came_by', '=', link_key).execute()))
  }
  return { addresses, seats }
}

/** A browser has opened the page of a room by somebody's link. */
export async function noteOpened(store: Store, roomKey: string, now: number): Promise<void> {
  const key = roomKey.toLowerCase().split('.')[1] ?? ''
  const unopened = store.read.selectFrom('registrants').select('id').where('link_key', '=', key).where('opened_at', 'is', null)
  const row = await unopened.executeTakeFirst()
  if (row !== undefined) await store.write((tx) => tx.updateTable('registrants').set({ opened_at: now }).where('id', '=', row.id).execute())
}

/** The last part of an address of theirs: who has it may see, cancel and end mails, and nothing more. */
export const tokenOf = ({ links }: Pick<RegistrationsDeps, 'links'>, id: string): string => `${id}.${links.sign(id)}`

export function idOf({ links }: Pick<RegistrationsDeps, 'links'>, token: string): string | null {
  const at = token.lastIndexOf('.')
  const id = token.slice(0, Math.max(0, at))
  return at > 0 && links.verify(id, token.slice(at + 1)) ? id : null
}
