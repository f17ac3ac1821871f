// The claim itself (spec 3.2, 5.6): the agent shows the code its person read out, and with one transaction it works for the
// person's account. Outcomes are values: a wrong code must be counted, which a thrown error would undo.
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Actor, actorOf, recordAct } from '../accounts/audit.ts'
import { hashSecret, revokeCredentials } from '../accounts/credentials.ts'
import { iso } from '@rostrum/base/clock'
import { ringAfter, type Tx } from '../platform/db/store.ts'
import type { ClaimAttemptRow, RegistrationRow } from '../accounts/tables.ts'
import { ServiceError } from '@rostrum/base/errors'
import { anyCredential, type Call, changes, operation } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import { type AccountPrincipal, scopesOf, type Scope } from '../platform/principal.ts'
import type { AuthDeps } from './deps.ts'
import { claimable, hashCode, issueToAgent, lockRegistration, pollSeconds, triesMax } from './registration.ts'

// What a claim moves from the agent's own account to the person's, and what taking it back returns: every row of every table
// that names an account. A test reads the schema and fails for a table that is in neither list.

/** How each table names the session that a row belongs to; in the order of locks: runs, sessions, what belongs to them. */
const sessionOf: Readonly<Record<string, RawBuilder<unknown>>> = {
  runs: sql`session_id`,
  sessions: sql`id`,
  decks: sql`session_id`,
  ledger: sql`session_id`,
  leads: sql`session_id`,
  domain_events: sql`session_id`,
  pap_questions: sql`session_id`,
  // Those of no one session stay, and are silent: they were made with a credential that has ended.
  webhook_subscriptions: sql`session_id`,
}

export const movedTables: readonly string[] = Object.keys(sessionOf)

/** Before the id of a session that a claim has moved: what waited for it begins. */
export const movedTopic = 'moved:'

export async function moveRows(tx: Tx, fromAccountId: string, toAccountId: string): Promise<void> {
  const moving = await tx.selectFrom('sessions').select('id').where('account_id', '=', fromAccountId).execute()
  for (const { id } of moving) ringAfter(tx, movedTopic + id)
  for (const table of movedTables) {
    await sql`UPDATE ${sql.table(table)} SET account_id = ${toAccountId} WHERE account_id = ${fromAccountId}`.execute(tx)
  }
}

/** Returns what the agent had made before its claim; gives how many sessions that were. */
export async function returnRows(tx: Tx, row: RegistrationRow): Promise<number> {
  const made = await tx
    .selectFrom('sessions')
    .innerJoin('credentials', 'credentials.id', 'sessions.created_by_id')
    .select('sessions.id')
    .where('credentials.registration_id', '=', row.id)
    .where('sessions.account_id', '=', row.account_id)
    .where('sessions.created_at', '<=', row.claimed_at ?? 0)
    .execute()
  if (made.length === 0) return 0
  const ids = sql.join(made.map(({ id }) => sql`${id}`))
  for (const [table, session] of Object.entries(sessionOf)) {
    await sql`UPDATE ${sql.table(table)} SET account_id = ${row.agent_account_id}
      WHERE account_id = ${row.account_id} AND ${session} IN (${ids})`.execute(tx)
  }
  return made.length
}

export interface ClaimRequest {
  registrationId: string
  /** An agent token, which lives on; or the claim token, which ends with every other token. */
  credentialId: string
  shown: Shown
  /** Replace the token, for an agent that fears it was copied. */
  rotate: boolean
}

export type ClaimOutcome =
  | { ok: true; verified: boolean; boundAt: number; scopes: readonly Scope[]; expiresAt: number; token?: string }
  | { ok: false; reason: 'pending' | 'denied' | 'wrong' | 'expired' | 'previously' }

type ClaimDeps = Pick<AuthDeps, 'store' | 'ids' | 'settings'>

export async function claimRegistration(deps: ClaimDeps, actor: Actor, request: ClaimRequest): Promise<ClaimOutcome> {
  return deps.store.write(async (tx): Promise<ClaimOutcome> => {
    const row = await lockRegistration(tx, request.registrationId)
    if (row === undefined) return { ok: false, reason: 'expired' }
    const shown = shownHash(row, request.shown)
    if (row.state === 'claimed') return repeated(row, shown.hash)
    if (row.state !== 'registered' || row.expires_at <= actor.now) return { ok: false, reason: 'expired' }
    if (row.denied_at !== null) return { ok: false, reason: 'denied' }
    const judged = await judge(tx, row, shown, actor.now)
    if ('reason' in judged) return { ok: false, reason: judged.reason }
    return bind(deps, tx, actor, { row, attempt: judged.attempt, request, claimHash: shown.hash })
  })
}

