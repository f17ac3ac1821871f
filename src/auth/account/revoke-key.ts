// DELETE /api/v1/account/keys/{keyId}: ends an API key with its next call (spec 5.7).
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import type { Call } from '../../kernel/operation.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { keysOf, revokeKey as end } from '../keys.ts'

const input = z.object({ keyId: uuid })

function revoke({ keyId }: z.output<typeof input>, call: Call<UserPrincipal>, deps: Pick<AuthDeps, 'store' | 'ids'>) {
  return end(deps, actorOf(call), keysOf(call.principal), keyId.toLowerCase())
}

export const revokeKey = operation({
  name: 'revoke_key',
  area: 'account',
  summary: 'Revoke an API key',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['not_found', 'csrf_failed', 'sign_in_required'],
  input,
  run: revoke,
  http: { method: 'DELETE', path: '/api/v1/account/keys/{keyId}', status: 204 },
})
