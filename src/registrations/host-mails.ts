// Mails to the people of an account: a lead came, and once a day what the deck did not answer. Each chooses which; an owner who has chosen
// nothing gets both.
import { z } from 'zod'
import { type AnalyticsDeps, summariesOf } from '../analytics/get-session-analytics.ts'
import { addJob, type Job, type JobKind } from '../platform/db/jobs.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import { operation, signedIn } from '../platform/operation.ts'
import { quoted } from '../accounts/mail.ts'
import { deliver, mailRetryMs } from './mail-jobs.ts'
import { type Letter, messageOf } from './mails.ts'
import { type MailChoiceRow, type RegistrationsDeps, tokenOf } from './registrants.ts'

const hostKind = 'host-mail'
const digestKind = 'digests'
const minute = 60_000
const day = 24 * 60 * minute
/** Leads that come within it are one mail. */
const leadsMs = 5 * minute
/** Until what was written in a span is read. */
const graceMs = 5_000
const namedMax = 20

type Choice = 'leads' | 'questions'

/** In the transaction that writes the lead: a mail to each who wants it. */
export async function leadCame(tx: Tx, { mail }: Pick<RegistrationsDeps, 'mail'>, sessionId: string, now: number): Promise<void> {
  if (mail === undefined) return
  const from = now - (now % leadsMs)
  const account = tx.selectFrom('sessions').select('account_id').where('id', '=', sessionId)
  const people = (await peopleOf(tx).where('m.account_id', '=', account).execute()).filter((person) => wants(person, 'leads'))
  const jobs = people.map(({ user_id }) => ({ key: `lead:${sessionId}:${from}:${user_id}`, dueAt: from + leadsMs + graceMs }))
  await addJob(tx, hostKind, ...jobs)
}

const peopleOf = (db: Store['read'] | Tx) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .leftJoin('mail_choices as c', (join) => join.onRef('c.account_id', '=', 'm.account_id').onRef('c.user_id', '=', 'm.user_id'))
    .select(['m.account_id', 'm.user_id', 'm.role', 'u.email', 'c.leads', 'c.questions', 'c.digested_at'])
    .where('u.disabled_at', 'is', null)
    .where('u.email_verified_at', 'is not', null)

const personOf = (db: Store['read'] | Tx, { accountId, userId }: { accountId: string; userId: string }) =>
  peopleOf(db).where('m.account_id', '=', accountId).where('m.user_id', '=', userId).executeTakeFirst()

const wants = (person: { role: string; leads: number | null; questions: number | null }, kind: Choice): boolean =>
  (person[kind] ?? (person.role === 'owner' ? 1 : 0)) === 1

async function choose(
  tx: Tx,
  whose: { accountId: string; userId: string },
  chosen: { [Kind in Choice]?: boolean | undefined },
  now: number,
) {
  const person = await personOf(tx, whose)
  if (person === undefined) return undefined
  const bit = (kind: Choice) => Number(chosen[kind] ?? wants(person, kind))
  const row: MailChoiceRow = {
    account_id: whose.accountId,
    user_id: whose.userId,
    leads: bit('leads'),
    questions: bit('questions'),
    digested_at: person.digested_at ?? now,
  }
  await tx
    .insertInto('mail_choices')
    .values(row)
    .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doUpdateSet(row))
    .execute()
  return row
}

/** By the address that such a mail names; undefined where there are no such mails. */
function choiceOf(id: string): { whose: { accountId: string; userId: string }; kind: Choice } | undefined {
  const [, accountId = '', userId = '', kind] = id.split('~')
  return kind === 'leads' || kind === 'questions' ? { whose: { accountId, userId }, kind } : undefined
}

export async function hostMailsWanted(db: Reader | Tx, id: string): Promise<boolean | undefined> {
  const about = choiceOf(id)
  const person = about && (await personOf(db, about.whose))
  return about && person && wants(person, about.kind)
}

/** False: there is no such person any more. */
export async function chooseHostMails(tx: Tx, id: string, isWanted: boolean, now: number): Promise<boolean> {
  const about = choiceOf(id)
  return about !== undefined && (await choose(tx, about.whose, { [about.kind]: isWanted }, now)) !== undefined
}

