// DELETE /api/v1/account/sign-ins/{signInId}: signs this person out in one browser.
import { z } from 'zod'
import { ServiceError } from '../../kernel/errors.ts'
import { uuid } from '../../kernel/fields.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf, recordAct } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { endSignIns } from '../sign-ins.ts'

export const endSignIn = operation({
  name: 'end_sign_in',
  area: 'account',
  summary: 'End a sign-in',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['not_found', 'csrf_failed', 'sign_in_required'],
  input: z.object({ signInId: uuid }),
  run: async ({ signInId }, call, { store, ids }: Pick<AuthDeps, 'store' | 'ids'>) => {
    const id = signInId.toLowerCase()
    const { userId, accountId } = call.principal
    await store.write(async (tx, ring) => {
      const ended = await endSignIns(tx, ring, { id, userId }, call.now)
      if (ended === 0) throw new ServiceError('not_found', 'There is no such sign-in.')
      await recordAct(tx, ids, actorOf(call), { action: 'sign_in.ended', accountId, target: { kind: 'sign_in', id } })
    })
  },
  http: { method: 'DELETE', path: '/api/v1/account/sign-ins/{signInId}', status: 204 },
})
