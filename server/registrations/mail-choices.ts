// Which mails the people of an account want, who chose so, and in whose transaction they become due. An owner who has chosen nothing gets
// both kinds.
import { z } from 'zod'
import { addJob } from '../platform/db/jobs.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import { operation, signedIn } from '../platform/operation.ts'
import type { MailChoiceRow, RegistrationsDeps } from './registrants.ts'

export const hostKind = 'host-mail'
const minute = 60_000
/** Leads that come within it are one mail. */
export const leadsMs = 5 * minute
/** Until what was written in a span is read. */
const graceMs = 5_000

export type Choice = 'leads' | 'questions'

/** In the transaction that writes the lead: a mail to each who wants it. */
export async function leadCame(tx: Tx, { mail }: Pick<RegistrationsDeps, 'mail'>, sessionId: string, now: number): Promise<void> {
  if (mail === undefined) return
  const from = now - (now % leadsMs)
  const account = tx.selectFrom('sessions').select('account_id').where('id', '=', sessionId)
  const people = (await peopleOf(tx).where('m.account_id', '=', account).execute()).filter((person) => wants(person, 'leads'))
  const jobs = people.map(({ user_id }) => ({ key: `lead:${sessionId}:${from}:${user_id}`, dueAt: from + leadsMs + graceMs }))
  await addJob(tx, hostKind, ...jobs)
}

export type Ceiling = 'mails' | 'leads'

/** More came to a talk in an hour than it takes as usual: who wants mails of leads hears it. */
export async function toldOfCeiling(tx: Tx, { mail }: Pick<RegistrationsDeps, 'mail'>, sessionId: string, of: Ceiling, now: number) {
  if (mail === undefined) return
  const account = tx.selectFrom('sessions').select('account_id').where('id', '=', sessionId)
  const people = (await peopleOf(tx).where('m.account_id', '=', account).execute()).filter((person) => wants(person, 'leads'))
  const jobs = people.map(({ user_id }) => ({ key: `ceiling:${sessionId}:${of}.${now}:${user_id}`, dueAt: now }))
  await addJob(tx, hostKind, ...jobs)
}

export const peopleOf = (db: Store['read'] | Tx) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .leftJoin('mail_choices as c', (join) => join.onRef('c.account_id', '=', 'm.account_id').onRef('c.user_id', '=', 'm.user_id'))
    .select(['m.account_id', 'm.user_id', 'm.role', 'u.email', 'c.leads', 'c.questions', 'c.digested_at'])
    .where('u.disabled_at', 'is', null)
    .where('u.email_verified_at', 'is not', null)

export const personOf = (db: Store['read'] | Tx, { accountId, userId }: { accountId: string; userId: string }) =>
  peopleOf(db).where('m.account_id', '=', accountId).where('m.user_id', '=', userId).executeTakeFirst()

export const wants = (person: { role: string; leads: number | null; questions: number | null }, kind: Choice): boolean =>
  (person[kind] ?? (person.role === 'owner' ? 1 : 0)) === 1

export async function choose(
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
