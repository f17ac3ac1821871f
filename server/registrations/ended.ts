// What people have ended. It stays ended whoever registers their address again, in whatever spelling, also when their registration was
// removed meanwhile; so it is kept apart from registrations, under a keyed hash of who reads the address.
import type { Signer } from '../accounts/cookies.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import { readerOf } from '../platform/mailbox.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    mails_ended: MailsEndedRow
  }
}

export interface MailsEndedRow {
  mailbox: string
  account_id: string
  /** The session; empty: all talks of the account. */
  about: string
  ended_at: number
}

interface Links {
  links: Signer
}

const named = (email: string) => `mailbox ${readerOf(email)}`
export const mailboxKey = ({ links }: Links, email: string): string => links.sign(named(email))
/** Under which it may have been written, also before `ROSTRUM_SECRET` was changed. */
export const mailboxKeys = ({ links }: Links, email: string): string[] => links.macsOf(named(email))

/** Mails of the talk, or of all talks of its host. */
export type Which = 'talk' | 'host'

/** One talk, its host, and under which keys a person may be known. */
export interface Ends {
  accountId: string
  sessionId: string
  mailboxes: readonly string[]
}

const aboutOf = ({ sessionId }: Pick<Ends, 'sessionId'>, of: Which) => (of === 'talk' ? sessionId : '')

export const endsOf = (db: Reader | Tx, ends: Ends) =>
  db
    .selectFrom('mails_ended')
    .selectAll()
    .where('mailbox', 'in', ends.mailboxes)
    .where('account_id', '=', ends.accountId)
    .where('about', 'in', [ends.sessionId, ''])
    .execute()

/** Talks that were ended each by itself. */
export const talksEnded = (tx: Tx, { mailboxes, accountId }: Ends) =>
  tx
    .selectFrom('mails_ended')
    .select('about')
    .where('mailbox', 'in', mailboxes)
    .where('account_id', '=', accountId)
    .where('about', '<>', '')

/** When mails ended for an address that has no registration yet; null where they have not. */
export async function endedAt(tx: Tx, deps: Links, session: { id: string; account_id: string }, email: string): Promise<number | null> {
  const found = await endsOf(tx, { accountId: session.account_id, sessionId: session.id, mailboxes: mailboxKeys(deps, email) })
  return found[0]?.ended_at ?? null
}

export async function keepEnd(tx: Tx, ends: Ends, of: Which, at: number): Promise<void> {
  const [mailbox = ''] = ends.mailboxes
  await tx
    .insertInto('mails_ended')
    .values({ mailbox, account_id: ends.accountId, about: aboutOf(ends, of), ended_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function dropEnd(tx: Tx, ends: Ends, of: Which): Promise<void> {
  await tx
    .deleteFrom('mails_ended')
    .where('mailbox', 'in', ends.mailboxes)
    .where('account_id', '=', ends.accountId)
    .where('about', '=', aboutOf(ends, of))
    .execute()
}

/** Of rows that go: what their people have ended holds on. */
export async function keepEndsOf(
  tx: Tx,
  deps: Links,
  rows: readonly { email: string; mails_off_at: number | null }[],
  session: { id: string; account_id: string },
): Promise<void> {
  for (const { email, mails_off_at: at } of rows)
    if (at !== null)
      await keepEnd(tx, { accountId: session.account_id, sessionId: session.id, mailboxes: [mailboxKey(deps, email)] }, 'talk', at)
}

/** In place of a registration that is gone when its last mail is read. */
export const goneId = (deps: Links, { accountId, sessionId, email }: { accountId: string; sessionId: string; email: string }): string =>
  `gone~${accountId}~${sessionId}~${mailboxKey(deps, email)}`

export function endsOfGone(id: string): Ends | undefined {
  const [kind, accountId = '', sessionId = '', mailbox = ''] = id.split('~')
  return kind === 'gone' ? { accountId, sessionId, mailboxes: [mailbox] } : undefined
}

/** Of a talk that is deleted. */
export async function forgetEnds(tx: Tx, session: { id: string; account_id: string }): Promise<void> {
  await tx.deleteFrom('mails_ended').where('account_id', '=', session.account_id).where('about', '=', session.id).execute()
}

/** Rows of an older version, and of its processes while a cluster is upgraded, know neither whose they are nor what was ended apart. */
export async function fillMailboxes(deps: Links & { store: Store }): Promise<void> {
  for (;;) {
    const rows = await deps.store.read
      .selectFrom('registrants as r')
      .innerJoin('sessions as s', 's.id', 'r.session_id')
      .select(['r.id', 'r.email', 'r.mails_off_at', 's.id as sessionId', 's.account_id as accountId'])
      .where('r.mailbox', 'is', null)
      .limit(200)
      .execute()
    if (rows.length === 0) return
    await deps.store.write(async (tx) => {
      for (const { id, email, mails_off_at: at, ...of } of rows) {
        const mailbox = mailboxKey(deps, email)
        await tx.updateTable('registrants').set({ mailbox }).where('id', '=', id).execute()
        if (at !== null) await keepEnd(tx, { ...of, mailboxes: [mailbox] }, 'talk', at)
      }
    })
  }
}
