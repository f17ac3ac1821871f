// POST /agent/identity, the registration of the current auth.md generation (spec 5.2): the same registrations as `/api/v1/auth/register`,
// which answer a signed identity instead of a token, and a claim token that stands for them.
import { z } from 'zod'
import { email as emailShape } from '../../accounts/people.ts'
import { isServiceError, ServiceError } from '../../platform/errors.ts'
import type { Call } from '../../platform/operation.ts'
import { invalidInput, parseInput } from '../../platform/parse.ts'
import { anonymousScopes, isScope, type Scope, scopes as allScopes } from '../../platform/principal.ts'
import type { Tx } from '../../platform/db/store.ts'
import { findDelegation, useAssertion } from '../assertions/delegations.ts'
import { clientName, insertRegistration, type NewAgent } from '../insert-agent.ts'
import { verifiedAssertion } from '../register.ts'
import { elevatedScopes, narrowed } from '../registration.ts'
import { findToken, type Identity, type IdentityDeps, iso, issueClaimToken, issueIdentity, refreshIdentity } from './tokens.ts'

const idJag = 'urn:ietf:params:oauth:token-type:id-jag'

const name = { client_name: clientName.optional() }
const input = z.discriminatedUnion('type', [
  z.object({ type: z.literal('anonymous'), ...name }),
  z.object({ type: z.literal('service_auth'), login_hint: z.string().max(254), ...name }),
  z.object({ type: z.literal('identity_assertion'), assertion_type: z.literal(idJag), assertion: z.string().max(16_384), ...name }),
  z.object({ type: z.literal('refresh'), refresh_token: z.string().max(200) }),
])
type Input = z.output<typeof input>

export const identityTypes = ['anonymous', 'identity_assertion', 'service_auth'] as const

interface Registered {
  id: string
  type: Input['type']
  identity?: Identity
  scopes: { pre_claim?: readonly Scope[]; post_claim: readonly Scope[] }
  claim?: ClaimBlock
}

interface ClaimBlock {
  token: string
  expires_at: string
  url: string
  /** Where the person goes, once it is known who decides. */
  attempt?: { verification_uri: string; expires_at: string }
}

export async function registerIdentity(deps: IdentityDeps, call: Call, body: unknown): Promise<Registered> {
  const asked = parseInput(input, body)
  switch (asked.type) {
    case 'anonymous':
      return registerAnonymous(deps, call, asked.client_name)
    case 'service_auth':
      return registerForPerson(deps, call, asked.login_hint, asked.client_name)
    case 'identity_assertion':
      return registerAsserted(deps, call, asked.assertion, asked.client_name)
    case 'refresh':
      return refresh(deps, call, asked.refresh_token)
  }
}

const unnamed = 'Unnamed agent'
const afterClaim = [...anonymousScopes, ...elevatedScopes]

async function registerAnonymous(deps: IdentityDeps, call: Call, named = unnamed): Promise<Registered> {
  if (!deps.settings.anonymous)
    throw new ServiceError('anonymous_not_enabled', 'This service takes no anonymous agents: use service_auth or an identity assertion.')
  const agent = { kind: 'anonymous', clientName: named, emailHint: null, scopes: anonymousScopes } as const
  const made = await deps.store.write((tx) => insert(tx, deps, call, agent, deps.settings.agentTtlMs))
  const identity = await issueIdentity(deps, made.row, call.now)
  return {
    id: made.row.id,
    type: 'anonymous',
    identity,
    scopes: { pre_claim: anonymousScopes, post_claim: afterClaim },
    claim: claimBlock(deps, made, false),
  }
}

/** Only the person with this verified address may approve. Nothing tells whether anybody has it. */
async function registerForPerson(deps: IdentityDeps, call: Call, loginHint: string, named = unnamed): Promise<Registered> {
  const agent = { kind: 'verified_email', clientName: named, emailHint: hintedEmail(loginHint), scopes: anonymousScopes } as const
  const made = await deps.store.write((tx) => insert(tx, deps, call, agent, deps.settings.agentTtlMs))
  return { id: made.row.id, type: 'service_auth', scopes: { post_claim: afterClaim }, claim: claimBlock(deps, made, true) }
}

