// POST /api/v1/auth/revoke (spec 4.2, 5.7, RFC 7009): whoever holds a token may end it; no other credential is needed, and an
// unknown one is no error.
import { z } from 'zod'
import { actorOf, recordAct } from '../accounts/audit.ts'
import { hashSecret, revokeCredentials, tokenKind } from '../accounts/credentials.ts'
import type { AuthDeps } from './compose.ts'
import { parseBody } from '../accounts/pages/page.ts'
import { iso } from '../platform/clock.ts'
import { deletes, open, operation } from '../platform/operation.ts'
import type { Tx } from '../platform/db/store.ts'
import type { CredentialRow } from '../accounts/tables.ts'
import { endGrant } from './oauth/apps.ts'
import { revokeRegistration } from './registration.ts'

type RevokeDeps = Pick<AuthDeps, 'store' | 'ids'>

/** An agent's token takes its registration along. */
async function end(tx: Tx, found: CredentialRow, now: number): Promise<number | undefined> {
  const how = { reason: 'revoked by its holder', now }
  if (found.registration_id !== null && found.revoked_at === null) return revokeRegistration(tx, found.registration_id, how)
  if (found.kind === 'ort' && found.grant_id !== null && found.revoked_at === null) await endGrant(tx, found.grant_id, how)
  const ended = await revokeCredentials(tx, { id: found.id }, how)
  if (ended > 0) return now
  const row = await tx.selectFrom('credentials').select('revoked_at').where('id', '=', found.id).executeTakeFirst()
  return row?.revoked_at ?? undefined
}

export const revokeCredential = operation({
  name: 'revoke_credential',
  area: 'auth',
  summary: 'Revoke a credential',
  description:
    'Ends the token with the next call, and every open stream of it. A token of an agent ends its registration; one that has expired ends nothing. A credential sent along is ignored.',
  access: open,
  effects: deletes,
  limit: 'api',
  errors: [],
  secret: true,
  input: z.object({
    token: z.string().max(2_048).describe('The credential to end: an API key or a token of an agent.'),
  }),
  run: async ({ token }, call, { store, ids }: RevokeDeps) => {
    const none = { isRevoked: false, at: call.now }
    const kind = tokenKind(token)
    if (kind === undefined || kind === 'att') return none
    const found = await store.read.selectFrom('credentials').selectAll().where('hash', '=', hashSecret(token)).executeTakeFirst()
    if (found === undefined) return none
    // It is over. Whoever comes by it later, in a log, must not end what lives on without it: an agent, a consent, webhooks.
    if (found.revoked_at === null && found.expires_at !== null && found.expires_at <= call.now) return none
    return store.write(async (tx) => {
      const at = await end(tx, found, call.now)
      if (at === undefined) return none
      if (at === call.now) {
        const target = ['credential', found.id] as const
        await recordAct(tx, ids, actorOf(call), { action: 'credential.revoked', accountId: found.account_id, target })
      }
      return { isRevoked: true, at }
    })
  },
  http: {
    method: 'POST',
    path: '/api/v1/auth/revoke',
    bodyTypes: ['application/json', 'application/x-www-form-urlencoded'],
    readBody: parseBody,
    output: z.object({ status: z.literal('revoked'), token_revoked: z.boolean(), revoked_at: z.iso.datetime() }),
    view: ({ isRevoked, at }) => ({ status: 'revoked', token_revoked: isRevoked, revoked_at: iso(at) }),
  },
})
