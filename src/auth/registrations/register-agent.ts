// POST /api/v1/auth/register (spec 4.2, 5.2): an agent gets a credential with no human at hand. It owns an account of its own
// until a person claims it.
import { z } from 'zod'
import { ServiceError } from '../../kernel/errors.ts'
import { creates, open, operation } from '../../kernel/operation.ts'
import { invalidInput } from '../../kernel/parse.ts'
import { anonymousScopes } from '../../kernel/principal.ts'
import { email as emailShape } from '../accounts.ts'
import type { AuthDeps } from '../deps.ts'
import { clientName } from './client-name.ts'
import type { RegisterDeps } from './insert-agent.ts'
import { insertAgent } from './insert-agent.ts'
import { registerByAssertion } from './register-by-assertion.ts'
import { narrowed, pollSeconds } from './registration.ts'

const idJag = 'urn:ietf:params:oauth:token-type:id-jag'
const assertionTypes = ['verified_email', idJag] as const

const input = z.object({
  client_name: clientName.describe('What the agent calls itself; shown to people as unverified text.'),
  identity_type: z.enum(['anonymous', 'identity_assertion']),
  assertion_type: z.string().max(200).optional().describe(`With \`identity_assertion\`: \`verified_email\` or \`${idJag}\`.`),
  assertion: z.string().max(16_384).optional().describe('The e-mail address, or the signed assertion.'),
  email: z.string().max(254).optional().describe('The e-mail address, where `assertion` does not hold it.'),
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
  if (sent === undefined) throw invalidInput([{ pointer: '#/assertion', detail: 'is required: send a string.' }])
  const parsed = emailShape.safeParse(sent)
  if (parsed.success) return parsed.data
  throw invalidInput([{ pointer: assertion === undefined ? '#/email' : '#/assertion', detail: 'send an e-mail address.' }])
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
    if (request.identity_type === 'identity_assertion' && request.assertion_type === idJag) {
      if (request.assertion === undefined) throw invalidInput([{ pointer: '#/assertion', detail: 'is required: send a string.' }])
      return registerByAssertion(deps, call, { clientName: request.client_name, assertion: request.assertion, scope: request.scope })
    }
    const emailHint = request.identity_type === 'anonymous' ? anonymousAllowed(deps.settings) : verifiedEmail(request)
    const scopes = narrowed(anonymousScopes, request.scope)
    const kind = emailHint === null ? 'anonymous' : 'verified_email'
    return deps.store.write((tx) => insertAgent(tx, deps, call, { kind, clientName: request.client_name, emailHint, scopes }))
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
    view: (registered) => ({
      status: 'registered',
      token_type: 'Bearer',
      access_token: registered.token,
      expires_in: registered.expiresInSeconds,
      scope: registered.scope,
      claim_uri: `${registered.baseUrl}/claim/${registered.pageToken}`,
      revocation_uri: `${registered.baseUrl}/api/v1/auth/revoke`,
      registration_id: registered.registrationId,
      interval: pollSeconds,
    }),
  },
})
