// POST /api/v1/auth/claim (spec 4.2): binds the agent token it is called with to the account of the person who approved.
import { z } from 'zod'
import { actorOf } from '../accounts/audit.ts'
import type { AuthDeps } from './deps.ts'
import { ServiceError } from '../platform/errors.ts'
import { anyCredential, type Call, changes, operation } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { type ClaimOutcome, claimRegistration } from './claim.ts'
import { pollSeconds } from './registration.ts'

const input = z.object({
  claim_id: z.string().max(2_048).describe('The code that the person read out, or, once they have approved, the last part of `claim_uri`.'),
  rotate: z.boolean().optional().describe('Replace the token by a new one; the old one dies.'),
})

interface Claimed extends Extract<ClaimOutcome, { ok: true }> {
  claimId: string
  now: number
}

type ClaimDeps = Pick<AuthDeps, 'store' | 'ids' | 'settings'>

export async function claim(request: z.output<typeof input>, call: Call<AccountPrincipal>, deps: ClaimDeps): Promise<Claimed> {
  const { principal, now } = call
  if (principal.kind !== 'agent' || principal.registrationId === undefined) {
    throw new ServiceError('not_an_agent', 'This takes the token of the agent that is to be claimed, from the registration.')
  }
  if (request.claim_id.trim() === '') throw invalidInput([{ pointer: '#/claim_id', detail: 'must not be empty.' }])
  const { registrationId, credentialId } = principal
  const claimId = request.claim_id
  const asked = { registrationId, credentialId, shown: { claimId }, rotate: request.rotate === true }
  const outcome = await claimRegistration(deps, actorOf(call), asked)
  if (outcome.ok) return { ...outcome, claimId, now }
  throw refusal(outcome.reason)
}

function refusal(reason: Extract<ClaimOutcome, { ok: false }>['reason']): ServiceError {
  switch (reason) {
    case 'pending':
      return new ServiceError(
        'authorization_pending',
        `Nobody has approved yet. Ask the person to open claim_uri; try again in ${pollSeconds} s.`,
        {
          members: { interval: pollSeconds },
          headers: { 'Retry-After': String(pollSeconds) },
        },
      )
    case 'denied':
      return new ServiceError('access_denied', 'The person refused this agent.')
    case 'wrong':
      return new ServiceError('invalid_claim_id', 'The code is not right. Ask the person to read it again.')
    case 'expired':
      return new ServiceError('claim_expired', 'The code has expired or was replaced. Ask the person to approve again.')
    case 'previously':
      return new ServiceError('previously_claimed', 'This agent is already claimed. Nothing more is needed.')
  }
}

export const claimAgent = operation({
  name: 'claim_agent',
  area: 'auth',
  summary: 'Bind an agent to a person',
  description:
    'The person opens `claim_uri`, approves and reads a code to the agent. Sessions of the agent move to their account, and the token gains `leads:read` and `checkout:write`, as far as the person allows: `scope` says what it has. Repeating it with the same code gives the same answer.',
  access: anyCredential,
  effects: changes,
  limit: 'claim',
  errors: [
    'not_an_agent',
    'authorization_pending',
    'access_denied',
    'invalid_claim_id',
    'claim_expired',
    'previously_claimed',
    'temporarily_unavailable',
  ],
  secret: true,
  input,
  run: claim,
  http: {
    method: 'POST',
    path: '/api/v1/auth/claim',
    output: z.object({
      status: z.literal('claimed'),
      claim_id: z.string(),
      verified: z.boolean().describe('Whether the e-mail address of the approving person is verified.'),
      bound_at: z.iso.datetime(),
      scope: z.string(),
      expires_in: z.int().describe('Seconds.'),
      token_type: z.literal('Bearer').optional(),
      access_token: z.string().optional().describe('With `rotate`.'),
    }),
    view: claimView,
  },
})

export function claimView(claimed: Claimed) {
  return {
    status: 'claimed',
    claim_id: claimed.claimId,
    verified: claimed.verified,
    bound_at: new Date(claimed.boundAt).toISOString(),
    scope: claimed.scopes.join(' '),
    expires_in: Math.max(0, Math.floor((claimed.expiresAt - claimed.now) / 1_000)),
    ...(claimed.token === undefined ? {} : { token_type: 'Bearer', access_token: claimed.token }),
  }
}
