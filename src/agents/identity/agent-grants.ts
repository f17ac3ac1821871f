// The grants of agents at `/oauth2/token`: an identity assertion for an access token (RFC 7523), and the claim token for one once a
// person has approved. They need no client, so they are answered before the OAuth server, which knows only clients.
import type { Policy } from '../../accounts/limits.ts'
import type { Call } from '../../platform/operation.ts'
import { isScope } from '../../platform/principal.ts'
import type { RegistrationRow } from '../../platform/db/tables/auth.ts'
import { mcpResource, ownResource } from '../oauth/clients.ts'
import { signedMaxMs } from '../oauth/signing-keys.ts'
import { issueToAgent, pollSeconds } from '../registration.ts'
import { claimedRow, claimHeld } from './identity.ts'
import { findToken, type IdentityDeps, isAlive, readIdentity, signIdentity } from './tokens.ts'

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const claimGrant = 'urn:workos:agent-auth:grant-type:claim'
export const agentGrants: readonly string[] = [jwtBearer, claimGrant]

type GrantError =
  | 'invalid_grant'
  | 'invalid_target'
  | 'invalid_scope'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
type Granted = { ok: true; body: Readonly<Record<string, unknown>> } | { ok: false; error: GrantError; words: string }

const refused = (error: GrantError, words: string): Granted => ({ ok: false, error, words })

/** Answers in the words of RFC 6749 section 5. */
export async function grantToAgent(deps: IdentityDeps, call: Call, fields: URLSearchParams): Promise<Response> {
  const granted = fields.get('grant_type') === claimGrant ? await byClaim(deps, call, fields) : await byAssertion(deps, call, fields)
  const headers = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
  if (granted.ok) return Response.json(granted.body, { headers })
  return Response.json({ error: granted.error, error_description: granted.words }, { status: 400, headers })
}

async function byAssertion(deps: IdentityDeps, call: Call, fields: URLSearchParams): Promise<Granted> {
  const named = await readIdentity(deps, fields.get('assertion') ?? '', call.now)
  const row = named && (await liveRegistration(deps, named.registrationId, call.now))
  if (row === undefined || row.generation !== named?.generation)
    return refused('invalid_grant', 'The assertion is not live. Register again.')
  return accessToken(deps, call, row, fields)
}

/** As often as an agent may ask; the burst is a minute's worth. */
const polls: Policy = { name: 'claim-poll', count: 60 / pollSeconds, windowMs: 60_000 }

async function byClaim(deps: IdentityDeps, call: Call, fields: URLSearchParams): Promise<Granted> {
  const claimToken = fields.get('claim_token') ?? ''
  const held = await findToken(deps, 'clm', claimToken)
  if (held === undefined || held.registration.state === 'revoked')
    return refused('invalid_grant', 'The claim token is not live. Register again.')
  if ((held.credential.expires_at ?? 0) <= call.now) return refused('expired_token', 'The registration has expired. Register again.')
  const pace = await deps.limiter.take([{ policy: polls, key: held.credential.id }], call.now, false)
  if (!pace.allowed) return refused('slow_down', `Ask every ${pollSeconds} s.`)
  const outcome = await claimHeld(deps, call, held, { claimToken })
  if (!outcome.ok) {
    switch (outcome.reason) {
      case 'pending':
        return refused('authorization_pending', `Nobody has approved yet. Ask again in ${pollSeconds} s.`)
      case 'denied':
        return refused('access_denied', 'The person refused this agent.')
      case 'expired':
        return refused('expired_token', 'The approval is too old. Start the claim again.')
      case 'wrong':
      case 'previously':
        return refused('invalid_grant', 'This agent was claimed by its code; use the identity that came with it.')
    }
  }
  const row = await claimedRow(deps, held.registration.id)
  const token = await accessToken(deps, call, row, fields)
  if (!token.ok) return token
  const { assertion, expires } = await signIdentity(deps, row, call.now)
  return { ok: true, body: { ...token.body, identity_assertion: assertion, assertion_expires: expires } }
}

/** The registration, while it, its account and its person in there are alive. */
async function liveRegistration({ store }: IdentityDeps, id: string, now: number): Promise<RegistrationRow | undefined> {
  const row = await store.read
    .selectFrom('registrations as r')
    .innerJoin('accounts as a', 'a.id', 'r.account_id')
    .leftJoin('users as u', 'u.id', 'r.owner_user_id')
    .leftJoin('memberships as m', (join) => join.onRef('m.account_id', '=', 'r.account_id').onRef('m.user_id', '=', 'r.owner_user_id'))
    .selectAll('r')
    .where('r.id', '=', id)
    .where('a.closed_at', 'is', null)
    .where((each) =>
      each.or([each('r.owner_user_id', 'is', null), each.and([each('m.id', 'is not', null), each('u.disabled_at', 'is', null)])]),
    )
    .executeTakeFirst()
  return row !== undefined && isAlive(row, now) ? row : undefined
}

/** An hour's token with the registration's scopes, or fewer. A claim meanwhile makes it one of a closed account, which is dead. */
async function accessToken(deps: IdentityDeps, { now }: Call, row: RegistrationRow, fields: URLSearchParams): Promise<Granted> {
  const { baseUrl } = deps.settings
  if (fields.getAll('resource').some((resource) => ownResource(baseUrl, resource) !== mcpResource(baseUrl)))
    return refused('invalid_target', `resource: ask for ${mcpResource(baseUrl)}, or leave it out.`)
  const wanted = fields.get('scope')?.split(' ')
  const scopes = row.scopes
    .split(' ')
    .filter(isScope)
    .filter((scope) => wanted === undefined || wanted.includes(scope))
  if (scopes.length === 0) return refused('invalid_scope', `scope: ask for some of ${row.scopes}, or leave it out.`)
  const expiresAt = Math.min(now + signedMaxMs, row.expires_at)
  const token = await deps.store.write((tx) => issueToAgent(tx, deps.ids, row, { kind: 'agt', scopes, expiresAt, now }))
  const body = { access_token: token, token_type: 'Bearer', expires_in: Math.floor((expiresAt - now) / 1_000), scope: scopes.join(' ') }
  return { ok: true, body }
}
