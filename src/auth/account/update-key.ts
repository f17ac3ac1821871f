// PATCH /api/v1/account/keys/{keyId}: another name for an API key.
import { z } from 'zod'
import { uuid, words } from '../../kernel/fields.ts'
import { changes, operation, signedIn } from '../../kernel/operation.ts'
import type { AuthDeps } from '../deps.ts'
import { keysOf, renameKey } from '../keys.ts'
import { keyShape, keyView } from './key-view.ts'

export const updateKey = operation({
  name: 'update_key',
  area: 'account',
  summary: 'Rename an API key',
  access: signedIn,
  effects: changes,
  limit: 'api',
  errors: ['not_found', 'csrf_failed', 'sign_in_required'],
  input: z.object({ keyId: uuid, name: words(100) }),
  run: ({ keyId, name }, call, deps: Pick<AuthDeps, 'store'>) =>
    renameKey(deps, keysOf(call.principal), keyId.toLowerCase(), { name, now: call.now }),
  http: { method: 'PATCH', path: '/api/v1/account/keys/{keyId}', output: keyShape, view: (key) => keyView(key) },
})