const choices = z.object({
  leads: z.boolean().describe('A lead came: within five minutes, together with others of the talk.'),
  questions: z.boolean().describe('Once a day, where there are any: questions that the decks did not answer.'),
})
const shown = choices.extend({ canMail: z.boolean().describe('False: this service sends no mail. Its operator sets `ROSTRUM_SMTP_URL`.') })

export const getMailChoices = operation({
  name: 'get_mail_choices',
  summary: 'See which mails of this account come to you',
  access: signedIn,
  limit: 'pages',
  input: z.object({}),
  async run(_input, { principal }, { store, mail }: RegistrationsDeps) {
    const person = await personOf(store.read, principal)
    const has = (kind: Choice) => person !== undefined && wants(person, kind)
    return { leads: has('leads'), questions: has('questions'), canMail: mail !== undefined }
  },
  http: { method: 'GET', path: '/api/v1/account/mails', output: shown },
})

export const updateMailChoices = operation({
  name: 'update_mail_choices',
  summary: 'Choose which mails of this account come to you',
  description: 'Members left out stay as they are.',
  access: signedIn,
  limit: 'pages',
  input: choices.partial(),
  async run(chosen, { principal, now }, { store, mail }: RegistrationsDeps) {
    const row = await store.write((tx) => choose(tx, principal, chosen, now))
    return { leads: row?.leads === 1, questions: row?.questions === 1, canMail: mail !== undefined }
  },
  http: { method: 'PATCH', path: '/api/v1/account/mails', output: shown },
})

type Person = Awaited<ReturnType<ReturnType<typeof peopleOf>['execute']>>[number]

export function hostJobs(deps: RegistrationsDeps): Record<string, JobKind> {
  const { store, clock, baseUrl, title } = deps

  const letter = (person: Person, kind: Choice, words: Pick<Letter, 'subject' | 'text' | 'items' | 'links'>) =>
    messageOf({
      to: person.email,
      language: 'en',
      ...words,
      foot: [],
      stop: {
        label: kind === 'leads' ? 'No more mails about leads' : 'No more mails about questions',
        url: `${baseUrl}/mails/${tokenOf(deps, `host~${person.account_id}~${person.user_id}~${kind}`)}`,
      },
      from: title,
    })

  async function tellLeads(job: Job, sessionId: string, from: number, userId: string): Promise<void> {
    const session = await store.read.selectFrom('sessions').select(['account_id', 'title']).where('id', '=', sessionId).executeTakeFirst()
    const person = session && (await personOf(store.read, { accountId: session.account_id, userId }))
    const leads = await store.read
      .selectFrom('leads')
      .select(['id', 'name', 'email', 'company'])
      .where('session_id', '=', sessionId)
      .where('created_at', '>=', from)
      .where('created_at', '<', from + leadsMs)
      .orderBy('created_at')
      .execute()
    if (session === undefined || person === undefined || !wants(person, 'leads') || leads.length === 0) return
    const people = leads.length === 1 ? 'A person' : `${leads.length} people`
    const more = leads.length - namedMax
    const url = `${baseUrl}/dashboard/sessions/${sessionId}/people`
    const message = letter(person, 'leads', {
      subject: leads.length === 1 ? `A lead: ${shortened(session.title)}` : `${leads.length} leads: ${shortened(session.title)}`,
      text: [`${people} left their details in ${quoted(session.title)}.`, ...(more > 0 ? [`The first ${namedMax}:`] : [])],
      items: leads.slice(0, namedMax).map((lead) => ({ text: [lead.name, lead.company, lead.email].filter(Boolean).join(', ') })),
      links: [{ label: 'See people', url }],
    })
    await deliver(deps, job, `lead.${sessionId}.${from}.${userId}`, message)
  }

  /** Whose day is over. The first look at a person only notes when it was. */
  async function startDigests(): Promise<void> {
    const now = clock.now()
    const all = await peopleOf(store.read).execute()
    for (const person of all.filter((each) => wants(each, 'questions') && (each.digested_at ?? 0) <= now - day)) {
      const { account_id: accountId, user_id: userId, digested_at: from } = person
      await store.write(async (tx) => {
        if (from === null) return void (await choose(tx, { accountId, userId }, {}, now))
        const moved = await tx
          .updateTable('mail_choices')
          .set({ digested_at: now })
          .where('account_id', '=', accountId)
          .where('user_id', '=', userId)
          .where('digested_at', '=', from)
          .returning('user_id')
          .executeTakeFirst()
        if (moved !== undefined) await addJob(tx, hostKind, { key: `digest:${accountId}:${userId}:${from}-${now}` })
      })
    }
  }

  async function tellQuestions(job: Job, accountId: string, userId: string, span: string): Promise<void> {
    const [from = 0, to = 0] = span.split('-').map(Number)
    const person = await personOf(store.read, { accountId, userId })
    if (person === undefined || !wants(person, 'questions')) return
    const asked = await unansweredOf(store, accountId, { from, to })
    if (asked.length === 0) return
    const message = letter(person, 'questions', {
      subject: asked.length === 1 ? 'A question that a deck did not answer' : `${asked.length} questions that decks did not answer`,
      text: [
        'People asked this, and the deck did not answer. Add the answer to the background of the talk, and the presenter knows it from then on.',
        ...(asked.length > namedMax ? [`The first ${namedMax}:`] : []),
      ],
      items: asked.slice(0, namedMax).map(({ text, title: talk, sessionId, questionId }) => ({
        text: `${quoted(text, 300)} in ${quoted(talk)}`,
        link: { label: 'Answer it', url: `${baseUrl}/dashboard/sessions/${sessionId}/questions?show=open&answer=${questionId}` },
      })),
      links: [],
    })
    await deliver(deps, job, `digest.${accountId}.${userId}.${from}`, message)
  }

  return {
    [hostKind]: {
      retryMs: mailRetryMs,
      async run(job) {
        const [what, id = '', more = '', last = ''] = job.key.split(':')
        if (what === 'lead') return tellLeads(job, id, Number(more), last)
        if (what === 'digest') return tellQuestions(job, id, more, last)
      },
    },
    [digestKind]: { everyMs: 60 * minute, run: startDigests },
  }
}

