// Mails to who registered, as jobs of the one table. A job holds no words: what it says is found when its time has come, so a reminder of a
// talk that was moved, or of a place that was given back, is not sent. Between the word of the mail server and the record of it lies one
// commit: a kill in there has the mail sent again, under the `Message-ID` of the first.
import type { Job, JobKind } from '../platform/db/jobs.ts'
import { addJob } from '../platform/db/jobs.ts'
import { type Reader, ringAfter, type Tx } from '../platform/db/store.ts'
import type { Message } from '../accounts/mail.ts'
import { sql } from 'kysely'
import type { Brand } from '@rostrum/contract/brand'
import { brandOf } from '../sessions/brand.ts'
import { holdSession, type Session } from '../sessions/session.ts'
import { calendarOf } from './calendar.ts'
import { fillMailboxes, goneId } from './ended.ts'
import { harmless, type Letter, messageOf, type Occasion, wordsFor } from './mails.ts'
import { entryOf, mailsUrl, pageUrl, personalUrl } from './register.ts'
import {
  addMails,
  afterKind,
  type Farewell,
  isNoticeDue,
  isUntold,
  mailKind,
  type RegistrantRow,
  type RegistrationsDeps,
  type Reminder,
  reminders,
  startOf,
  stateFor,
  toldStart,
} from './registrants.ts'

const minute = 60_000
/** How late "it begins now" still helps. */
const lateMs = 30 * minute
/** How often, and how long, the end of a talk is looked for. */
const [lookMs, lookMaxMs] = [5 * minute, 24 * 60 * minute]
/** How long a recording may take to be shown. */
const replayWaitMs = 30 * 24 * 60 * minute
export const mailRetryMs = [minute, 6 * minute, 30 * minute]

/** The job is over with what this transaction writes: it is not done twice. One that writes nothing else is over when it resolves. */
export async function done(tx: Tx, job: Job, kind: string): Promise<void> {
  await job.hold(tx)
  await tx.deleteFrom('jobs').where('kind', '=', kind).where('key', '=', job.key).execute()
}

/** Hands over, and writes that down; a fault that may pass fails the job, which is tried again. False: it is given up. */
export async function deliver(deps: RegistrationsDeps, job: Job, key: string, message: Message): Promise<boolean> {
  const fault = (await deps.mail?.handOver(key, message)) ?? null
  if (fault === null) return true
  if (!fault.isFinal && !job.isLast) throw new Error(fault.words)
  deps.warn(fault.words)
  return false
}

/** Behind the last part of its address: of the script or of this run, and with a page, which its host decides. */
async function shownFilm(read: Reader | Tx, sessionId: string, runId: string): Promise<string | undefined> {
  const shown = read.selectFrom('recordings').select('replay_key').where('session_id', '=', sessionId).where('replay_key', 'is not', null)
  const meant = shown.where((row) => row.or([row('run_id', 'is', null), row('run_id', '=', runId)]))
  return (await meant.orderBy('created_at', 'desc').limit(1).executeTakeFirst())?.replay_key ?? undefined
}

/** A recording of a session is shown, in this transaction: who waits for one is told now. */
export async function tellOfReplay(tx: Tx, sessionId: string, now: number): Promise<void> {
  const waiting = tx.updateTable('jobs').set({ due_at: now }).where('kind', '=', mailKind)
  await waiting.where('key', 'like', `replay:${sessionId}:%`).where('due_at', '>', now).execute()
  ringAfter(tx, 'jobs')
}

/** Nothing but the first mail is sent before it. */
const isSilent = (row: RegistrantRow): boolean => row.mails_off_at !== null || isUntold(row)

interface Talk {
  session: Pick<Session, 'id' | 'title' | 'language' | 'slug'>
  timeZone: string | null
  host: string
  brand: Brand | null
  startsAt: number | null
}

