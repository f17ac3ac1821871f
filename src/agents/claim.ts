// The claim itself (spec 3.2, 5.6): the agent shows the code its person read out, and with one transaction it works for the
// person's account. Outcomes are values: a wrong code must be counted, which a thrown error would undo.
import { type Actor, recordAct } from '../accounts/audit.ts'
import { issueCredential, revokeCredentials } from '../accounts/credentials.ts'
import type { AuthDeps } from './deps.ts'
import { hashSecret } from '../accounts/token.ts'
import { isScope, type Scope } from '../platform/principal.ts'
import type { Topic, Tx } from '../platform/db/store.ts'
import type { ClaimAttemptRow, CredentialRow, RegistrationRow } from '../platform/db/tables/auth.ts'
import { moveRows } from './moved-rows.ts'
import { claimable, hashCode, lockRegistration, triesMax } from './registration.ts'

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
  return deps.store.write(async (tx, ring): Promise<ClaimOutcome> => {
    const row = await lockRegistration(tx, request.registrationId)
    if (row === undefined) return { ok: false, reason: 'expired' }
    const shown = shownHash(row, request.shown)
    if (row.state === 'claimed') return repeated(row, shown.hash)
    if (row.state !== 'registered' || row.expires_at <= actor.now) return { ok: false, reason: 'expired' }
    if (row.denied_at !== null) return { ok: false, reason: 'denied' }
    const judged = await judge(tx, row, shown, actor.now)
    if ('reason' in judged) return { ok: false, reason: judged.reason }
    return bind(deps, tx, ring, actor, { row, attempt: judged.attempt, request, claimHash: shown.hash })
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
  const scopes = row.scopes.split(' ').filter(isScope)
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
  ring: (topic: Topic) => void,
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
  await revokeCredentials(tx, ring, { registrationId: row.id, ...(livesOn && { exceptId: credential.id }) }, { reason: 'claimed', now })
  // What the token may do has changed, also where none was ended.
  ring('credentials')
  await recordAct(tx, ids, actor, { action: 'agent.claimed', accountId, target: { kind: 'registration', id: row.id } })
  const outcome = { ok: true, verified: person.isVerified, boundAt: now, scopes, expiresAt } as const
  if (!request.rotate) return outcome
  const token = await rotate(tx, ring, { ids, now, credential, accountId, userId: attempt.approved_by, scopes, expiresAt })
  return { ...outcome, token }
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

interface Rotation {
  ids: AuthDeps['ids']
  now: number
  credential: CredentialRow
  accountId: string
  userId: string
  scopes: readonly Scope[]
  expiresAt: number
}

async function rotate(tx: Tx, ring: (topic: Topic) => void, { ids, credential, ...fresh }: Rotation): Promise<string> {
  await revokeCredentials(tx, ring, { id: credential.id }, { reason: 'rotated', now: fresh.now })
  const registrationId = credential.registration_id ?? undefined
  const made = await issueCredential(tx, ids, { ...fresh, kind: 'agt', name: credential.name, registrationId })
  return made.token
}
