// What people have allowed clients (consents): ending one ends its whole family of tokens, on every node.
import { z } from 'zod'
import { actorOf, recordAct } from '../../accounts/audit.ts'
import { revokeCredentials } from '../../accounts/credentials.ts'
import { ofAccount } from '../../accounts/people.ts'
import type { AuthDeps } from '../compose.ts'
import { iso, isoOrNull } from '../../platform/clock.ts'
import { ServiceError } from '../../platform/errors.ts'
import { deletes, operation, reads } from '../../platform/operation.ts'
import type { Reader, Tx } from '../../platform/db/store.ts'
import type { OAuthGrantRow } from '../../accounts/tables.ts'

/** Marks the grant and ends every token of it. False where it had ended, or never was. */
export async function endGrant(tx: Tx, grantId: string, { reason, now }: { reason: string; now: number }): Promise<boolean> {
  const ended = await tx
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('grant_id', '=', grantId)
    .where('revoked_at', 'is', null)
    .returning('grant_id')
    .executeTakeFirst()
  await revokeCredentials(tx, { grant_id: grantId }, { reason, now })
  await tx.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute()
  return ended !== undefined
}

/** A consent that stands, and when a token of it was last used. */
export interface LiveGrant extends OAuthGrantRow {
  last_used_at: number | null
}

/** The live consents of a person in an account, newest first. */
export async function listGrants(read: Reader, userId: string, accountId: string): Promise<LiveGrant[]> {
  const grants = await read
    .selectFrom('oauth_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('grant_id', 'desc')
    .execute()
  if (grants.length === 0) return []
  const used = await read
    .selectFrom('credentials')
    .select(({ fn }) => ['grant_id', fn.max('last_used_at').as('at')])
    .where(
      'grant_id',
      'in',
      grants.map(({ grant_id }) => grant_id),
    )
    .groupBy('grant_id')
    .execute()
  const usedAt = new Map(used.map(({ grant_id, at }) => [grant_id, at]))
  return grants.map((grant) => ({ ...grant, last_used_at: usedAt.get(grant.grant_id) ?? null }))
}

// GET /api/v1/account/apps: the applications this person has allowed by OAuth, in this account.

const shape = z.object({
  id: z.string(),
  name: z.string().describe('What the application calls itself; unverified.'),
  redirectHost: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
})

export const listApps = operation({
  ...ofAccount,
  name: 'list_apps',
  summary: 'List allowed applications',
  effects: reads,
  input: z.object({}),
  run: (_, { principal }, { store }: Pick<AuthDeps, 'store'>) => listGrants(store.read, principal.userId, principal.accountId),
  http: {
    method: 'GET',
    path: '/api/v1/account/apps',
    output: z.object({ apps: z.array(shape) }),
    view: (grants) => ({
      apps: grants.map((grant) => ({
        id: grant.grant_id,
        name: grant.client_name,
        redirectHost: grant.redirect_host,
        scopes: grant.scopes.split(' '),
        createdAt: iso(grant.created_at),
        lastUsedAt: isoOrNull(grant.last_used_at),
      })),
    }),
  },
})

// DELETE /api/v1/account/apps/{grantId}: takes back what an application was allowed, with all its tokens.

type AppDeps = Pick<AuthDeps, 'store' | 'ids'>

export const revokeApp = operation({
  ...ofAccount,
  name: 'revoke_app',
  summary: 'End an allowed application',
  effects: deletes,
  errors: ['not_found'],
  input: z.object({ grantId: z.string().max(100) }),
  run: async ({ grantId }, call, { store, ids }: AppDeps) => {
    const { userId, accountId } = call.principal
    await store.write(async (tx) => {
      const mine = await listGrants(tx, userId, accountId)
      if (!mine.some((grant) => grant.grant_id === grantId))
        throw new ServiceError('not_found', 'There is no such application. List yours to see their ids.')
      await endGrant(tx, grantId, { reason: 'consent taken back', now: call.now })
      await recordAct(tx, ids, actorOf(call), { action: 'consent.ended', accountId, target: ['grant', grantId] })
    })
  },
  http: { method: 'DELETE', path: '/api/v1/account/apps/{grantId}', status: 204 },
})
