// `/agent/identity`, `/claim` and `/claim/complete`, the registration and the claim of the current auth.md generation (spec 5.2, 5.6): the
// same registrations and claims as `/api/v1/auth/*`, which answer a signed identity instead of a token, and a claim token that stands
// for it until then.
import { z } from 'zod'
import { actorOf } from '../../accounts/audit.ts'
import type { Policy } from '../../accounts/limits.ts'
import { email as emailShape } from '../../accounts/people.ts'
import { hashSecret, mintPageToken } from '../../accounts/credentials.ts'
import { iso } from '@rostrum/base/clock'
import type { RegistrationRow } from '../../accounts/tables.ts'
import { isServiceError, ServiceError } from '@rostrum/base/errors'
import type { Call } from '../../platform/operation.ts'
import { invalidInput, parseInput } from '../../platform/parse.ts'
import { anonymousScopes, type Scope, scopesOf } from '../../platform/principal.ts'
import { voidAttempts } from '../claim-page.ts'
import { type ClaimOutcome, claimRegistration, refusal, type Shown } from '../claim.ts'
import { mcpResource, ownResource } from '../clients.ts'
import { signedMaxMs } from '../signing-keys.ts'
import { idJag, interactionRequired, registerAsserted } from '../register.ts'
import {
  clientName,
  elevatedScopes,
  insertRegistration,
  issueToAgent,
  lockRegistration,
  type NewAgent,
  type NewRegistration,
  pollSeconds,
} from '../registration.ts'
import {
  findToken,
  type HeldToken,
  type Identity,
  type IdentityDeps,
  isAlive,
  issueHeld,
  issueIdentity,
  readIdentity,
  refreshIdentity,
  signIdentity,
} from './tokens.ts'

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
      return registerByAssertion(deps, call, asked.assertion, asked.client_name)
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
  const made = await insert(deps, call, agent)
  const identity = await issueIdentity(deps, made.row, call.now)
  const scopes = { pre_claim: anonymousScopes, post_claim: afterClaim }
  return { id: made.row.id, type: 'anonymous', identity, scopes, claim: claimBlock(deps, made, false) }
}

/** Only the person with this verified address may approve. Nothing tells whether anybody has it. */
async function registerForPerson(deps: IdentityDeps, call: Call, loginHint: string, named = unnamed): Promise<Registered> {
  const agent = { kind: 'verified_email', clientName: named, emailHint: hintedEmail(loginHint), scopes: anonymousScopes } as const
  const made = await insert(deps, call, agent)
  return { id: made.row.id, type: 'service_auth', scopes: { post_claim: afterClaim }, claim: claimBlock(deps, made, true) }
}

/** Throws `invalid_request`, to the agent `invalid_login_hint`. */
export function hintedEmail(loginHint: string): string {
  const parsed = emailShape.safeParse(loginHint)
  if (parsed.success) return parsed.data
  const { message, extra } = invalidInput([{ pointer: '#/login_hint', detail: 'send the email address of the person.' }])
  throw new ServiceError('invalid_request', message, { ...extra, members: { error: 'invalid_login_hint' } })
}

async function registerByAssertion(deps: IdentityDeps, call: Call, assertion: string, named = unnamed): Promise<Registered> {
  const { made, also, isBound } = await registerAsserted(deps, call, { clientName: named, assertion }, (tx, { row }) =>
    issueHeld(tx, deps.ids, 'clm', row, call.now),
  )
  const { row } = made
  const shown = { id: row.id, type: 'identity_assertion' as const, scopes: { post_claim: scopesOf(row) } }
  if (isBound) return { ...shown, identity: await issueIdentity(deps, row, call.now) }
  const claim = claimBlock(deps, { ...made, claimToken: also }, true)
  throw interactionRequired('open claim.attempt.verification_uri with them.', { ...shown, claim })
}

async function refresh(deps: IdentityDeps, { now }: Call, token: string): Promise<Registered> {
  const held = await findToken(deps, 'ort', token)
  const identity = held && (await refreshIdentity(deps, held, now))
  if (held === undefined || identity === undefined)
    throw new ServiceError('invalid_assertion', 'The refresh token is not live. Register again.', { members: { error: 'invalid_grant' } })
  const { registration } = held
  const scopes = { post_claim: registration.state === 'claimed' ? scopesOf(registration) : afterClaim }
  return { id: registration.id, type: 'refresh', identity, scopes }
}

interface Inserted extends NewRegistration {
  claimToken: string
}

function insert(deps: IdentityDeps, call: Call, agent: NewAgent): Promise<Inserted> {
  return deps.store.write(async (tx) => {
    const made = await insertRegistration(tx, deps, call, agent)
    return { ...made, claimToken: await issueHeld(tx, deps.ids, 'clm', made.row, call.now) }
  })
}

function claimBlock({ settings: { baseUrl } }: IdentityDeps, { row, pageToken, claimToken }: Inserted, hasPerson: boolean): ClaimBlock {
  const expiresAt = iso(row.expires_at)
  const attempt = { verification_uri: `${baseUrl}/claim/${pageToken}`, expires_at: expiresAt }
  return { token: claimToken, expires_at: expiresAt, url: `${baseUrl}/agent/identity/claim`, ...(hasPerson && { attempt }) }
}

