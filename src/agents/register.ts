// POST /api/v1/auth/register (spec 4.2, 5.2): an agent gets a credential with no human at hand. It owns an account of its own
// until a person claims it.
import { z } from 'zod'
import { email as emailShape } from '../accounts/people.ts'
import { ServiceError } from '../platform/errors.ts'
import { type Call, creates, open, operation } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import { anonymousScopes, isScope, scopes as allScopes } from '../platform/principal.ts'
import type { Tx } from '../platform/db/store.ts'
import type { RegistrationRow } from '../accounts/tables.ts'
import { type Assertion, signInMaxSeconds } from './assertion.ts'
import {
  clientName,
  findDelegation,
  insertRegistration,
  issueToAgent,
  narrowed,
  type NewAgent,
  type NewRegistration,
  pageLifeMs,
  pollSeconds,
  useAssertion,
} from './registration.ts'
import type { AuthDeps } from './compose.ts'

type RegisterDeps = Pick<AuthDeps, 'store' | 'ids' | 'settings' | 'assertions'>

/** What a registration's first token may do, and how long. */
const agentToken = ({ scopes, expires_at: expiresAt }: RegistrationRow, now: number) =>
  ({ kind: 'agt', scopes: scopes.split(' ').filter(isScope), expiresAt, now }) as const

/** With a credential at once. */
export async function insertAgent(tx: Tx, deps: RegisterDeps, call: Call, agent: NewAgent) {
  const made = await insertRegistration(tx, deps, call, agent)
  return { ...made, token: await issueToAgent(tx, deps.ids, made.row, agentToken(made.row, call.now)) }
}

// Registration with a signed assertion (spec 5.2, `id-jag`): with a person's standing approval the agent is born claimed; without
// one it gets the page to show them, and no token.

interface AssertedAgent {
  clientName: string
  assertion: string
  scope?: string | undefined
}

/** `also` is done in the same transaction. Throws the codes of the assertion's faults, `replay_detected` where it was used before. */
export async function registerAsserted<Also>(
  deps: RegisterDeps,
  call: Call,
  asked: AssertedAgent,
  also: (tx: Tx, made: NewRegistration) => Promise<Also>,
): Promise<{ made: NewRegistration; also: Also; isBound: boolean }> {
  const assertion = await verifiedAssertion(deps, call, asked.assertion)
  const { issuer, subject } = assertion
  const scopes = narrowed(narrowed(allScopes, assertion.scope), asked.scope)
  const agent = { kind: 'id_jag', clientName: asked.clientName, emailHint: assertion.email, subject: { issuer, subject } } as const
  const outcome = await deps.store.write(async (tx) => {
    // Last of all checks, so that a refused assertion does not burn its id.
    if (!(await useAssertion(tx, assertion))) return undefined
    const bornBoundTo = await findDelegation(tx, issuer, subject)
    const made = await insertRegistration(tx, deps, call, { ...agent, scopes: narrowed(scopes, bornBoundTo?.scopes), bornBoundTo })
    return { made, also: await also(tx, made), isBound: bornBoundTo !== undefined }
  })
  if (outcome === undefined) throw new ServiceError('replay_detected', 'This assertion was used before. Send a fresh one.')
  return outcome
}

/** `members` say where the person approves. */
export function interactionRequired(words: string, members: Readonly<Record<string, unknown>>): ServiceError {
  const headers = { 'WWW-Authenticate': 'AgentAuth error="interaction_required"' }
  return new ServiceError('interaction_required', `The person must approve first: ${words}`, { members, headers })
}

/** What the assertion says, its address in our form. Throws the codes of its faults. */
async function verifiedAssertion({ assertions }: Pick<RegisterDeps, 'assertions'>, { now }: Call, text: string): Promise<Assertion> {
  const verdict = await assertions.verify(text, now)
  if (verdict.ok) {
    const email = emailShape.safeParse(verdict.assertion.email)
    if (email.success) return { ...verdict.assertion, email: email.data }
    throw new ServiceError('email_not_verified', 'The assertion holds no email address.')
  }
  const headers =
    verdict.code === 'login_required'
      ? { 'WWW-Authenticate': `AgentAuth error="login_required", max_age="${signInMaxSeconds}"` }
      : verdict.code === 'temporarily_unavailable'
        ? { 'Retry-After': '60' }
        : undefined
  throw new ServiceError(verdict.code, verdict.words, headers === undefined ? {} : { headers })
}

export const idJag = 'urn:ietf:params:oauth:token-type:id-jag'
const assertionTypes = ['verified_email', idJag] as const

