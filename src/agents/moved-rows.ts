// What a claim moves from the agent's own account to the person's, and what taking it back returns: every row of every table
// that names an account. A test reads the schema and fails for a table that is in neither list.
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../platform/db/store.ts'
import type { RegistrationRow } from '../platform/db/tables/auth.ts'
import { ringAfter } from '../platform/db/transaction-context.ts'

/** How each table names the session that a row belongs to; in the order of locks: runs, sessions, what belongs to them. */
const sessionOf: Readonly<Record<string, RawBuilder<unknown>>> = {
  runs: sql`session_id`,
  sessions: sql`id`,
  decks: sql`session_id`,
  ledger: sql`session_id`,
  leads: sql`session_id`,
  domain_events: sql`session_id`,
  pap_questions: sql`session_id`,
  // Those of no one session stay, and are silent: they were made with a credential that has ended.
  webhook_subscriptions: sql`session_id`,
}

export const movedTables: readonly string[] = Object.keys(sessionOf)

/** Why each stays: it is about the account itself, or is moved by the claim in another way. */
export const keptTables: Readonly<Record<string, string>> = {
  memberships: 'an agent has no members',
  one_time_links: 'an agent invites nobody',
  sign_ins: 'an agent does not sign in',
  credentials: 'the claim changes the one it was asked with and ends the others',
  registrations: 'the claim sets it',
  delegations: 'they are made by people, for their own accounts',
  oauth_grants: 'people give them, for their own accounts',
  usage: 'moved sessions cost the new account no quota',
  spending: 'an agent that nobody has claimed gets no model and no voice',
  audit: 'what was done was done by the agent on its own',
}

/** Before the id of a session that a claim has moved: what waited for it begins. */
export const movedTopic = 'moved:'

export async function moveRows(tx: Tx, fromAccountId: string, toAccountId: string): Promise<void> {
  const moving = await tx.selectFrom('sessions').select('id').where('account_id', '=', fromAccountId).execute()
  for (const { id } of moving) ringAfter(tx, movedTopic + id)
  for (const table of movedTables) {
    await sql`UPDATE ${sql.table(table)} SET account_id = ${toAccountId} WHERE account_id = ${fromAccountId}`.execute(tx)
  }
}

/** Returns what the agent had made before its claim; gives how many sessions that were. */
export async function returnRows(tx: Tx, row: RegistrationRow): Promise<number> {
  const made = await tx
    .selectFrom('sessions')
    .innerJoin('credentials', 'credentials.id', 'sessions.created_by_id')
    .select('sessions.id')
    .where('credentials.registration_id', '=', row.id)
    .where('sessions.account_id', '=', row.account_id)
    .where('sessions.created_at', '<=', row.claimed_at ?? 0)
    .execute()
  if (made.length === 0) return 0
  const ids = sql.join(made.map(({ id }) => sql`${id}`))
  for (const [table, session] of Object.entries(sessionOf)) {
    await sql`UPDATE ${sql.table(table)} SET account_id = ${row.agent_account_id}
      WHERE account_id = ${row.account_id} AND ${session} IN (${ids})`.execute(tx)
  }
  return made.length
}
