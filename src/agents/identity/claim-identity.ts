// `/agent/identity/claim` and `/complete`, the claim of the current auth.md generation (spec 5.6): the agent names the person, who
// approves on the claim page and reads a code back to it. The same claims as `/api/v1/auth/claim`.
import { z } from 'zod'
import { actorOf } from '../../accounts/audit.ts'
import { hashSecret, mintPageToken } from '../../accounts/token.ts'
import { ServiceError } from '../../platform/errors.ts'
import type { Call } from '../../platform/operation.ts'
import { parseInput } from '../../platform/parse.ts'
import { voidAttempts } from '../approve.ts'
import { type ClaimOutcome, claimRegistration, type Shown } from '../claim.ts'
import { lockRegistration } from '../registration.ts'
import { hintedEmail } from './register-identity.ts'
import { findToken, type HeldToken, type Identity, type IdentityDeps, iso, issueIdentity } from './tokens.ts'

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
  const verdict = await deps.limiter.consume('claim', { ...call, principal })
  if (!verdict.allowed) throw new ServiceError('rate_limited', 'Too many codes. Wait.', { headers: verdict.headers })
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
