// What a person does themselves: sees what a talk asks of who registers, registers, looks at their registration, cancels it, ends mails.
// Whoever has the address of a registration may do with it what its person may.
import { z } from 'zod'
import { brand } from '@rostrum/contract/brand'
import { limits, text } from '@rostrum/contract/fields'
import { languageOf } from '@rostrum/languages/languages'
import { consentTextIn, contactDetails, filled } from '../leads/lead.ts'
import { iso, randomBase32 } from '@rostrum/base/clock'
import type { Reader, Tx } from '../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { changes, open, operation, reads } from '../platform/operation.ts'
import { mailboxOf } from '../platform/mailbox.ts'
import { invalidInput } from '../platform/parse.ts'
import { brandOf } from '../sessions/brand.ts'
import { holdSession, isVouched, roomUrl, type Session } from '../sessions/session.ts'
import { calendarOf, type CalendarEntry, webCalendarUrl } from './calendar.ts'
import { mailSlot } from './ceiling.ts'
import { endedAt, mailboxKey, mailboxKeys } from './ended.ts'
import {
  blank,
  type Consent,
  fillPlaces,
  goingCount,
  idOf,
  isNoticeDue,
  registrationOf,
  type RegistrantRow,
  type RegistrationsDeps,
  remindOne,
  startOf,
  tellOne,
  tokenOf,
} from './registrants.ts'

const noSuchTalk = () => new ServiceError('not_found', 'There is no talk to register for at this address. Ask its host for the link.')
const noSuchRegistration = () => new ServiceError('not_found', 'There is no such registration, or it is no longer kept.')

/** A session that has a page to register on, and somebody who vouches for it: strangers make us write to nobody. */
async function findOpen(db: Reader | Tx, slug: string): Promise<Session> {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where('slug', '=', slug.toLowerCase())
    .where('status', '=', 'published')
    .where('guests', 'is', null)
    .where(isVouched)
    .executeTakeFirst()
  if (row === undefined || registrationOf(row) === null) throw noSuchTalk()
  return row
}

async function isOver(db: Reader | Tx, session: Session): Promise<boolean> {
  const startsAt = startOf(session)
  if (startsAt === null) return false
  const held = db.selectFrom('runs').select('id').where('session_id', '=', session.id).where('kind', '=', 'live')
  return (await held.where('ended_at', '>=', startsAt).limit(1).executeTakeFirst()) !== undefined
}

async function isFull(db: Reader | Tx, session: Session): Promise<boolean> {
  const max = registrationOf(session)?.attendeesMax
  return max !== undefined && (await goingCount(db, session.id)) >= max
}

const consentsFor = ({ consent_text: own, language }: Pick<Session, 'consent_text' | 'language'>) => ({
  registration: own ?? consentTextIn(language),
  recap: languageOf(language).mails.recapConsent,
})

const slug = z.string().min(1).max(100).describe('The slug of the session.')
const asked = z.object({
  title: z.string(),
  description: z.string().optional(),
  language: z.string(),
  startsAt: z.string().optional(),
  timeZone: z.string().optional(),
  asks: z.array(z.enum(['company', 'phone'])),
  question: z.string().optional(),
  isFull: z.boolean().describe('Who registers now waits for a place.'),
  isOver: z.boolean(),
  entry: z.enum(['anyone', 'confirmed']),
  consentText: z.string(),
  recapConsentText: z.string().optional().describe('Absent where no recap is mailed.'),
  isMailed: z.boolean().describe('Whether this service sends mail: the link and the calendar entry then come by it.'),
  brand: brand.optional(),
})
export type RegistrationForm = z.output<typeof asked>

