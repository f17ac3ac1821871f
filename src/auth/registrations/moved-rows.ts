// What a claim moves from the agent's own account to the person's: every row of every table that names an account. A test
// reads the schema and fails for a table that is in neither list.
import { sql } from 'kysely'
import type { Reader, Tx } from '../../storage/store.ts'

export const movedTables = ['sessions', 'decks', 'runs', 'ledger', 'leads', 'domain_events', 'pap_questions'] as const

/** Why each stays: it is about the account itself, or is moved by the claim in another way. */
export const keptTables: Readonly<Record<string, string>> = {
  memberships: 'an agent has no members',
  one_time_links: 'an agent invites nobody',
  sign_ins: 'an agent does not sign in',
  credentials: 'the claim changes the one it was asked with and ends the others',
  registrations: 'the claim sets it',
  usage: 'moved sessions cost the new account no quota',
  audit: 'what was done was done by the agent on its own',
}

/** The sessions that a claim would move. */
export async function countSessions(read: Reader, accountId: string): Promise<number> {
  const { count } = await read
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return count
}

export async function moveRows(tx: Tx, fromAccountId: string, toAccountId: string): Promise<void> {
  for (const table of movedTables) {
    await sql`UPDATE ${sql.table(table)} SET account_id = ${toAccountId} WHERE account_id = ${fromAccountId}`.execute(tx)
  }
}
