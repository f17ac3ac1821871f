// Writes a new registration: the agent's own account, the page on which a person may claim it, and its credential.
import { z } from 'zod'
import { networkOf } from '../accounts/address.ts'
import { actorOf, recordAct } from '../accounts/audit.ts'
import { issueCredential } from '../accounts/credentials.ts'
import type { AuthDeps } from './deps.ts'
import { insertAccount } from '../accounts/people.ts'
import { hashSecret, mintPageToken } from '../accounts/token.ts'
import { uuidV7 } from '../platform/ids.ts'
import type { Call } from '../platform/operation.ts'
import type { Scope } from '../platform/principal.ts'
import type { Tx } from '../platform/db/store.ts'
import type { RegistrationRow } from '../platform/db/tables/auth.ts'

export type RegisterDeps = Pick<AuthDeps, 'store' | 'ids' | 'settings' | 'assertions'>

/** What the agent is told. */
export interface Registered {
  token: string
  pageToken: string
  registrationId: string
  expiresInSeconds: number
  scope: string
  baseUrl: string
}

export interface NewAgent {
  kind: RegistrationRow['kind']
  clientName: string
  emailHint: string | null
  scopes: readonly Scope[]
  /** Whom a signed assertion spoke for. */
  subject?: { issuer: string; subject: string }
  /** The account and person it is bound to from its birth. */
  bornBoundTo?: { accountId: string; userId: string }
}

/** An agent with its credential. */
export async function insertAgent(tx: Tx, deps: RegisterDeps, call: Call, agent: NewAgent): Promise<Registered> {
  const { settings, ids } = deps
  const ttlMs = agent.bornBoundTo === undefined ? settings.agentTtlMs : settings.agentClaimedTtlMs
  const row = await insertRegistration(tx, deps, call, agent, ttlMs)
  const { token } = await issueCredential(tx, ids, {
    kind: 'agt',
    accountId: row.accountId,
    userId: agent.bornBoundTo?.userId,
    registrationId: row.id,
    name: agent.clientName,
    scopes: agent.scopes,
    expiresAt: call.now + ttlMs,
    now: call.now,
  })
  return {
    token,
    pageToken: row.pageToken,
    registrationId: row.id,
    expiresInSeconds: Math.floor(ttlMs / 1_000),
    scope: agent.scopes.join(' '),
    baseUrl: settings.baseUrl,
  }
}

/** The registration alone: an assertion whose person has not approved yet gets no credential. */
export async function insertRegistration(
  tx: Tx,
  { ids }: Pick<RegisterDeps, 'ids'>,
  call: Call,
  agent: NewAgent,
  ttlMs: number,
): Promise<{ id: string; accountId: string; pageToken: string }> {
  const { now } = call
  const id = uuidV7(ids, now)
  const pageToken = mintPageToken(ids)
  const bound = agent.bornBoundTo
  const accountId = bound?.accountId ?? uuidV7(ids, now)
  if (bound === undefined)
    await insertAccount(tx, { id: accountId, name: agent.clientName, kind: 'agent', is_owner: null, created_at: now })
  await tx
    .insertInto('registrations')
    .values({
      id,
      kind: agent.kind,
      client_name: agent.clientName,
      state: bound === undefined ? 'registered' : 'claimed',
      scopes: agent.scopes.join(' '),
      generation: 0,
      account_id: accountId,
      agent_account_id: accountId,
      owner_user_id: bound?.userId ?? null,
      email_hint: agent.emailHint,
      issuer: agent.subject?.issuer ?? null,
      subject: agent.subject?.subject ?? null,
      page_hash: hashSecret(pageToken),
      claim_hash: null,
      ip_prefix: networkOf(call.address),
      expires_at: now + ttlMs,
      denied_at: null,
      claimed_at: bound === undefined ? null : now,
      claim_verified: bound === undefined ? null : 1,
      revoked_at: null,
      created_at: now,
    })
    .execute()
  const act = {
    action: 'agent.registered',
    accountId,
    target: { kind: 'registration', id },
    data: { clientName: agent.clientName, kind: agent.kind },
  }
  await recordAct(tx, ids, actorOf(call), act)
  return { id, accountId, pageToken }
}

// What an agent or client calls itself: shown to people as unverified text, so it can neither hide characters nor reorder them.

/** Controls, zero-width and bidirectional characters, other format characters, separators, lone surrogates, private use. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u

export const clientName = z
  .string()
  .max(1_000)
  .transform((text) => text.normalize('NFC').trim())
  .refine((text) => text.length > 0 && Array.from(text).length <= 100, 'send 1 to 100 characters.')
  .refine((text) => !hidden.test(text), 'must not hold control, zero-width or bidirectional characters.')