/** The code, the page token, or the whole `claim_uri`; or, once a person has approved, the claim token alone. */
export type Shown = { claimId: string } | { claimToken: string }

interface ShownHash {
  hash: string
  /** Who has this needs no code: it was given to this agent alone. */
  needsNoCode: boolean
}

/** What was shown, as it is stored: the last path segment counts, so that an agent may send the whole address. */
function shownHash(row: RegistrationRow, shown: Shown): ShownHash {
  if ('claimToken' in shown) return { hash: hashSecret(shown.claimToken), needsNoCode: true }
  const pageHash = hashSecret(shown.claimId.trim().split('/').at(-1) ?? '')
  if (pageHash === row.page_hash) return { hash: pageHash, needsNoCode: true }
  return { hash: hashCode(row.id, shown.claimId), needsNoCode: false }
}

/** A repeat of what was accepted gets the same answer, so that a lost one does no harm. */
function repeated(row: RegistrationRow, hash: string): ClaimOutcome {
  if (row.claimed_at === null || row.claim_hash !== hash) return { ok: false, reason: 'previously' }
  const scopes = scopesOf(row)
  return { ok: true, verified: row.claim_verified === 1, boundAt: row.claimed_at, scopes, expiresAt: row.expires_at }
}

async function judge(
  tx: Tx,
  row: RegistrationRow,
  shown: ShownHash,
  now: number,
): Promise<{ attempt: ClaimAttemptRow } | { reason: 'pending' | 'wrong' | 'expired' }> {
  const attempts = await tx.selectFrom('claim_attempts').selectAll().where('registration_id', '=', row.id).execute()
  if (attempts.length === 0) return { reason: 'pending' }
  const attempt = attempts.find(({ spent_at, void_at, expires_at }) => spent_at === null && void_at === null && expires_at > now)
  if (attempt === undefined) return { reason: 'expired' }
  if (shown.needsNoCode || attempt.code_hash === shown.hash) return { attempt }
  if (attempts.some(({ code_hash }) => code_hash === shown.hash)) return { reason: 'expired' }
  const tries = attempt.tries + 1
  const change = { tries, void_at: tries >= triesMax ? now : null }
  await tx.updateTable('claim_attempts').set(change).where('id', '=', attempt.id).execute()
  return { reason: 'wrong' }
}

interface Binding {
  row: RegistrationRow
  attempt: ClaimAttemptRow
  request: ClaimRequest
  claimHash: string
}

