// Whether somebody vouches for a session. What an anonymous agent makes belongs to an account of the agent's own until a person
// claims it; then its rows move to their account (auth/registrations). So the account tells, and nothing is kept beside it.
import type { ExpressionBuilder } from 'kysely'
import { prepared } from '../platform/db/prepared.ts'
import type { Reader } from '../platform/db/store.ts'
import type { Tables } from '../platform/db/tables.ts'

const ofAgent = (row: ExpressionBuilder<Tables, 'sessions'>) =>
  row.selectFrom('accounts').select('accounts.id').whereRef('accounts.id', '=', 'sessions.account_id').where('accounts.kind', '=', 'agent')

/** For `where`, in every look that shows sessions to others than their account. */
export const isVouched = (row: ExpressionBuilder<Tables, 'sessions'>) => row.not(row.exists(ofAgent(row)))

/** For `select ... as unclaimed`: the account of the agent that nobody has claimed, else null. */
export const unclaimedAccount = (row: ExpressionBuilder<Tables, 'sessions'>) => ofAgent(row).as('unclaimed')

const findVouched = prepared((db, wanted: { id: string }) =>
  db.selectFrom('sessions').select('id').where('id', '=', wanted.id).where(isVouched),
)

/** Asked at each use of what only vouched sessions get, so that a claim opens it at once. False for one that is gone. */
export async function isSessionVouched(read: Reader, sessionId: string): Promise<boolean> {
  return (await findVouched(read, { id: sessionId })).length > 0
}
