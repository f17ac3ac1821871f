// The one indexed lookup behind every bearer credential: alive means that the credential, its account, its person with their
// membership, and its registration are all alive. Compiled once, because it runs in every call.
import { rowsOf } from '../storage/prepared.ts'
import type { Store } from '../storage/store.ts'
import type { CredentialRow } from '../storage/tables/auth.ts'

type Found = Pick<CredentialRow, 'id' | 'account_id' | 'user_id' | 'registration_id' | 'name' | 'scopes' | 'last_used_at'> & {
  kind: 'live' | 'agt' | 'oat'
}

export function createCredentialLookup(store: Store): (hash: string, now: number) => Promise<Found | undefined> {
  const { sql, parameters } = store.read
    .selectFrom('credentials as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .leftJoin('users as u', 'u.id', 'c.user_id')
    .leftJoin('memberships as m', (join) => join.onRef('m.account_id', '=', 'c.account_id').onRef('m.user_id', '=', 'c.user_id'))
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .leftJoin('oauth_grants as g', 'g.grant_id', 'c.grant_id')
    .select(['c.id', 'c.kind', 'c.account_id', 'c.user_id', 'c.registration_id', 'c.name', 'c.scopes', 'c.last_used_at'])
    // The first two parameters; every call puts its own in their place.
    .where('c.hash', '=', '')
    .where((row) => row.or([row('c.expires_at', 'is', null), row('c.expires_at', '>', 0)]))
    .where('c.kind', '<>', 'ort')
    .where('c.revoked_at', 'is', null)
    .where('a.closed_at', 'is', null)
    .where((row) => row.or([row('c.user_id', 'is', null), row.and([row('m.id', 'is not', null), row('u.disabled_at', 'is', null)])]))
    .where((row) => row.or([row('c.registration_id', 'is', null), row('r.state', 'in', ['registered', 'claimed'])]))
    // A token that a racing exchange wrote after its family was revoked is dead by its grant.
    .where((row) => row.or([row('c.grant_id', 'is', null), row.and([row('g.grant_id', 'is not', null), row('g.revoked_at', 'is', null)])]))
    .compile()
  const constants = parameters.slice(2)
  return async (hash, now) => {
    const [found] = await rowsOf<Found>(store.read, sql, [hash, now, ...constants])
    return found
  }
}
