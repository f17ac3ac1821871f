// What time ends, looked for once an hour: unclaimed registrations and what they made, used-up links, old sign-ins, what was spent long ago, old audit lines. Every
// step may run on several nodes at once.
import { auditKeptMs } from '../accounts/audit.ts'
import type { ExpressionBuilder } from 'kysely'
import { iso } from '@rostrum/base/clock'
import type { Store, Tx } from '../platform/db/store.ts'
import type { Tables } from '../platform/db/tables.ts'

interface Sweeping {
  store: Store
  /** Ends the talks of a session that is about to be removed; people in the room are told. */
  stopRuns: (sessionId: string) => Promise<void>
  /** Removes a session with all that belongs to it. */
  forget: (tx: Tx, sessionId: string, now: number) => Promise<void>
}

const day = 86_400_000
const keptMs = 30 * day
/** How long the sessions of an agent that nobody claimed outlive it. */
const graceMs = day
const batch = 1_000

export async function sweepAuth(options: Sweeping, now: number): Promise<void> {
  const { store } = options
  await store.write(async (tx) => {
    await tx
      .updateTable('registrations')
      .set({ state: 'expired' })
      .where('state', '=', 'registered')
      .where('expires_at', '<=', now)
      .execute()
    for (const table of ['assertion_ids', 'oauth_records', 'kept_returns'] as const)
      await tx.deleteFrom(table).where('expires_at', '<=', now).execute()
    // Access tokens live an hour; their rows would be most of the table. Subscriptions know their owner by the token they were made with.
    await tx
      .deleteFrom('credentials')
      .where('kind', 'in', ['agt', 'clm', 'oat', 'ort'])
      .where('expires_at', '<=', now - keptMs)
      .where('id', 'not in', (row) =>
        row
          .selectFrom('webhook_subscriptions')
          .select('owner_credential_id')
          .where('owner_credential_id', 'is not', null)
          .$narrowType<{ owner_credential_id: string }>(),
      )
      .execute()
    await tx
      .deleteFrom('spending')
      .where('day', '<', iso(now - keptMs).slice(0, 10))
      .execute()
    await tx.deleteFrom('signing_keys').where('retire_at', '<=', now).execute()
    await tx
      .deleteFrom('one_time_links')
      .where('expires_at', '<=', now - keptMs)
      .execute()
    await tx
      .deleteFrom('sign_ins')
      .where((row) => row.or([row('expires_at', '<=', now - keptMs), row('ended_at', '<=', now - keptMs)]))
      .execute()
    await tx
      .deleteFrom('audit')
      .where('at', '<=', now - auditKeptMs)
      .execute()
  })
  await removeOrphans(options, now)
  await removeEnded(store, now)
}

const endedBy = (time: number) => (row: ExpressionBuilder<Tables & { r: Tables['registrations'] }, 'r'>) =>
  row.or([
    row.and([row('r.state', '=', 'expired'), row('r.expires_at', '<=', time)]),
    row.and([row('r.state', '=', 'revoked'), row('r.revoked_at', '<=', time)]),
  ])

/** Removes sessions of agents that ended unclaimed. One that was bound from its birth has no account of its own, but the person's. */
async function removeOrphans({ store, stopRuns, forget }: Sweeping, now: number): Promise<void> {
  const orphans = await store.read
    .selectFrom('registrations as r')
    .innerJoin('accounts as a', 'a.id', 'r.agent_account_id')
    .innerJoin('sessions as s', 's.account_id', 'a.id')
    .select('s.id')
    .where('a.kind', '=', 'agent')
    .where(endedBy(now - graceMs))
    .limit(batch)
    .execute()
  for (const { id } of orphans) {
    await stopRuns(id)
    await store.write((tx) => forget(tx, id, now))
  }
}

/** Forgets registrations that ended unclaimed long ago, with their credentials and the account that was theirs alone. */
async function removeEnded(store: Store, now: number): Promise<void> {
  const ended = await store.read
    .selectFrom('registrations as r')
    .innerJoin('accounts as a', 'a.id', 'r.agent_account_id')
    .leftJoin('sessions as s', 's.account_id', 'r.agent_account_id')
    .select(['r.id', 'r.agent_account_id'])
    .where('a.kind', '=', 'agent')
    .where('a.merged_into', 'is', null)
    .where('s.id', 'is', null)
    .where(endedBy(now - keptMs))
    .limit(batch)
    .execute()
  for (const { id, agent_account_id: accountId } of ended) {
    await store.write(async (tx) => {
      await tx.deleteFrom('credentials').where('registration_id', '=', id).execute()
      await tx.deleteFrom('claim_attempts').where('registration_id', '=', id).execute()
      await tx.deleteFrom('registrations').where('id', '=', id).execute()
      await tx.deleteFrom('accounts').where('id', '=', accountId).where('kind', '=', 'agent').execute()
    })
  }
}
