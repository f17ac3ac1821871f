// GET /api/v1/auth/registration and POST /api/v1/auth/renew: an agent asks who it is here, what it may do and until when, and may go on
// beyond that while a person stands behind it.
import { z } from 'zod'
import { actorOf, recordAct } from '../accounts/audit.ts'
import { hashSecret } from '../accounts/credentials.ts'
import { type Reader, ringAfter } from '../platform/db/store.ts'
import { iso } from '../platform/clock.ts'
import { ServiceError } from '../platform/errors.ts'
import { anyCredential, changes, operation, reads } from '../platform/operation.ts'
import { type AccountPrincipal, isScope } from '../platform/principal.ts'
import type { RegistrationRow } from '../accounts/tables.ts'
import type { AuthDeps } from './compose.ts'
import { hasPage, lockRegistration, pageTokensOf } from './registration.ts'

type Deps = Pick<AuthDeps, 'store' | 'ids' | 'settings'>

const shape = z.object({
  status: z.enum(['registered', 'claimed']),
  registration_id: z.uuid(),
  client_name: z.string(),
  scopes: z.array(z.string()).describe('What the agent may do; a token may have less.'),
  expires_at: z.iso.datetime(),
  claim_uri: z.url().optional().describe('Where a person claims it; absent once it is claimed.'),
  account: z.object({ id: z.uuid(), name: z.string() }).optional().describe('Whom it works for; absent until it is claimed.'),
})

function idOf(principal: AccountPrincipal): string {
  if (principal.kind === 'agent' && principal.registrationId !== undefined) return principal.registrationId
  throw new ServiceError('not_an_agent', 'This is for agents that have registered here: send the token of the registration.')
}

/** Where a person claims it; undefined once they have, or where the page has ended. */
function claimUri(row: RegistrationRow, { settings }: Pick<Deps, 'settings'>, now: number): string | undefined {
  const page = pageTokensOf(row.id, settings.secrets).find((token) => hashSecret(token) === row.page_hash)
  return row.state === 'claimed' || page === undefined || !hasPage(row, now) ? undefined : `${settings.baseUrl}/claim/${page}`
}

/** Of the registration whose own account this is. */
export async function claimUriOf(read: Reader, accountId: string, deps: Pick<Deps, 'settings'>, now: number): Promise<string | undefined> {
  const row = await read.selectFrom('registrations').selectAll().where('account_id', '=', accountId).executeTakeFirst()
  return row && claimUri(row, deps, now)
}

async function show(read: Reader, id: string, deps: Deps, now: number): Promise<z.output<typeof shape>> {
  const row = await read.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const account = await read.selectFrom('accounts').select(['id', 'name']).where('id', '=', row.account_id).executeTakeFirstOrThrow()
  const isClaimed = row.state === 'claimed'
  const uri = claimUri(row, deps, now)
  return {
    status: isClaimed ? 'claimed' : 'registered',
    registration_id: id,
    client_name: row.client_name,
    scopes: row.scopes.split(' ').filter(isScope),
    expires_at: iso(row.expires_at),
    ...(uri !== undefined && { claim_uri: uri }),
    ...(isClaimed && { account }),
  }
}

export const getRegistration = operation({
  name: 'get_registration',
  area: 'auth',
  summary: 'Show who this agent is',
  description: 'For the token of an agent: its name here, what it may do, until when, and where a person claims it.',
  access: anyCredential,
  effects: reads,
  limit: 'api',
  errors: ['not_an_agent'],
  secret: true,
  input: z.object({}),
  run: (_, { principal, now }, deps: Deps) => show(deps.store.read, idOf(principal), deps, now),
  http: { method: 'GET', path: '/api/v1/auth/registration', output: shape },
})

export const renewRegistration = operation({
  name: 'renew_registration',
  area: 'auth',
  summary: 'Let a claimed agent live on',
  description:
    'Before it ends: the registration and the token of this call live on as after a claim. An agent that nobody has claimed is not renewed; one that came with a signed assertion comes again with a fresh one.',
  access: anyCredential,
  effects: changes,
  limit: 'claim',
  errors: ['not_an_agent', 'forbidden', 'temporarily_unavailable'],
  secret: true,
  input: z.object({}),
  run: (_, call, deps: Deps) => {
    const { principal, now } = call
    const id = idOf(principal)
    return deps.store.write(async (tx) => {
      const row = await lockRegistration(tx, id)
      if (row?.state !== 'claimed') throw new ServiceError('forbidden', 'Nobody has claimed this agent: open claim_uri with your person.')
      if (row.issuer !== null) throw new ServiceError('forbidden', 'Register again with a fresh assertion of your provider.')
      const expires_at = now + deps.settings.agentClaimedTtlMs
      await tx.updateTable('registrations').set({ expires_at }).where('id', '=', id).execute()
      await tx
        .updateTable('credentials')
        .set({ expires_at })
        .where('id', '=', principal.kind === 'user' ? '' : principal.credentialId)
        .execute()
      ringAfter(tx, 'credentials')
      await recordAct(tx, deps.ids, actorOf(call), { action: 'agent.renewed', accountId: row.account_id, target: ['registration', id] })
      return show(tx, id, deps, now)
    })
  },
  http: { method: 'POST', path: '/api/v1/auth/renew', output: shape },
})