export const viewRegistration = operation({
  name: 'view_registration',
  summary: 'See what a talk asks of who registers',
  access: open,
  limit: 'room',
  input: z.object({ slug }),
  async run(wanted, _call, { store, mail, mediaBase }: RegistrationsDeps): Promise<RegistrationForm> {
    const session = await findOpen(store.read, wanted.slug)
    const { asks, question } = registrationOf(session) ?? { asks: [] }
    const startsAt = startOf(session)
    const consents = consentsFor(session)
    const shown = await brandOf(store.read, session.id, mediaBase)
    return {
      title: session.title,
      ...(session.description !== null && { description: session.description }),
      language: session.language,
      ...(startsAt !== null && { startsAt: iso(startsAt) }),
      ...(session.time_zone !== null && { timeZone: session.time_zone }),
      asks,
      ...(question !== undefined && { question }),
      isFull: await isFull(store.read, session),
      isOver: await isOver(store.read, session),
      entry: session.entry,
      consentText: consents.registration,
      ...(mail !== undefined && startsAt !== null && { recapConsentText: consents.recap }),
      isMailed: mail !== undefined,
      ...(shown && { brand: shown }),
    }
  },
  http: { method: 'GET', path: '/api/v1/rooms/{slug}/registrations', output: asked },
})

const registered = z.object({
  state: z.enum(['going', 'waiting']).describe('`waiting`: all places are taken.'),
  isMailed: z.boolean().describe('True: what follows comes by mail, so that only who reads it can go on.'),
  registrationUrl: z
    .string()
    .optional()
    .describe('Their own page, where no mail is sent. Absent for an address that is registered already.'),
})
export type Registered = z.output<typeof registered>

/** Who is registered already, in whatever spelling of the address. The caller holds the session. */
async function findKnown(tx: Tx, deps: RegistrationsDeps, sessionId: string, email: string): Promise<RegistrantRow | undefined> {
  const key = email.toLowerCase()
  const rows = await tx
    .selectFrom('registrants')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where((row) => row.or([row('email_key', '=', key), row('mailbox', 'in', mailboxKeys(deps, email))]))
    .execute()
  return rows.find((row) => row.email_key === key) ?? rows.find((row) => mailboxOf(row.email) === mailboxOf(email))
}

/** A person who lost the mail registers again and gets another; a stranger fills no mailbox that way. */
const againMs = 10 * 60_000

export const register = operation({
  name: 'register',
  summary: 'Register for a talk',
  description:
    "Only with the person's consent: `consent` says that they agreed to `consentText`. An address that is registered already gets its mail once more, at most every ten minutes, and what was given with it stays; the answer is the same.",
  access: open,
  limit: 'lead',
  errors: ['gone', 'rate_limited'],
  input: z.object({
    slug,
    email: contactDetails.email,
    name: text(limits.name).describe('Full name.'),
    company: contactDetails.company,
    phone: contactDetails.phone,
    answer: text(limits.message).optional().describe('To `question`.'),
    consent: z.literal(true, 'is needed: send true where the person has agreed to `consentText`.'),
    wantsRecap: z.boolean().default(false).describe('Whether they agreed to `recapConsentText`.'),
  }),
  run: (wanted, { now, address }, deps: RegistrationsDeps): Promise<Registered> =>
    deps.store.write(async (tx) => {
      const { id } = await findOpen(tx, wanted.slug)
      const session = await holdSession(tx, id)
      if (session === undefined) throw noSuchTalk()
      if (await isOver(tx, session)) throw new ServiceError('gone', 'This talk is over. Ask the host for the next one.')
      const name = filled(wanted.name)
      if (name === null) throw invalidInput([{ pointer: '#/name', detail: 'is required: send the name of the person.' }])
      const state = (await isFull(tx, session)) ? ('waiting' as const) : ('going' as const)
      const view = { state, isMailed: deps.mail !== undefined }
      const known = await findKnown(tx, deps, id, wanted.email)
      if (known !== undefined && known.state !== 'cancelled') {
        if (known.told !== null && known.mails_off_at === null && known.updated_at <= now - againMs) {
          const slot = await mailSlot(tx, deps, session, { now, address })
          await tx
            .updateTable('registrants')
            .set({ told: null, updated_at: now, ...slot })
            .where('id', '=', known.id)
            .execute()
          await tellOne(tx, deps, known.id, slot.mail_at)
        }
        return view
      }
      const { asks, question } = registrationOf(session) ?? { asks: [] }
      const texts = consentsFor(session)
      const consentTo = (to: Consent['to']): Consent => ({ to, text: texts[to], version: session.consent_version, at: iso(now) })
      const slot = await mailSlot(tx, deps, session, { now, address })
      const row: RegistrantRow = {
        ...blank,
        ...slot,
        id: known?.id ?? deps.ids.uuid(),
        session_id: id,
        email_key: known?.email_key ?? wanted.email.toLowerCase(),
        email: known?.email ?? wanted.email,
        mailbox: mailboxKey(deps, wanted.email),
        mails_off_at: known === undefined ? await endedAt(tx, deps, session, wanted.email) : known.mails_off_at,
        name,
        ...(asks.includes('company') && { company: filled(wanted.company) }),
        ...(asks.includes('phone') && { phone: filled(wanted.phone) }),
        ...(question !== undefined && { answer: filled(wanted.answer) }),
        link_key: known?.link_key ?? randomBase32(deps.ids, 26),
        state,
        wants_recap: wanted.wantsRecap ? 1 : 0,
        consents: JSON.stringify([consentTo('registration'), ...(wanted.wantsRecap ? [consentTo('recap')] : [])]),
        notices: known?.notices ?? 0,
        // Above that of the entry that was called off.
        sequence: known === undefined ? 0 : known.sequence + 1,
        created_at: now,
        updated_at: now,
      }
      if (known === undefined) await tx.insertInto('registrants').values(row).execute()
      else await tx.updateTable('registrants').set(row).where('id', '=', row.id).execute()
      await tellOne(tx, deps, row.id, slot.mail_at)
      await remindOne(tx, deps, row, startOf(session))
      return deps.mail === undefined && known === undefined && session.entry === 'anyone'
        ? { ...view, registrationUrl: pageUrl(deps, row.id) }
        : view
    }),
  http: { method: 'POST', path: '/api/v1/rooms/{slug}/registrations', status: 201, output: registered },
})