const input = z.object({
  client_name: clientName.describe('What the agent calls itself; shown to people as unverified text.'),
  identity_type: z.enum(['anonymous', 'identity_assertion']),
  assertion_type: z.string().max(200).optional().describe(`With \`identity_assertion\`: \`verified_email\` or \`${idJag}\`.`),
  assertion: z.string().max(16_384).optional().describe('The email address, or the signed assertion.'),
  email: z.string().max(254).optional().describe('The email address, where `assertion` does not hold it.'),
  scope: z.string().max(500).optional().describe('Narrows the scopes; space-separated.'),
})

function anonymousAllowed({ anonymous }: Pick<AuthDeps['settings'], 'anonymous'>): null {
  if (anonymous) return null
  throw new ServiceError('anonymous_not_enabled', 'This service takes no anonymous agents: use an API key or an identity assertion.')
}

/** The address whose owner alone may approve. Nothing here tells whether anybody has it. */
function verifiedEmail({ assertion_type: type, assertion, email }: z.output<typeof input>): string {
  if (type !== 'verified_email') {
    const detail = `send one of ${assertionTypes.map((known) => `"${known}"`).join(', ')}.`
    throw new ServiceError('unsupported_assertion_type', `\`assertion_type\`: ${detail}`, {
      errors: [{ pointer: '#/assertion_type', detail }],
    })
  }
  const sent = assertion ?? email
  if (sent === undefined) throw invalidInput([{ pointer: '#/email', detail: 'is required: send the email address of the person.' }])
  const parsed = emailShape.safeParse(sent)
  if (parsed.success) return parsed.data
  throw invalidInput([{ pointer: assertion === undefined ? '#/email' : '#/assertion', detail: 'send an email address.' }])
}

export const registerAgent = operation({
  name: 'register_agent',
  area: 'auth',
  summary: 'Register an agent',
  description:
    'Gives a token at once. It may create and run up to three sessions; when a person claims it (`claim_uri`), the sessions move to their account and the token may also read leads. A credential sent along is ignored.',
  access: open,
  effects: creates,
  limit: 'register',
  errors: [
    'anonymous_not_enabled',
    'unsupported_assertion_type',
    'issuer_not_enabled',
    'invalid_assertion',
    'invalid_signature',
    'audience_mismatch',
    'credential_expired',
    'client_not_allowed',
    'email_not_verified',
    'replay_detected',
    'login_required',
    'interaction_required',
    'temporarily_unavailable',
  ],
  secret: true,
  input,
  run: async (request, call, deps: RegisterDeps) => {
    const { client_name: clientName, scope } = request
    const { baseUrl } = deps.settings
    const about = ({ row, pageToken }: NewRegistration) => ({ row, baseUrl, claimUri: `${baseUrl}/claim/${pageToken}`, now: call.now })
    if (request.identity_type === 'identity_assertion' && request.assertion_type === idJag) {
      if (request.assertion === undefined) throw invalidInput([{ pointer: '#/assertion', detail: 'is required: send a string.' }])
      const asked = { clientName, assertion: request.assertion, scope }
      const { made, also: token } = await registerAsserted(deps, call, asked, async (tx, { row }) =>
        row.state === 'claimed' ? issueToAgent(tx, deps.ids, row, agentToken(row, call.now)) : undefined,
      )
      if (token !== undefined) return { ...about(made), token }
      const members = { claim_uri: about(made).claimUri, expires_in: pageLifeMs / 1_000, interval: pollSeconds }
      throw interactionRequired('open claim_uri with them, then register again with a fresh assertion.', members)
    }
    const emailHint = request.identity_type === 'anonymous' ? anonymousAllowed(deps.settings) : verifiedEmail(request)
    const kind = emailHint === null ? 'anonymous' : 'verified_email'
    const agent = { kind, clientName, emailHint, scopes: narrowed(anonymousScopes, scope) } as const
    const { token, ...made } = await deps.store.write((tx) => insertAgent(tx, deps, call, agent))
    return { ...about(made), token }
  },
  http: {
    method: 'POST',
    path: '/api/v1/auth/register',
    output: z.object({
      status: z.literal('registered'),
      token_type: z.literal('Bearer'),
      access_token: z.string(),
      expires_in: z.int().describe('Seconds.'),
      scope: z.string(),
      claim_uri: z.url(),
      revocation_uri: z.url(),
      registration_id: z.uuid(),
      interval: z.int().describe('Seconds to wait between two tries of the claim.'),
    }),
    view: ({ row, baseUrl, claimUri, token, now }) => ({
      status: 'registered',
      token_type: 'Bearer',
      access_token: token,
      expires_in: Math.floor((row.expires_at - now) / 1_000),
      scope: row.scopes,
      claim_uri: claimUri,
      revocation_uri: `${baseUrl}/api/v1/auth/revoke`,
      registration_id: row.id,
      interval: pollSeconds,
    }),
  },
})