// The claim: the agent names the person, who approves on the claim page and reads a code back to it.

const claimToken = z.string().max(200)
const startInput = z.object({ type: z.enum(['service_auth', 'login_hint']), claim_token: claimToken, login_hint: z.string().max(254) })
const completeInput = z.object({ claim_token: claimToken, user_code: z.string().min(1).max(200) })

interface Started {
  id: string
  type: 'service_auth'
  attempt: { verification_uri: string; expires_at: string }
}

/** A new page for the person with this address, and nobody else; the pages and codes before it are dead. */
export async function startClaim(deps: IdentityDeps, call: Call, body: unknown): Promise<Started> {
  const asked = parseInput(startInput, body)
  const email = hintedEmail(asked.login_hint)
  const { registration } = await held(deps, asked.claim_token, call.now)
  const { id, kind } = registration
  const pageToken = mintPageToken(deps.ids)
  const isOpen = await deps.store.write(async (tx) => {
    const row = await lockRegistration(tx, id)
    if (row === undefined || row.state !== 'registered' || row.denied_at !== null) return false
    // Whom a registration was made for stays; an anonymous one is for whoever is named last.
    if (kind !== 'anonymous' && row.email_hint !== email) return false
    await voidAttempts(tx, id, call.now)
    await tx
      .updateTable('registrations')
      .set({ email_hint: email, page_hash: hashSecret(pageToken) })
      .where('id', '=', id)
      .execute()
    return true
  })
  if (!isOpen) {
    const words = 'This registration is claimed, refused, or was made for another person. Register again.'
    throw new ServiceError('conflict', words, { members: { error: 'claimed_or_in_flight' } })
  }
  const attempt = { verification_uri: `${deps.settings.baseUrl}/claim/${pageToken}`, expires_at: iso(registration.expires_at) }
  return { id, type: 'service_auth', attempt }
}

/** Binds the agent by the code its person has read out; its earlier tokens and assertions are dead. */
export async function completeClaim(
  deps: IdentityDeps,
  call: Call,
  body: unknown,
): Promise<{ id: string; status: 'claimed'; identity: Identity }> {
  const asked = parseInput(completeInput, body)
  const token = await held(deps, asked.claim_token, call.now)
  const { credential, registration } = token
  // Guesses are counted by the registration, whichever of its addresses takes them.
  const principal = {
    kind: 'agent',
    accountId: '',
    credentialId: credential.id,
    registrationId: registration.id,
    scopes: [],
    label: '',
  } as const
  await deps.limiter.pass('claim', { ...call, principal })
  const outcome = await claimHeld(deps, call, token, { claimId: asked.user_code })
  if (!outcome.ok) throw refusal(outcome.reason, errorFor[outcome.reason])
  return { id: registration.id, status: 'claimed', identity: await issueIdentity(deps, await claimedRow(deps, registration.id), call.now) }
}

function claimHeld(deps: IdentityDeps, call: Call, { credential, registration }: HeldToken, shown: Shown): Promise<ClaimOutcome> {
  const asked = { registrationId: registration.id, credentialId: credential.id, shown, rotate: false }
  return claimRegistration(deps, actorOf(call), asked)
}

function claimedRow({ store }: IdentityDeps, id: string) {
  return store.read.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** The registration of a claim token that has not passed its time. */
async function held(deps: IdentityDeps, token: string, now: number): Promise<HeldToken> {
  const found = await findToken(deps, 'clm', token)
  if (found === undefined || found.registration.state === 'revoked') {
    throw new ServiceError('invalid_claim_id', 'There is no registration with this claim token. Register again.', {
      members: { error: 'invalid_claim_token' },
    })
  }
  if ((found.credential.expires_at ?? 0) <= now) throw new ServiceError('claim_expired', 'The registration has expired. Register again.')
  return found
}

const errorFor: { [Reason in Parameters<typeof refusal>[0]]?: string } = {
  pending: 'claim_not_confirmed',
  wrong: 'invalid_user_code',
  expired: 'user_code_expired',
}

/** Failures in this profile's words: `error` is the code itself where it has no other. */
export function inProfileWords(error: unknown): unknown {
  if (!isServiceError(error) || error.extra.members?.['error'] !== undefined) return error
  return new ServiceError(error.code, error.message, { ...error.extra, members: { ...error.extra.members, error: error.code } })
}

// The grants of agents at `/oauth2/token`: an identity assertion for an access token (RFC 7523), and the claim token for one once a
// person has approved. They need no client, so they are answered before the OAuth server, which knows only clients.

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
  const scopes = scopesOf(row).filter((scope) => wanted === undefined || wanted.includes(scope))
  if (scopes.length === 0) return refused('invalid_scope', `scope: ask for some of ${row.scopes}, or leave it out.`)
  const expiresAt = Math.min(now + signedMaxMs, row.expires_at)
  const token = await deps.store.write((tx) => issueToAgent(tx, deps.ids, row, { kind: 'agt', scopes, expiresAt, now }))
  const body = { access_token: token, token_type: 'Bearer', expires_in: Math.floor((expiresAt - now) / 1_000), scope: scopes.join(' ') }
  return { ok: true, body }
}
