// DELETE /api/v1/account/sign-ins: signs this person out everywhere but here.
import { z } from 'zod'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf, recordAct } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { endSignIns as end } from '../sign-ins.ts'

export const endSignIns = operation({
  name: 'end_sign_ins',
  area: 'account',
  summary: 'Sign out everywhere else',
  description: 'Ends every sign-in of this person but the one that asks. API keys and agents go on.',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['csrf_failed', 'sign_in_required'],
  input: z.object({}),
  run: (_, call, { store, ids }: Pick<AuthDeps, 'store' | 'ids'>) => {
    const { userId, accountId, signInId } = call.principal
    return store.write(async (tx, ring) => {
      const ended = await end(tx, ring, { userId, exceptId: signInId }, call.now)
      const target = { kind: 'user', id: userId }
      if (ended > 0) await recordAct(tx, ids, actorOf(call), { action: 'sign_ins.ended', accountId, target, data: { ended } })
      return { ended }
    })
  },
  http: {
    method: 'DELETE',
    path: '/api/v1/account/sign-ins',
    output: z.object({ ended: z.int().describe('How many other browsers were signed out.') }),
    view: (result) => result,
  },
})