const titleMax = 60
const shortened = (title: string) => (title.length > titleMax ? `${title.slice(0, titleMax)}...` : title)

interface Unanswered {
  questionId: string
  text: string
  title: string
  sessionId: string
}

/** In live talks and by personal agents, each text once a talk. */
async function unansweredOf(
  store: AnalyticsDeps['store'],
  accountId: string,
  { from, to }: { from: number; to: number },
): Promise<Unanswered[]> {
  const runs = await store.read
    .selectFrom('runs as r')
    .innerJoin('sessions as s', 's.id', 'r.session_id')
    .select(['r.id', 'r.last_seq', 'r.ended_at', 'r.session_id', 's.title', 's.slides_count'])
    .where('r.account_id', '=', accountId)
    .where('r.kind', '=', 'live')
    .where('r.created_at', '<', to)
    .where((row) => row.or([row('r.ended_at', 'is', null), row('r.ended_at', '>=', from)]))
    .execute()
  const agents = await store.read
    .selectFrom('pap_questions as q')
    .innerJoin('sessions as s', 's.id', 'q.session_id')
    .select(['q.id as questionId', 'q.question as text', 'q.outcome', 's.id as sessionId', 's.title'])
    .where('q.account_id', '=', accountId)
    .where('q.at', '>=', from)
    .where('q.at', '<', to)
    .execute()
  const found: (Unanswered & { outcome: string | null })[] = [...agents]
  for (const [sessionId, own] of Map.groupBy(runs, ({ session_id }) => session_id)) {
    const [first] = own
    if (first === undefined) continue
    const summaries = await summariesOf(store, { sessionId, slidesCount: first.slides_count, now: to }, own)
    for (const { questions } of summaries.values())
      for (const { questionId, text, outcome, at = 0 } of questions)
        if (at >= from && at < to) found.push({ questionId, text, outcome, title: first.title, sessionId })
  }
  const unanswered = found.filter(({ outcome }) => outcome === 'unknown' || outcome === 'near')
  return [...new Map(unanswered.map((each) => [`${each.sessionId} ${each.text.toLowerCase()}`, each])).values()]
}
