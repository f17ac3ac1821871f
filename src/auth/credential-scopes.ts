// What a credential may still do, by its id: for work that goes on after the call that started it, such as webhooks.
import type { Scope } from '../kernel/principal.ts'
import { isScope } from '../kernel/principal.ts'
import type { Reader } from '../storage/store.ts'

/** The scopes of a live credential; null where it, its account, its person or its registration has ended. */
export async function credentialScopes(read: Reader, credentialId: string, now: number): Promise<readonly Scope[] | null> {
  const row = await read
    .selectFrom('credentials as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .leftJoin('users as u', 'u.id', 'c.user_id')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .select('c.scopes')
    .where('c.id', '=', credentialId)
    .where('c.revoked_at', 'is', null)
    .where('a.closed_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where((row) => row.or([row('c.expires_at', 'is', null), row('c.expires_at', '>', now)]))
    .where((row) => row.or([row('c.registration_id', 'is', null), row('r.state', 'in', ['registered', 'claimed'])]))
    .executeTakeFirst()
  return row === undefined ? null : row.scopes.split(' ').filter(isScope)
}
