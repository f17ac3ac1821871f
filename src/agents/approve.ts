// What a person decides on the claim page: approve, which gives a code to read to the agent, or refuse.
import { type Actor, recordAct } from '../accounts/audit.ts'
import { type Ids, uuidV7 } from '../platform/ids.ts'
import type { Scope, UserPrincipal } from '../platform/principal.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import { saveDelegation } from './delegations.ts'
import { codeLifeMs, hashCode, hasPage, lockRegistration, mintClaimCode } from './registration.ts'

interface DecisionDeps {
  store: Store
  ids: Ids
}

export type Approval =
  | { ok: true; code: string; expiresAt: number }
  /** A standing approval: the agent goes on by itself, with its next assertion. */
  | { ok: true; code: undefined }
  | { ok: false; reason: 'gone' | 'claimed' }

export interface ApprovedClaim {
  registrationId: string
  person: UserPrincipal
  targetAccountId: string
  /** What the person lets it do; absent: all it may have. */
  allowed?: readonly Scope[] | undefined
}

/** A new code for `targetAccountId`; the codes before it die. For a signed assertion, the standing approval of its subject. */
export async function approveClaim(
  { store, ids }: DecisionDeps,
  actor: Actor,
  { registrationId, person, targetAccountId, allowed }: ApprovedClaim,
): Promise<Approval> {
  const { now } = actor
  const code = mintClaimCode(ids)
  return store.write(async (tx): Promise<Approval> => {
    const row = await lockRegistration(tx, registrationId)
    if (row === undefined || !hasPage(row, now)) return { ok: false, reason: 'gone' }
    if (row.state === 'claimed') return { ok: false, reason: 'claimed' }
    if (row.issuer !== null && row.subject !== null) {
      const { issuer, subject } = row
      await saveDelegation(tx, ids, { issuer, subject, userId: person.userId, accountId: targetAccountId, scopes: allowed?.join(' '), now })
      await recordAct(tx, ids, actor, {
        action: 'delegation.approved',
        accountId: targetAccountId,
        target: { kind: 'registration', id: registrationId },
      })
    }
    // Without a claim token this registration can never get one: the agent's next assertion makes another.
    if (row.issuer !== null && !(await hasClaimToken(tx, registrationId))) {
      const bound = {
        state: 'claimed',
        account_id: targetAccountId,
        owner_user_id: person.userId,
        claimed_at: now,
        claim_verified: 1,
      } as const
      await tx.updateTable('registrations').set(bound).where('id', '=', registrationId).execute()
      return { ok: true, code: undefined }
    }
    await voidAttempts(tx, registrationId, now)
    await tx
      .insertInto('claim_attempts')
      .values({
        id: uuidV7(ids, now),
        registration_id: registrationId,
        code_hash: hashCode(registrationId, code),
        tries: 0,
        approved_by: person.userId,
        target_account_id: targetAccountId,
        scopes: allowed?.join(' ') ?? null,
        expires_at: now + codeLifeMs,
        spent_at: null,
        void_at: null,
        created_at: now,
      })
      .execute()
    await recordAct(tx, ids, actor, {
      action: 'agent.approved',
      accountId: targetAccountId,
      target: { kind: 'registration', id: registrationId },
    })
    return { ok: true, code, expiresAt: now + codeLifeMs }
  })
}

/** The page is dead from now on, and so is every code; the agent's token lives on unclaimed. */
export async function denyClaim(
  { store, ids }: DecisionDeps,
  actor: Actor,
  registrationId: string,
  accountId: string,
): Promise<'denied' | 'gone' | 'claimed'> {
  const { now } = actor
  return store.write(async (tx) => {
    const row = await lockRegistration(tx, registrationId)
    if (row === undefined || !hasPage(row, now)) return 'gone'
    if (row.state === 'claimed') return 'claimed'
    await voidAttempts(tx, registrationId, now)
    await tx.updateTable('registrations').set({ denied_at: now }).where('id', '=', registrationId).execute()
    await recordAct(tx, ids, actor, { action: 'agent.denied', accountId, target: { kind: 'registration', id: registrationId } })
    return 'denied'
  })
}

async function hasClaimToken(tx: Tx, registrationId: string): Promise<boolean> {
  const query = tx.selectFrom('credentials').select('id').where('registration_id', '=', registrationId)
  return (await query.where('kind', '=', 'clm').where('revoked_at', 'is', null).executeTakeFirst()) !== undefined
}

export async function voidAttempts(tx: Tx, registrationId: string, now: number): Promise<void> {
  await tx
    .updateTable('claim_attempts')
    .set({ void_at: now })
    .where('registration_id', '=', registrationId)
    .where('spent_at', 'is', null)
    .where('void_at', 'is', null)
    .execute()
}

// Everything that a claim moves to the person's account, named for the person who decides: sessions, and where events of them go.

export interface MovingSession {
  id: string
  title: string
  status: 'draft' | 'published'
}

export interface MovingWebhook {
  /** Of its address, whose path and query may hold a secret. */
  host: string
  eventTypes: readonly string[]
  /** Null: of every session of the account, from the claim on of the person's. */
  sessionId: string | null
}

export interface ClaimPreview {
  sessions: readonly MovingSession[]
  webhooks: readonly MovingWebhook[]
}

export async function previewClaim(read: Reader, accountId: string): Promise<ClaimPreview> {
  const [sessions, subscriptions] = await Promise.all([
    read
      .selectFrom('sessions')
      .select(['id', 'title', 'status'])
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    read
      .selectFrom('webhook_subscriptions')
      .select(['url', 'event_types', 'session_id'])
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
  ])
  const webhooks = subscriptions.map(({ url, event_types, session_id }) => {
    const types: unknown = JSON.parse(event_types)
    return { host: URL.parse(url)?.host ?? url, eventTypes: Array.isArray(types) ? types.map(String) : [], sessionId: session_id }
  })
  return { sessions, webhooks }
}
