// POST /api/v1/auth/register (spec 4.2, 5.2): an agent gets a credential with no human at hand. It owns an account of its own
// until a person claims it.
import { z } from 'zod'
import { email as emailShape } from '../accounts/people.ts'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, open, operation, anyCredential, changes, deletes } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import { anonymousScopes, scopes as allScopes, scopesOf, type AccountPrincipal } from '../platform/principal.ts'
import { type Tx, type Reader, ringAfter } from '../platform/db/store.ts'
import type { RegistrationRow, CredentialRow } from '../accounts/tables.ts'
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
  hasPage,
  lockRegistration,
  pageTokensOf,
  revokeRegistration,
} from './registration.ts'
import type { AuthDeps } from './deps.ts'
import { actorOf, recordAct } from '../accounts/audit.ts'
import { hashSecret, revokeCredentials, tokenKind } from '../accounts/credentials.ts'
import { iso } from '@rostrum/base/clock'
import { membersOf } from '../accounts/pages/page.ts'
import { endGrant } from './clients.ts'

type RegisterDeps = Pick<AuthDeps, 'store' | 'ids' | 'settings' | 'assertions'>

/** What a registration's first token may do, and how long. */
const agentToken = (row: RegistrationRow, now: number) => ({ kind: 'agt', scopes: scopesOf(row), expiresAt: row.expires_at, now }) as const

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
  summary: 'Register an agent',
  description:
    'Gives a token at once. It may create and run up to three sessions; when a person claims it (`claim_uri`), the sessions move to their account and the token may also read leads. A credential sent along is ignored.',
  access: open,
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

// GET /api/v1/auth/registration and POST /api/v1/auth/renew: an agent asks who it is here, what it may do and until when, and may go on
// beyond that while a person stands behind it.

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
    scopes: scopesOf(row),
    expires_at: iso(row.expires_at),
    ...(uri !== undefined && { claim_uri: uri }),
    ...(isClaimed && { account }),
  }
}

export const getRegistration = operation({
  name: 'get_registration',
  summary: 'Show who this agent is',
  description: 'For the token of an agent: its name here, what it may do, until when, and where a person claims it.',
  access: anyCredential,
  errors: ['not_an_agent'],
  secret: true,
  input: z.object({}),
  run: (_, { principal, now }, deps: Deps) => show(deps.store.read, idOf(principal), deps, now),
  http: { method: 'GET', path: '/api/v1/auth/registration', output: shape },
})

export const renewRegistration = operation({
  name: 'renew_registration',
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

// POST /api/v1/auth/revoke (spec 4.2, 5.7, RFC 7009): whoever holds a token may end it; no other credential is needed, and an
// unknown one is no error.

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
  summary: 'Revoke a credential',
  description:
    'Ends the token with the next call, and every open stream of it. A token of an agent ends its registration; one that has expired ends nothing. A credential sent along is ignored.',
  access: open,
  effects: deletes,
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
    readBody: async ({ type, file }) => membersOf(type, await file.bytes()),
    output: z.object({ status: z.literal('revoked'), token_revoked: z.boolean(), revoked_at: z.iso.datetime() }),
    view: ({ isRevoked, at }) => ({ status: 'revoked', token_revoked: isRevoked, revoked_at: iso(at) }),
  },
})
