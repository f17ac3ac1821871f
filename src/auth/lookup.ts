// The one indexed lookup behind every bearer credential: alive means that the credential, its account, its person with their
// membership, and its registration are all alive. Compiled once, because it runs in every call.
import { prepared } from '../storage/prepared.ts'
import type { Store } from '../storage/store.ts'
import type { AccountRow, CredentialRow } from '../storage/tables/auth.ts'

export type FoundCredential = Pick<
  CredentialRow,
  'id' | 'account_id' | 'user_id' | 'registration_id' | 'name' | 'scopes' | 'last_used_at' | 'expires_at'
> & {
  kind: 'live' | 'agt' | 'oat'
  account_kind: AccountRow['kind']
}

/** The live credential with this hash. */
export type CredentialLookup = (hash: string, now: number) => Promise<FoundCredential | undefined>

const findLive = prepared((db, value: { hash: string; now: number }) =>
  db
    .selectFrom('credentials as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .leftJoin('users as u', 'u.id', 'c.user_id')
    .leftJoin('memberships as m', (join) => join.onRef('m.account_id', '=', 'c.account_id').onRef('m.user_id', '=', 'c.user_id'))
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .leftJoin('oauth_grants as g', 'g.grant_id', 'c.grant_id')
    .select(['c.id', 'c.kind', 'c.account_id', 'c.user_id', 'c.registration_id', 'c.name', 'c.scopes', 'c.last_used_at', 'c.expires_at'])
    .select('a.kind as account_kind')
    .where('c.hash', '=', value.hash)
    .where((row) => row.or([row('c.expires_at', 'is', null), row('c.expires_at', '>', value.now)]))
    .where('c.kind', 'in', ['live', 'agt', 'oat'])
    .where('c.revoked_at', 'is', null)
    .where('a.closed_at', 'is', null)
    .where((row) => row.or([row('c.user_id', 'is', null), row.and([row('m.id', 'is not', null), row('u.disabled_at', 'is', null)])]))
    .where((row) => row.or([row('c.registration_id', 'is', null), row('r.state', 'in', ['registered', 'claimed'])]))
    // A token that a racing exchange wrote after its family was revoked is dead by its grant.
    .where((row) => row.or([row('c.grant_id', 'is', null), row.and([row('g.grant_id', 'is not', null), row('g.revoked_at', 'is', null)])]))
    .$narrowType<{ kind: FoundCredential['kind'] }>(),
)

export function createCredentialLookup({ read }: Store): CredentialLookup {
  return async (hash, now) => (await findLive(read, { hash, now }))[0]
}
