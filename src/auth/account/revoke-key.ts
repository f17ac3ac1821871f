// DELETE /api/v1/account/keys/{keyId}: ends an API key with its next call (spec 5.7).
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { keysOf, revokeKey as end } from '../keys.ts'

export const revokeKey = operation({
  name: 'revoke_key',
  area: 'account',
  summary: 'Revoke an API key',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['not_found', 'csrf_failed', 'sign_in_required'],
  input: z.object({ keyId: uuid }),
  run: ({ keyId }, call, deps: Pick<AuthDeps, 'store' | 'ids'>) => end(deps, actorOf(call), keysOf(call.principal), keyId.toLowerCase()),
  http: { method: 'DELETE', path: '/api/v1/account/keys/{keyId}', status: 204 },
})
