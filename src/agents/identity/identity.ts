// `/agent/identity`, `/claim` and `/claim/complete`, the registration and the claim of the current auth.md generation (spec 5.2, 5.6): the
// same registrations and claims as `/api/v1/auth/*`, which answer a signed identity instead of a token, and a claim token that stands
// for it until then.
import { z } from 'zod'
import { actorOf } from '../../accounts/audit.ts'
import { email as emailShape } from '../../accounts/people.ts'
import { hashSecret, mintPageToken } from '../../accounts/token.ts'
import { isServiceError, ServiceError } from '../../platform/errors.ts'
import { iso } from '../../platform/clock.ts'
import type { Call } from '../../platform/operation.ts'
import { invalidInput, parseInput } from '../../platform/parse.ts'
import { anonymousScopes, isScope, type Scope } from '../../platform/principal.ts'
import type { RegistrationRow } from '../../platform/db/tables/auth.ts'
import { voidAttempts } from '../approve.ts'
import { type ClaimOutcome, claimRegistration, type Shown } from '../claim.ts'
import { idJag, interactionRequired, registerAsserted } from '../register.ts'
import { clientName, elevatedScopes, insertRegistration, lockRegistration, type NewAgent, type NewRegistration } from '../registration.ts'
import { findToken, type HeldToken, type Identity, type IdentityDeps, issueHeld, issueIdentity, refreshIdentity } from './tokens.ts'

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
  const { message, extra } = invalidInput([{ pointer: '#/login_hint', detail: 'send the e-mail address of the person.' }])
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

const scopesOf = (row: RegistrationRow) => row.scopes.split(' ').filter(isScope)

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
  if (!outcome.ok) throw refusal(outcome.reason)
  return { id: registration.id, status: 'claimed', identity: await issueIdentity(deps, await claimedRow(deps, registration.id), call.now) }
}

export function claimHeld(deps: IdentityDeps, call: Call, { credential, registration }: HeldToken, shown: Shown): Promise<ClaimOutcome> {
  const asked = { registrationId: registration.id, credentialId: credential.id, shown, rotate: false }
  return claimRegistration(deps, actorOf(call), asked)
}

export function claimedRow({ store }: IdentityDeps, id: string) {
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

function refusal(reason: Extract<ClaimOutcome, { ok: false }>['reason']): ServiceError {
  switch (reason) {
    case 'pending':
      return new ServiceError('authorization_pending', 'Nobody has approved yet: the code is shown once the person has.', {
        members: { error: 'claim_not_confirmed' },
      })
    case 'denied':
      return new ServiceError('access_denied', 'The person refused this agent.')
    case 'wrong':
      return new ServiceError('invalid_claim_id', 'The code is not right. Ask the person to read it again.', {
        members: { error: 'invalid_user_code' },
      })
    case 'expired':
      return new ServiceError('claim_expired', 'The code has expired or was replaced. Ask the person to approve again.', {
        members: { error: 'user_code_expired' },
      })
    case 'previously':
      return new ServiceError('previously_claimed', 'This agent is already claimed, by another code.')
  }
}

/** Failures in this profile's words: `error` is the code itself where it has no other. */
export function inProfileWords(error: unknown): unknown {
  if (!isServiceError(error) || error.extra.members?.['error'] !== undefined) return error
  return new ServiceError(error.code, error.message, { ...error.extra, members: { ...error.extra.members, error: error.code } })
}
