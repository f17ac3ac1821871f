// What a credential may still do, by its id: for work that goes on after the call that started it, such as webhooks. Tokens of an
// agent or of a connector are replaced every hour; what they started lives as long as the registration or the consent behind them.
import type { Scope } from '../kernel/principal.ts'
import { isScope } from '../kernel/principal.ts'
import type { Reader } from '../storage/store.ts'

/** The scopes of a live credential; null where it, its account, its person or its registration has ended. */
export async function credentialScopes(read: Reader, credentialId: string, now: number): Promise<readonly Scope[] | null> {
  const row = await read
    .selectFrom('credentials as c')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    // A claim binds the registration; the tokens from before it still name the agent's own account.
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', ({ fn }) => fn.coalesce('r.account_id', 'c.account_id')))
    .leftJoin('users as u', (join) => join.on('u.id', '=', ({ fn }) => fn.coalesce('r.owner_user_id', 'c.user_id')))
    .leftJoin('oauth_grants as g', 'g.grant_id', 'c.grant_id')
    .select(['c.scopes', 'r.scopes as agentScopes'])
    .where('c.id', '=', credentialId)
    .where('a.closed_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where((row) =>
      row.or([
        row.and([
          row('c.registration_id', 'is', null),
          row('c.revoked_at', 'is', null),
          row.or([row('c.expires_at', 'is', null), row('c.expires_at', '>', now), row('c.grant_id', 'is not', null)]),
        ]),
        row.and([row('r.state', 'in', ['registered', 'claimed']), row('r.expires_at', '>', now)]),
      ]),
    )
    .where((row) => row.or([row('c.grant_id', 'is', null), row.and([row('g.grant_id', 'is not', null), row('g.revoked_at', 'is', null)])]))
    .executeTakeFirst()
  return row === undefined ? null : (row.agentScopes ?? row.scopes).split(' ').filter(isScope)
}
