// DELETE /api/v1/account/apps/{grantId}: takes back what an application was allowed, with all its tokens.
import { z } from 'zod'
import { ServiceError } from '../../kernel/errors.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf, recordAct } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { endGrant, listGrants } from '../oauth/grants.ts'

type AppDeps = Pick<AuthDeps, 'store' | 'ids'>

export const revokeApp = operation({
  name: 'revoke_app',
  area: 'account',
  summary: 'End an allowed application',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['not_found', 'csrf_failed', 'sign_in_required'],
  input: z.object({ grantId: z.string().max(100) }),
  run: async ({ grantId }, call, { store, ids }: AppDeps) => {
    const { userId, accountId } = call.principal
    await store.write(async (tx, ring) => {
      const mine = await listGrants(tx, userId, accountId)
      if (!mine.some((grant) => grant.grant_id === grantId)) throw new ServiceError('not_found', 'There is no such application.')
      await endGrant(tx, ring, grantId, { reason: 'consent taken back', now: call.now })
      await recordAct(tx, ids, actorOf(call), { action: 'consent.ended', accountId, target: { kind: 'grant', id: grantId } })
    })
  },
  http: { method: 'DELETE', path: '/api/v1/account/apps/{grantId}', status: 204 },
})
