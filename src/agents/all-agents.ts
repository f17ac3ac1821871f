// Agents as the operator sees them: of every account, and those that nobody has claimed.
import { type Actor, recordAct } from '../accounts/audit.ts'
import type { AuthDeps } from './deps.ts'
import type { Reader } from '../platform/db/store.ts'
import type { RegistrationRow } from '../platform/db/tables/auth.ts'
import { endApproval } from './agents.ts'
import { revokeRegistration } from './registration.ts'

export interface AnyAgent {
  id: string
  clientName: string
  kind: RegistrationRow['kind']
  state: RegistrationRow['state']
  accountId: string
  account: string
  sessions: number
  network: string
  createdAt: number
  expiresAt: number
  lastUsedAt: number | null
}

/** Those that may call at `now`, newest first. */
export async function listRegistrations(read: Reader, now: number, { isUnclaimed }: { isUnclaimed: boolean }): Promise<AnyAgent[]> {
  const rows = await read
    .selectFrom('registrations as r')
    .innerJoin('accounts as a', 'a.id', 'r.account_id')
    .select(['r.id', 'r.client_name', 'r.kind', 'r.state', 'r.account_id', 'a.name', 'r.ip_prefix', 'r.created_at', 'r.expires_at'])
    .select((row) => [
      row
        .selectFrom('credentials as c')
        .select(({ fn }) => fn.max('c.last_used_at').as('at'))
        .whereRef('c.registration_id', '=', 'r.id')
        .as('last_used_at'),
      row
        .selectFrom('sessions as s')
        .innerJoin('credentials as c', 'c.id', 's.created_by_id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('c.registration_id', '=', 'r.id')
        .as('sessions'),
    ])
    .where('r.state', 'in', isUnclaimed ? ['registered'] : ['registered', 'claimed'])
    .where('r.expires_at', '>', now)
    .orderBy('r.created_at', 'desc')
    .orderBy('r.id', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    clientName: row.client_name,
    kind: row.kind,
    state: row.state,
    accountId: row.account_id,
    account: row.name,
    sessions: Number(row.sessions ?? 0),
    network: row.ip_prefix,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }))
}

/** Ends it with all its credentials; gives what it has open. Undefined where there is none of this id. */
export async function revokeAnyAgent(
  { store, ids }: Pick<AuthDeps, 'store' | 'ids'>,
  actor: Actor,
  id: string,
): Promise<{ isClaimed: boolean; published: readonly string[] } | undefined> {
  const row = await store.read
    .selectFrom('registrations')
    .select(['account_id', 'agent_account_id', 'state'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  await store.write(async (tx, ring) => {
    await endApproval(tx, id, actor.now)
    await revokeRegistration(tx, ring, id, { reason: 'revoked by the operator', now: actor.now })
    await recordAct(tx, ids, actor, { action: 'agent.revoked', accountId: row.account_id, target: { kind: 'registration', id } })
  })
  const isClaimed = row.state === 'claimed'
  if (isClaimed) return { isClaimed, published: [] }
  const open = await store.read
    .selectFrom('sessions')
    .select('id')
    .where('account_id', '=', row.agent_account_id)
    .where('status', '=', 'published')
    .execute()
  return { isClaimed, published: open.map((session) => session.id) }
}