export const pageUrl = (deps: Pick<RegistrationsDeps, 'baseUrl' | 'links'>, id: string): string =>
  `${deps.baseUrl}/registration/${tokenOf(deps, id)}`

/** Where their mails are ended and wanted again. */
export const mailsUrl = (deps: Pick<RegistrationsDeps, 'baseUrl' | 'links'>, id: string): string =>
  `${deps.baseUrl}/mails/${tokenOf(deps, id)}`

/** The room by the link that is theirs. */
export const personalUrl = (
  { baseUrl }: Pick<RegistrationsDeps, 'baseUrl'>,
  session: Pick<Session, 'slug'>,
  row: Pick<RegistrantRow, 'link_key'>,
) => `${roomUrl(baseUrl, session.slug)}.${row.link_key}`

/** Their calendar entry of a talk at a set time. */
export async function entryOf(
  deps: Pick<RegistrationsDeps, 'baseUrl' | 'title' | 'mail' | 'minutesOf' | 'links'>,
  row: RegistrantRow,
  talk: { title: string; startsAt: number; url: string; host: string; minutes: number },
  { method, sequence, now }: Pick<CalendarEntry, 'method' | 'sequence' | 'now'>,
): Promise<CalendarEntry> {
  const { title, startsAt, url, host, minutes } = talk
  const sender = deps.mail?.sender
  return {
    uid: `${row.id}@${new URL(deps.baseUrl).hostname}`,
    sequence,
    method,
    startsAt,
    minutes,
    title,
    text: `${url}\n\n${pageUrl(deps, row.id)}`,
    url,
    organizer: sender === undefined ? null : { name: host === '' ? deps.title : host, email: sender },
    attendee: { name: row.name, email: row.email },
    now,
  }
}

const own = z.object({
  title: z.string(),
  language: z.string(),
  name: z.string().optional(),
  state: z.enum(['going', 'waiting', 'cancelled']),
  position: z.number().optional().describe('Among those who wait.'),
  startsAt: z.string().optional(),
  timeZone: z.string().optional(),
  isOver: z.boolean(),
  roomUrl: z.string().optional().describe('Their link to the room; absent while they have no place, and where it comes by mail alone.'),
  webCalendarUrl: z.string().optional(),
  registerUrl: z.string(),
  isMailed: z.boolean().describe('Whether mails of this talk still come to them.'),
  mailsUrl: z.string().optional().describe('Where they end mails and have them again. Absent where this service sends none.'),
  brand: brand.optional(),
})
export type OwnRegistration = z.output<typeof own>