export function registrationJobs(deps: RegistrationsDeps): Record<string, JobKind> {
  const { store, clock } = deps

  async function find(id: string) {
    const row = await store.read.selectFrom('registrants').selectAll().where('id', '=', id).executeTakeFirst()
    const session = row && (await store.read.selectFrom('sessions').selectAll().where('id', '=', row.session_id).executeTakeFirst())
    return row && session && { row, session }
  }

  async function talkOf(session: Session): Promise<Talk> {
    const account = await store.read.selectFrom('accounts').select('name').where('id', '=', session.account_id).executeTakeFirst()
    const brand = await brandOf(store.read, session.id, deps.mediaBase)
    return { session, timeZone: session.time_zone, host: brand?.name ?? account?.name ?? '', brand, startsAt: startOf(session) }
  }

  async function letterFor(occasion: Occasion, row: RegistrantRow, talk: Talk, sequence: number): Promise<Letter> {
    const { session, timeZone, startsAt } = talk
    const { language } = session
    // Somebody may have typed this address: it comes from the service, and what a host wrote leads nowhere.
    const isFirst = isUntold(row)
    const [host, brand, title] = isFirst ? ['', null, harmless(session.title)] : [talk.host, talk.brand, session.title]
    const { labels, why, ...words } = wordsFor(occasion, { title, host, language, startsAt, timeZone })
    const url = personalUrl(deps, session, row)
    const isGoing = row.state === 'going' && occasion !== 'off'
    const isOff = occasion === 'off' || occasion === 'cancelled'
    const tells = startsAt !== null && (isOff || ['confirmed', 'promoted', 'moved', 'invited', 'link'].includes(occasion))
    const about = { title, startsAt: startsAt ?? 0, url, host, minutes: await deps.minutesOf(session.id) }
    const method = isOff ? ('CANCEL' as const) : ('REQUEST' as const)
    const entry = tells ? await entryOf(deps, row, about, { method, sequence, now: clock.now() }) : null
    return {
      to: row.email,
      language,
      ...words,
      links: [
        ...(isGoing && !isOff ? [{ label: labels.enter, url }] : []),
        ...(isOff ? [] : [{ label: labels.own, url: pageUrl(deps, row.id) }]),
        ...(occasion === 'cancelled' && row.is_named === 0
          ? [{ label: labels.again, url: `${deps.baseUrl}/register/${session.slug}` }]
          : []),
      ],
      foot: [why],
      stop: { label: labels.stop, url: mailsUrl(deps, row.id) },
      from: host === '' ? deps.title : host,
      brand,
      ...(entry && { icalEvent: { method, content: calendarOf(entry) } }),
    }
  }

  /** What they know and what is so differ: they are told what is so. */
  async function notice(job: Job, id: string): Promise<{ againAt: number } | void> {
    const found = await store.write(async (tx) => {
      const row = await tx.selectFrom('registrants').selectAll().where('id', '=', id).executeTakeFirst()
      // Whoever changes a session holds it: what comes after this look finds no job, and adds one.
      const session = row && (await holdSession(tx, row.session_id))
      if (session && isNoticeDue(row, startOf(session), clock.now())) return { row, session }
      await done(tx, job, mailKind)
      return undefined
    })
    if (found === undefined) return
    const { row, session } = found
    const startsAt = startOf(session)
    const state = stateFor(row, startsAt)
    const occasion = occasionOf(row, startsAt)
    const isOff = occasion === 'off' || occasion === 'cancelled'
    const isKnown = toldStart(row.told) !== null || row.sequence > 0
    const sequence = row.sequence + (row.told !== null && isKnown && row.told !== state ? 1 : 0)
    const talk = await talkOf(session)
    // An entry is called off by the time under which it is known.
    const letter = await letterFor(occasion, row, isOff ? { ...talk, startsAt: toldStart(row.told) } : talk, sequence)
    const isTaken = await deliver(deps, job, `${row.id}.${row.notices + 1}.${state.replace(':', '')}`, messageOf(letter))
    return store.write(async (tx) => {
      const current = await holdSession(tx, row.session_id)
      const set = isTaken ? { told: state, sequence, notices: row.notices + 1, mail_failed_at: null } : { mail_failed_at: clock.now() }
      const after = await tx.updateTable('registrants').set(set).where('id', '=', id).returningAll().executeTakeFirst()
      if (isTaken && after && current && isNoticeDue(after, startOf(current), clock.now())) return { againAt: clock.now() + minute }
      await done(tx, job, mailKind)
      return undefined
    })
  }

  async function remind(job: Job, step: Reminder, at: number, id: string): Promise<void> {
    const found = await find(id)
    if (found === undefined || found.row.state !== 'going' || isSilent(found.row) || startOf(found.session) !== at) return
    const now = clock.now()
    // One that comes so late that the next is due says nothing more.
    const until = step === 'day' ? at - reminders.hour : step === 'hour' ? at : at + lateMs
    if (now >= until) return
    const letter = await letterFor(step === 'now' ? 'now' : 'reminder', found.row, await talkOf(found.session), 0)
    await deliver(deps, job, `${id}.${step}.${at}`, messageOf(letter))
  }

  async function recap(job: Job, runId: string, id: string): Promise<void> {
    const found = await find(id)
    if (found === undefined || found.row.wants_recap === 0 || isSilent(found.row)) return
    const { row, session } = found
    const attendeeId = await store.write((tx) => seatOf(tx, row, runId))
    const talk = await talkOf(session)
    const { labels } = wordsFor('recap', { ...talk, title: session.title, language: session.language })
    const film = await shownFilm(store.read, session.id, runId)
    const links = [
      { label: labels.recap, url: deps.recapUrl(attendeeId) },
      ...(film === undefined ? [] : [{ label: labels.film, url: `${deps.baseUrl}/replay/${film}` }]),
    ]
    await deliver(deps, job, `${id}.recap.${runId}`, messageOf({ ...(await letterFor('recap', row, talk, 0)), links }))
    await store.write(async (tx) => {
      await done(tx, job, mailKind)
      if (film !== undefined || (await holdSession(tx, session.id)) === undefined) return
      // One that was shown meanwhile woke nobody.
      const isShown = (await shownFilm(tx, session.id, runId)) !== undefined
      await addJob(tx, mailKind, { key: `replay:${session.id}:${runId}:${id}`, dueAt: clock.now() + (isShown ? 0 : replayWaitMs) })
    })
  }

  /** The recap had no recording yet. Where none was shown in all that time, nothing is said. */
  async function replay(job: Job, runId: string, id: string): Promise<void> {
    const found = await find(id)
    if (found === undefined || found.row.wants_recap === 0 || isSilent(found.row)) return
    const { row, session } = found
    const film = await shownFilm(store.read, session.id, runId)
    if (film === undefined) return
    const letter = await letterFor('replay', row, await talkOf(session), 0)
    const { labels } = wordsFor('replay', { title: session.title, host: '', language: session.language, startsAt: null, timeZone: null })
    const links = [{ label: labels.film, url: `${deps.baseUrl}/replay/${film}` }]
    await deliver(deps, job, `${id}.replay.${runId}`, messageOf({ ...letter, links }))
  }

  /** Who was not there, or came without their link, has a seat of their own in the log: it makes no visit, and opens the recap. */
  async function seatOf(tx: Tx, row: RegistrantRow, runId: string): Promise<string> {
    const seats = tx.selectFrom('attendees').select('id').where('run_id', '=', runId).where('session_id', '=', row.session_id)
    const came = await seats.where('came_by', '=', row.link_key).orderBy('created_at').limit(1).executeTakeFirst()
    if (came !== undefined) return came.id
    await tx
      .insertInto('attendees')
      .values({
        id: row.id,
        run_id: runId,
        session_id: row.session_id,
        token_hash: `absent ${row.id}`,
        kind: 'absent',
        created_at: clock.now(),
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ run_id: runId, recap_ended_at: null }))
      .execute()
    return row.id
  }

  async function farewell(job: Job, data: string): Promise<void> {
    const opened = deps.vault.open(Buffer.from(data, 'base64'), job.key)
    if (opened === undefined) return deps.warn('A mail cannot be opened: is ROSTRUM_SECRET the one it was written with?')
    // Sealed by `removeRows`.
    const { row, occasion, title, language, timeZone, host, accountId } = JSON.parse(opened.toString()) as Farewell
    const talk = { session: { id: row.session_id, title, language, slug: '' }, timeZone, host, brand: null, startsAt: toldStart(row.told) }
    const letter = await letterFor(occasion, { ...row, is_named: 1 }, talk, row.sequence + 1)
    const { session_id: sessionId, email } = row
    // Their registration is gone, and they can end mails all the same.
    const stop = accountId !== undefined && { ...letter.stop, url: mailsUrl(deps, goneId(deps, { accountId, sessionId, email })) }
    await deliver(deps, job, `${row.id}.gone`, messageOf({ ...letter, ...(stop && { stop }) }))
  }

  /** Once the talk has ended, those who agreed are sent what it covered. */
  async function after(job: Job): Promise<{ againAt: number } | void> {
    const [at = '', sessionId = ''] = job.key.split(':')
    const startsAt = Number(at)
    const session = await store.read.selectFrom('sessions').select('starts_at').where('id', '=', sessionId).executeTakeFirst()
    if (session?.starts_at !== startsAt) return
    const held = store.read.selectFrom('runs').select('id').where('session_id', '=', sessionId).where('kind', '=', 'live')
    const run = await held
      .where('started_at', 'is not', null)
      .where('ended_at', '>=', startsAt)
      .orderBy('ended_at')
      .limit(1)
      .executeTakeFirst()
    const now = clock.now()
    if (run === undefined) return now > startsAt + lookMaxMs ? undefined : { againAt: now + lookMs }
    await store.write(async (tx) => {
      await addMails(tx, sessionId, `recap:${run.id}`, now, sql<boolean>`wants_recap = 1 AND state = 'going'`)
      await done(tx, job, afterKind)
    })
  }

  return {
    [mailKind]: {
      retryMs: mailRetryMs,
      async run(job) {
        const [what = '', ...rest] = job.key.split(':')
        const id = rest.at(-1) ?? ''
        if (what === 'told') return notice(job, id)
        if (what === 'gone') return farewell(job, job.data)
        if (what === 'recap') return recap(job, rest[0] ?? '', id)
        if (what === 'replay') return replay(job, rest[1] ?? '', id)
        if (what in reminders) return remind(job, what as Reminder, Number(rest[0]), id)
      },
    },
    [afterKind]: { run: after },
    mailboxes: { everyMs: 10 * minute, run: () => fillMailboxes(deps) },
  }
}

function occasionOf(row: RegistrantRow, startsAt: number | null): Occasion {
  const [before, at] = (row.told ?? ':').split(':')
  if (row.state === 'cancelled') return 'cancelled'
  if (before !== '' && at !== '' && startsAt === null) return 'off'
  if (row.state === 'waiting') return before === 'waiting' ? 'moved' : 'waiting'
  if (before === 'waiting') return 'promoted'
  if (before === 'going') return 'moved'
  return row.is_named === 1 ? 'invited' : startsAt === null ? 'link' : 'confirmed'
}
