// Agent registrations (spec 3.2): registered, claimed, revoked, expired. Every move locks the row first, so of many at once one
// decides and the others see it.
import { z } from 'zod'
import { actorOf, recordAct } from '../accounts/audit.ts'
import { networkOf } from '../accounts/networks.ts'
import { hashSecret, isPageToken, issueCredential, pageTokenFrom, revokeCredentials, type EndedHow } from '../accounts/credentials.ts'
import { createSigner } from '../accounts/cookies.ts'
import { insertAccount } from '../accounts/people.ts'
import { kept } from '../platform/db/statements.ts'
import type { Reader, Tx } from '../platform/db/store.ts'
import type { CredentialRow, RegistrationRow } from '../accounts/tables.ts'
import { type Ids, uuidV7 } from '@rostrum/base/clock'
import type { Call } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import { anonymousScopes, type Scope, scopes } from '../platform/principal.ts'
import type { Assertion } from './assertion.ts'
import type { AuthDeps } from './deps.ts'

/** Seconds an agent waits between two tries of the claim. */
export const pollSeconds = 5
/** How long a person may take back a claim. */
export const undoMs = 24 * 60 * 60_000
export const codeLifeMs = 10 * 60_000
export const triesMax = 5

/** The row, held until the transaction ends. */
export async function lockRegistration(tx: Tx, id: string): Promise<RegistrationRow | undefined> {
  return tx
    .updateTable('registrations')
    .set((row) => ({ state: row.ref('state') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** The registration behind a claim page; undefined for everything that has no page: unknown, refused, expired, revoked. */
export async function findByPage(read: Reader, token: string, now: number): Promise<RegistrationRow | undefined> {
  if (!isPageToken(token)) return undefined
  const row = await read.selectFrom('registrations').selectAll().where('page_hash', '=', hashSecret(token)).executeTakeFirst()
  return row !== undefined && hasPage(row, now) ? row : undefined
}

export function hasPage(row: RegistrationRow, now: number): boolean {
  return row.state === 'claimed' || (row.state === 'registered' && row.denied_at === null && row.expires_at > now)
}

export interface NewAgent {
  kind: RegistrationRow['kind']
  clientName: string
  emailHint: string | null
  scopes: readonly Scope[]
  /** Whom a signed assertion spoke for. */
  subject?: { issuer: string; subject: string }
  /** The account and person it is bound to from its birth. */
  bornBoundTo?: { accountId: string; userId: string } | undefined
}

/** How long a person has to open the page of an agent that came with an assertion, and is nothing until they approve. */
export const pageLifeMs = 60 * 60_000

export interface NewRegistration {
  row: RegistrationRow
  /** Of the page on which a person may claim it. */
  pageToken: string
}

/**
 * The token of the page that a registration was made with follows from its id under each of our secrets, so that the agent may ask for the
 * address again and no store holds it.
 */
export function pageTokensOf(id: string, secrets: readonly string[]): string[] {
  const tokenOf = (secret: string) => pageTokenFrom(Buffer.from(createSigner([secret], 'claim page').sign(id), 'base64url'))
  return secrets.map(tokenOf)
}

/** A registration, with an account of the agent's own unless it is bound from its birth. */
export async function insertRegistration(
  tx: Tx,
  { ids, settings }: Pick<AuthDeps, 'ids' | 'settings'>,
  call: Call,
  { kind, clientName: name, emailHint, scopes: allowed, subject, bornBoundTo: bound }: NewAgent,
): Promise<NewRegistration> {
  const { now } = call
  const id = uuidV7(ids, now)
  const [pageToken = ''] = pageTokensOf(id, settings.secrets)
  const accountId = bound?.accountId ?? uuidV7(ids, now)
  const unboundMs = subject === undefined ? settings.agentTtlMs : pageLifeMs
  const values = {
    id,
    kind,
    client_name: name,
    state: bound === undefined ? 'registered' : 'claimed',
    scopes: allowed.join(' '),
    generation: 0,
    account_id: accountId,
    agent_account_id: accountId,
    owner_user_id: bound?.userId ?? null,
    email_hint: emailHint,
    issuer: subject?.issuer ?? null,
    subject: subject?.subject ?? null,
    page_hash: hashSecret(pageToken),
    ip_prefix: networkOf(call.address),
    expires_at: now + (bound === undefined ? unboundMs : settings.agentClaimedTtlMs),
    claimed_at: bound === undefined ? null : now,
    claim_verified: bound === undefined ? null : 1,
    created_at: now,
  } as const
  if (bound === undefined) await insertAccount(tx, { id: accountId, name, kind: 'agent', is_owner: null, created_at: now })
  const row = await tx.insertInto('registrations').values(values).returningAll().executeTakeFirstOrThrow()
  const target = ['registration', id] as const
  await recordAct(tx, ids, actorOf(call), { action: 'agent.registered', accountId, target, data: { clientName: name, kind } })
  return { row, pageToken }
}

type AgentToken = { kind: CredentialRow['kind']; scopes: readonly Scope[]; expiresAt: number; now: number }

/** A token of a registered agent, or one that stands for its registration. */
export async function issueToAgent(
  tx: Tx,
  ids: Ids,
  row: Pick<RegistrationRow, 'id' | 'account_id' | 'owner_user_id' | 'client_name'>,
  token: AgentToken,
): Promise<string> {
  const holder = { accountId: row.account_id, userId: row.owner_user_id ?? undefined, registrationId: row.id, name: row.client_name }
  return (await issueCredential(tx, ids, { ...holder, ...token })).token
}

/** What claiming adds to what an agent holds (spec 5.4). */
export const elevatedScopes: readonly Scope[] = scopes.filter((scope) => !anonymousScopes.includes(scope))

/** What a claim lets an agent do at most. A signed assertion has said what its agent may do; claiming adds nothing to that. */
export function claimable({ scopes: held, issuer }: Pick<RegistrationRow, 'scopes' | 'issuer'>): readonly Scope[] {
  const has = new Set(held.split(' '))
  return scopes.filter((scope) => has.has(scope) || (issuer === null && elevatedScopes.includes(scope)))
}

/** `wanted`, of those that may be had, in the order of the contract; all of them where nothing was wanted. */
export function narrowed(available: readonly Scope[], wanted: string | undefined): readonly Scope[] {
  const asked = wanted?.split(' ').filter(Boolean)
  const kept = asked === undefined ? available : available.filter((scope) => asked.includes(scope))
  if (kept.length > 0) return kept
  throw invalidInput([{ pointer: '#/scope', detail: `send some of ${available.join(', ')}, or leave it out.` }])
}

// The code that a person reads to their agent: 8 of 20 consonants (34 bits), in two groups. Case, spaces and dashes do not
// matter, and no word can be spelt.

const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** `BDFK-RTWX`, unbiased. */
export function mintClaimCode(ids: Ids): string {
  let code = ''
  while (code.length < length) {
    for (const byte of ids.bytes(16)) {
      if (byte < 240 && code.length < length) code += alphabet.charAt(byte % alphabet.length)
    }
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** As it is shown; other text stays recognisably wrong. */
export function normalCode(text: string): string {
  const letters = text.toUpperCase().replaceAll(/[\s\u2010-\u2015-]/g, '')
  return /^[BCDFGHJ-NP-TVWXZ]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters
}

/** Bound to its registration, so that the code of another one never matches. */
export function hashCode(registrationId: string, code: string): string {
  return hashSecret(`${registrationId} ${normalCode(code)}`)
}

// Ends a registration with every credential it has (spec 3.2). The first time stays: a repeat changes nothing.

/** When it was revoked, now or before; undefined where it never was, or has expired. */
export async function revokeRegistration(tx: Tx, id: string, { reason, now }: EndedHow): Promise<number | undefined> {
  const row = await lockRegistration(tx, id)
  if (row === undefined || row.state === 'expired') return undefined
  if (row.revoked_at !== null) return row.revoked_at
  await tx.updateTable('registrations').set({ state: 'revoked', revoked_at: now }).where('id', '=', id).execute()
  await revokeCredentials(tx, { registration_id: id }, { reason, now })
  return now
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

// Who lets agents with assertions act for them: known by (issuer, subject), never by an email address, which may change hands.

export interface Delegation {
  userId: string
  accountId: string
  /** Space-separated: what the person allows; undefined: all that an assertion says. */
  scopes?: string | undefined
}

/** False where the assertion was used before: of many at once one passes. */
export async function useAssertion(tx: Tx, { issuer, jti, expiresAt }: Pick<Assertion, 'issuer' | 'jti' | 'expiresAt'>): Promise<boolean> {
  const first = await tx
    .insertInto('assertion_ids')
    .values({ issuer, jti, expires_at: expiresAt })
    .onConflict((conflict) => conflict.columns(['issuer', 'jti']).doNothing())
    .returning('jti')
    .executeTakeFirst()
  return first !== undefined
}

/**
 * The live delegation of a subject, whose person is still a member of the account. It cannot end before the transaction does, so
 * whoever ends it first and lists its agents then misses none.
 */
export async function findDelegation(tx: Tx, issuer: string, subject: string): Promise<Delegation | undefined> {
  const live = tx.selectFrom('delegations').select('id').where('issuer', '=', issuer).where('subject', '=', subject)
  await kept(tx, live.where('revoked_at', 'is', null)).execute()
  const row = await tx
    .selectFrom('delegations as d')
    .innerJoin('users as u', 'u.id', 'd.user_id')
    .innerJoin('memberships as m', (join) => join.onRef('m.user_id', '=', 'd.user_id').onRef('m.account_id', '=', 'd.account_id'))
    .innerJoin('accounts as a', 'a.id', 'd.account_id')
    .select(['d.user_id', 'd.account_id', 'd.scopes'])
    .where('d.issuer', '=', issuer)
    .where('d.subject', '=', subject)
    .where('d.revoked_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where('a.closed_at', 'is', null)
    .executeTakeFirst()
  return row === undefined ? undefined : { userId: row.user_id, accountId: row.account_id, scopes: row.scopes ?? undefined }
}

/** Stores what a person has approved; a later approval replaces an earlier one. */
export async function saveDelegation(
  tx: Tx,
  ids: Ids,
  { issuer, subject, userId, accountId, scopes, now }: Delegation & { issuer: string; subject: string; now: number },
): Promise<void> {
  const row = { user_id: userId, account_id: accountId, scopes: scopes ?? null, revoked_at: null, created_at: now }
  await tx
    .insertInto('delegations')
    .values({ id: uuidV7(ids, now), issuer, subject, ...row })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet(row))
    .execute()
}

/** The subject must ask again. Gives what has ended by this. */
export async function endDelegation(
  tx: Tx,
  issuer: string,
  subject: string,
  now: number,
): Promise<{ id: string; account_id: string } | undefined> {
  return tx
    .updateTable('delegations')
    .set({ revoked_at: now })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('revoked_at', 'is', null)
    .returning(['id', 'account_id'])
    .executeTakeFirst()
}

/** Every subject that acted for this person in this account must ask again. */
export async function endDelegationsOf(tx: Tx, { accountId, userId }: { accountId: string; userId: string }, now: number): Promise<void> {
  await tx
    .updateTable('delegations')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute()
}