/** Throws `invalid_request`, to the agent `invalid_login_hint`. */
export function hintedEmail(loginHint: string): string {
  const parsed = emailShape.safeParse(loginHint)
  if (parsed.success) return parsed.data
  const { message, extra } = invalidInput([{ pointer: '#/login_hint', detail: 'send the e-mail address of the person.' }])
  throw new ServiceError('invalid_request', message, { ...extra, members: { error: 'invalid_login_hint' } })
}

/** How long a person has to open the page. */
const pageLifeMs = 60 * 60_000

async function registerAsserted(deps: IdentityDeps, call: Call, assertionText: string, named = unnamed): Promise<Registered> {
  const assertion = await verifiedAssertion(deps, call, assertionText)
  const scopes = narrowed(allScopes, assertion.scope)
  const { issuer, subject } = assertion
  const agent = { kind: 'id_jag', clientName: named, emailHint: assertion.email, scopes, subject: { issuer, subject } } as const
  const outcome = await deps.store.write(async (tx) => {
    if (!(await useAssertion(tx, assertion))) return undefined
    const bornBoundTo = await findDelegation(tx, issuer, subject)
    if (bornBoundTo === undefined) return { isBound: false, ...(await insert(tx, deps, call, agent, pageLifeMs)) }
    return {
      isBound: true,
      ...(await insert(
        tx,
        deps,
        call,
        { ...agent, scopes: narrowed(scopes, bornBoundTo.scopes), bornBoundTo },
        deps.settings.agentClaimedTtlMs,
      )),
    }
  })
  if (outcome === undefined) throw new ServiceError('replay_detected', 'This assertion was used before. Send a fresh one.')
  const { id } = outcome.row
  const shown = { id, type: 'identity_assertion' as const, scopes: { post_claim: scopes } }
  if (outcome.isBound) return { ...shown, identity: await issueIdentity(deps, outcome.row, call.now) }
  throw new ServiceError('interaction_required', 'The person must approve first: open claim.attempt.verification_uri with them.', {
    members: { ...shown, claim: claimBlock(deps, outcome, true) },
    headers: { 'WWW-Authenticate': 'AgentAuth error="interaction_required"' },
  })
}

async function refresh(deps: IdentityDeps, { now }: Call, token: string): Promise<Registered> {
  const held = await findToken(deps, 'ort', token)
  const identity = held && (await refreshIdentity(deps, held, now))
  if (held === undefined || identity === undefined)
    throw new ServiceError('invalid_assertion', 'The refresh token is not live. Register again.', { members: { error: 'invalid_grant' } })
  const { registration } = held
  const scopes = {
    post_claim: registration.state === 'claimed' ? registration.scopes.split(' ').filter(isScope) : afterClaim,
  }
  return { id: registration.id, type: 'refresh', identity, scopes }
}

interface Inserted {
  row: { id: string; account_id: string; client_name: string; expires_at: number; generation: number }
  pageToken: string
  claimToken: string
}

async function insert(tx: Tx, deps: IdentityDeps, call: Call, agent: NewAgent, ttlMs: number): Promise<Inserted> {
  const { id, accountId, pageToken } = await insertRegistration(tx, deps, call, agent, ttlMs)
  const row = { id, account_id: accountId, client_name: agent.clientName, expires_at: call.now + ttlMs, generation: 0 }
  return { row, pageToken, claimToken: await issueClaimToken(tx, deps, row, call.now) }
}

function claimBlock({ settings: { baseUrl } }: IdentityDeps, { row, pageToken, claimToken }: Inserted, hasPerson: boolean): ClaimBlock {
  const expiresAt = iso(row.expires_at)
  const attempt = { verification_uri: `${baseUrl}/claim/${pageToken}`, expires_at: expiresAt }
  return { token: claimToken, expires_at: expiresAt, url: `${baseUrl}/agent/identity/claim`, ...(hasPerson && { attempt }) }
}

/** Failures in this profile's words: `error` is the code itself where it has no other. */
export function inProfileWords(error: unknown): unknown {
  if (!isServiceError(error) || error.extra.members?.['error'] !== undefined) return error
  return new ServiceError(error.code, error.message, { ...error.extra, members: { ...error.extra.members, error: error.code } })
}