const ofToken = z.object({ token: z.string().min(1).max(300).describe('The last part of the address of a registration.') })

async function ownRow(db: Reader | Tx, deps: RegistrationsDeps, token: string): Promise<RegistrantRow> {
  const id = idOf(deps, token)
  const row = id === null ? undefined : await db.selectFrom('registrants').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw noSuchRegistration()
  return row
}

export const viewOwnRegistration = operation({
  name: 'view_own_registration',
  summary: 'See a registration',
  description: 'For who has its address. `Accept: text/calendar` gives the entry for a calendar.',
  access: open,
  effects: reads,
  limit: 'room',
  input: ofToken,
  secret: true,
  async run({ token }, { now }, deps: RegistrationsDeps) {
    const row = await ownRow(deps.store.read, deps, token)
    const session = await deps.store.read.selectFrom('sessions').selectAll().where('id', '=', row.session_id).executeTakeFirst()
    if (session === undefined) throw noSuchRegistration()
    const startsAt = startOf(session)
    const before = deps.store.read
      .selectFrom('registrants')
      .select((each) => each.fn.countAll<number>().as('count'))
      .where('session_id', '=', session.id)
      .where('state', '=', 'waiting')
      .where((each) =>
        each.or([each('created_at', '<', row.created_at), each.and([each('created_at', '=', row.created_at), each('id', '<=', row.id)])]),
      )
    const url = personalUrl(deps, session, row)
    const talk = { title: session.title, startsAt: startsAt ?? 0, url, host: deps.title, minutes: await deps.minutesOf(session.id) }
    // A change that they have not been told yet is told by this entry.
    const sequence = row.sequence + (row.told !== null && isNoticeDue(row, startsAt, now) ? 1 : 0)
    const entry = await entryOf(deps, row, talk, { method: 'PUBLISH', sequence, now })
    const hasEntry = startsAt !== null && row.state === 'going'
    const shown = await brandOf(deps.store.read, session.id, deps.mediaBase)
    const view: OwnRegistration = {
      title: session.title,
      language: session.language,
      ...(row.name !== null && { name: row.name }),
      state: row.state,
      ...(row.state === 'waiting' && { position: Number((await before.executeTakeFirstOrThrow()).count) }),
      ...(startsAt !== null && { startsAt: iso(startsAt) }),
      ...(session.time_zone !== null && { timeZone: session.time_zone }),
      isOver: await isOver(deps.store.read, session),
      ...(row.state === 'going' && { roomUrl: url }),
      ...(hasEntry && { webCalendarUrl: webCalendarUrl(entry) }),
      registerUrl: `${deps.baseUrl}/register/${session.slug}`,
      isMailed: deps.mail !== undefined && row.mails_off_at === null,
      ...(deps.mail !== undefined && { mailsUrl: mailsUrl(deps, row.id) }),
      ...(shown && { brand: shown }),
    }
    return { view, calendar: hasEntry ? calendarOf(entry) : null }
  },
  http: {
    method: 'GET',
    path: '/api/v1/registrations/{token}',
    output: own,
    view: ({ view }) => view,
    formats: { 'text/calendar': ({ calendar }) => calendar ?? '' },
  },
})

export const cancelRegistration = operation({
  name: 'cancel_registration',
  summary: 'Cancel a registration',
  description: 'For who has its address. The place goes to who has waited longest.',
  access: open,
  effects: changes,
  limit: 'room',
  input: ofToken,
  secret: true,
  run: ({ token }, { now }, deps: RegistrationsDeps) =>
    deps.store.write(async (tx) => {
      const { id, session_id } = await ownRow(tx, deps, token)
      const session = await holdSession(tx, session_id)
      if (session === undefined) throw noSuchRegistration()
      const changed = await tx
        .updateTable('registrants')
        .set({ state: 'cancelled', updated_at: now })
        .where('id', '=', id)
        .where('state', '<>', 'cancelled')
        .returning('id')
        .executeTakeFirst()
      if (changed !== undefined) {
        await tellOne(tx, deps, id)
        await fillPlaces(tx, deps, session, now)
      }
      return { cancelled: true as const }
    }),
  http: { method: 'DELETE', path: '/api/v1/registrations/{token}', output: z.object({ cancelled: z.literal(true) }) },
})
