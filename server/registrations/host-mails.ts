// Mails to the people of an account: a lead came, and once a day what the deck did not answer, to each who wants
// them.
import { type AnalyticsDeps, summariesOf } from '../analytics/get-session-analytics.ts'
import { addJob, type Job, type JobKind } from '../platform/db/jobs.ts'
import { quoted } from '../accounts/mail.ts'
import { type Ceiling, choose, type Choice, hostKind, leadsMs, peopleOf, personOf, wants } from './mail-choices.ts'
import { deliver, mailRetryMs } from './mail-jobs.ts'
import { type Letter, messageOf } from './mails.ts'
import { type RegistrationsDeps, tokenOf } from './registrants.ts'

const digestKind = 'digests'
const minute = 60_000
const day = 24 * 60 * minute
const namedMax = 20

const ceilingWords: Readonly<Record<Ceiling, { subject: string; text: string; link: { label: string; page: string } }>> = {
  mails: {
    subject: 'Many people registered at once',
    text: 'registered for {talk} within an hour than the talk writes to at once. They are on the list, and their mails leave by and by. If you know where they come from, send what waits; if not, look at the list first.',
    link: { label: 'See who registered', page: '/share' },
  },
  leads: {
    subject: 'Many leads came at once',
    text: 'left their details in {talk} within an hour than usual. All are kept and marked as unproven, here, in CSV and in what goes to a CRM. Look at them before you rely on them; in the list you can take the mark off.',
    link: { label: 'See people', page: '/people' },
  },
}

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
      .select(['id', 'name', 'email', 'company', 'proof'])
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
      items: leads
        .slice(0, namedMax)
        .map((lead) => ({ text: [lead.name, lead.company, lead.email, lead.proof === 'burst' && 'unproven'].filter(Boolean).join(', ') })),
      links: [{ label: 'See people', url }],
    })
    await deliver(deps, job, `lead.${sessionId}.${from}.${userId}`, message)
  }

  async function tellCeiling(job: Job, sessionId: string, of: Ceiling, userId: string): Promise<void> {
    const session = await store.read.selectFrom('sessions').select(['account_id', 'title']).where('id', '=', sessionId).executeTakeFirst()
    const person = session && (await personOf(store.read, { accountId: session.account_id, userId }))
    if (session === undefined || person === undefined || !wants(person, 'leads')) return
    const { subject, text, link } = ceilingWords[of]
    const message = letter(person, 'leads', {
      subject: `${subject}: ${shortened(session.title)}`,
      text: [`More people ${text.replace('{talk}', () => quoted(session.title))}`],
      links: [{ label: link.label, url: `${baseUrl}/dashboard/sessions/${sessionId}${link.page}` }],
    })
    await deliver(deps, job, job.key.replaceAll(':', '.'), message)
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
        if (what === 'ceiling') return tellCeiling(job, id, more.startsWith('leads') ? 'leads' : 'mails', last)
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
