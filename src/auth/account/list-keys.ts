// GET /api/v1/account/keys: the live API keys, without their secrets.
import { z } from 'zod'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { AuthDeps } from '../deps.ts'
import { keysOf, listKeys as list } from '../keys.ts'
import { keyShape, keyView } from './key-view.ts'

export const listKeys = operation({
  name: 'list_keys',
  area: 'account',
  summary: 'List API keys',
  description: 'A member sees their own keys, an owner or admin all keys of the account. Revoked keys are left out.',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['sign_in_required'],
  input: z.object({}),
  run: (_, call, { store }: Pick<AuthDeps, 'store'>) => list(store.read, keysOf(call.principal), call.now),
  http: {
    method: 'GET',
    path: '/api/v1/account/keys',
    output: z.object({ keys: z.array(keyShape) }),
    view: (keys) => ({ keys: keys.map(keyView) }),
  },
})