async function bind(
  { ids, settings }: ClaimDeps,
  tx: Tx,
  actor: Actor,
  { row, attempt, request, claimHash }: Binding,
): Promise<ClaimOutcome> {
  const { now } = actor
  const person = await approver(tx, attempt)
  const credential = await tx.selectFrom('credentials').selectAll().where('id', '=', request.credentialId).executeTakeFirst()
  const spent = await tx
    .updateTable('claim_attempts')
    .set({ spent_at: now })
    .where('id', '=', attempt.id)
    .where('spent_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  // The person has left the account since, or the token was revoked in this moment.
  if (person === undefined || credential === undefined || credential.revoked_at !== null || spent === undefined)
    return { ok: false, reason: 'expired' }

  const accountId = attempt.target_account_id
  const expiresAt = now + settings.agentClaimedTtlMs
  const allowed = attempt.scopes?.split(' ')
  const scopes = claimable(row).filter((scope) => allowed?.includes(scope) ?? true)
  await tx
    .updateTable('registrations')
    .set({
      state: 'claimed',
      scopes: scopes.join(' '),
      generation: row.generation + 1,
      account_id: accountId,
      owner_user_id: attempt.approved_by,
      expires_at: expiresAt,
      claimed_at: now,
      claim_hash: claimHash,
      claim_verified: person.isVerified ? 1 : 0,
    })
    .where('id', '=', row.id)
    .execute()
  await moveRows(tx, row.agent_account_id, accountId)
  await tx.updateTable('accounts').set({ merged_into: accountId, closed_at: now }).where('id', '=', row.agent_account_id).execute()
  const livesOn = credential.kind === 'agt'
  if (livesOn) {
    await tx
      .updateTable('credentials')
      .set({ account_id: accountId, user_id: attempt.approved_by, scopes: scopes.join(' '), expires_at: expiresAt })
      .where('id', '=', credential.id)
      .execute()
  }
  const exceptId = livesOn ? credential.id : undefined
  await revokeCredentials(tx, { registration_id: row.id }, { reason: 'claimed', now, exceptId })
  // What the token may do has changed, also where none was ended.
  ringAfter(tx, 'credentials')
  await recordAct(tx, ids, actor, { action: 'agent.claimed', accountId, target: ['registration', row.id] })
  const outcome = { ok: true, verified: person.isVerified, boundAt: now, scopes, expiresAt } as const
  if (!request.rotate) return outcome
  await revokeCredentials(tx, { id: credential.id }, { reason: 'rotated', now })
  const bound = { ...row, account_id: accountId, owner_user_id: attempt.approved_by }
  return { ...outcome, token: await issueToAgent(tx, ids, bound, { kind: 'agt', scopes, expiresAt, now }) }
}

/** The approving person, while they are still a member of the account they chose. */
async function approver(tx: Tx, attempt: ClaimAttemptRow): Promise<{ isVerified: boolean } | undefined> {
  const row = await tx
    .selectFrom('users as u')
    .innerJoin('memberships as m', 'm.user_id', 'u.id')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select('u.email_verified_at')
    .where('u.id', '=', attempt.approved_by)
    .where('m.account_id', '=', attempt.target_account_id)
    .where('u.disabled_at', 'is', null)
    .where('a.closed_at', 'is', null)
    .executeTakeFirst()
  return row === undefined ? undefined : { isVerified: row.email_verified_at !== null }
}

// POST /api/v1/auth/claim (spec 4.2): binds the agent token it is called with to the account of the person who approved.

const input = z.object({
  claim_id: z.string().max(2_048).describe('The code that the person read out, or, once they have approved, the last part of `claim_uri`.'),
  rotate: z.boolean().optional().describe('Replace the token by a new one; the old one dies.'),
})

interface Claimed extends Extract<ClaimOutcome, { ok: true }> {
  claimId: string
  now: number
}

async function claim(request: z.output<typeof input>, call: Call<AccountPrincipal>, deps: ClaimDeps): Promise<Claimed> {
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

const refusals = {
  pending: ['authorization_pending', `Nobody has approved yet: the code is shown once the person has. Try again in ${pollSeconds} s.`],
  denied: ['access_denied', 'The person refused this agent.'],
  wrong: ['invalid_claim_id', 'The code is not right. Ask the person to read it again.'],
  expired: ['claim_expired', 'The code has expired or was replaced. Ask the person to approve again.'],
  previously: ['previously_claimed', 'This agent is already claimed. Nothing more is needed.'],
} as const

/** `error`: in the words of another profile. */
export function refusal(reason: keyof typeof refusals, error?: string): ServiceError {
  const [code, words] = refusals[reason]
  const isPending = reason === 'pending'
  const members = { ...(isPending && { interval: pollSeconds }), ...(error !== undefined && { error }) }
  return new ServiceError(code, words, { members, ...(isPending && { headers: { 'Retry-After': String(pollSeconds) } }) })
}

export const claimAgent = operation({
  name: 'claim_agent',
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
      verified: z.boolean().describe('Whether the email address of the approving person is verified.'),
      bound_at: z.iso.datetime(),
      scope: z.string(),
      expires_in: z.int().describe('Seconds.'),
      token_type: z.literal('Bearer').optional(),
      access_token: z.string().optional().describe('With `rotate`.'),
    }),
    view: claimView,
  },
})

function claimView(claimed: Claimed) {
  return {
    status: 'claimed',
    claim_id: claimed.claimId,
    verified: claimed.verified,
    bound_at: iso(claimed.boundAt),
    scope: claimed.scopes.join(' '),
    expires_in: Math.max(0, Math.floor((claimed.expiresAt - claimed.now) / 1_000)),
    ...(claimed.token === undefined ? {} : { token_type: 'Bearer', access_token: claimed.token }),
  }
}
