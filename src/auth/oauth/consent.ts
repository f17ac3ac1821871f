// What a person decides about a client, written down as a grant of the provider and as a consent of ours.
import type { Provider } from 'oidc-provider'
import type { Scope } from '../../kernel/principal.ts'
import type { Actor } from '../audit.ts'
import { recordAct } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'

export interface Consent {
  userId: string
  accountId: string
  clientId: string
  clientName: string
  redirectHost: string
  resource: string
  scopes: readonly Scope[]
  refused: readonly Scope[]
}

/** The id of the new grant. */
export async function saveConsent(
  { store, ids }: Pick<AuthDeps, 'store' | 'ids'>,
  provider: Provider,
  actor: Actor,
  consent: Consent,
): Promise<string> {
  const { userId, accountId, clientId, clientName, redirectHost, resource, scopes, refused } = consent
  const grant = new provider.Grant({ accountId: userId, clientId })
  grant.addResourceScope(resource, scopes.join(' '))
  // What was left out is refused for good; else the provider would ask again.
  if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '))
  grant.addOIDCScope('offline_access')
  const grantId = await grant.save()
  await store.write(async (tx) => {
    await tx
      .insertInto('oauth_grants')
      .values({
        grant_id: grantId,
        user_id: userId,
        account_id: accountId,
        client_id: clientId,
        client_name: clientName,
        redirect_host: redirectHost,
        scopes: scopes.join(' '),
        revoked_at: null,
        created_at: actor.now,
      })
      .execute()
    await recordAct(tx, ids, actor, {
      action: 'consent.given',
      accountId,
      target: { kind: 'grant', id: grantId },
      data: { clientName, scopes },
    })
  })
  return grantId
}
