// API keys (spec 5.2): long-lived credentials that a person makes in the dashboard, or the operator at the command line. Shown
// once; a member sees and ends their own, an owner or admin every key of the account.
import { sql } from 'kysely'
import { z } from 'zod'
import { ServiceError } from '@rostrum/base/errors'
import { uuid, words } from '@rostrum/contract/fields'
import { iso, isoOrNull } from '@rostrum/base/clock'
import { operation, signedIn } from '../platform/operation.ts'
import { type Role, type Scope, scopes, scopes as allScopes, scopesOf } from '../platform/principal.ts'
import type { Reader } from '../platform/db/store.ts'
import type { CredentialRow } from './tables.ts'
import { type Actor, actorOf, recordAct } from './audit.ts'
import { issueCredential, revokeCredentials } from './credentials.ts'
import type { AccountDeps } from './deps.ts'
import { type FreshDeps, requireFresh } from './sign-ins.ts'

export const keyLifeMs = 365 * 86_400_000

/** Whose keys: of the whole account, or of one person in it. */
interface KeyOwner {
  accountId: string
  userId?: string | undefined
}

/** A member works with their own keys alone. */
function keysOf(principal: { accountId: string; userId: string; role: Role }): KeyOwner {
  return principal.role === 'member' ? { accountId: principal.accountId, userId: principal.userId } : { accountId: principal.accountId }
}

export interface KeySpec extends KeyOwner {
  name: string
  /** Every scope where absent. */
  scopes?: readonly Scope[] | undefined
  /** null: it never expires. One year where absent. */
  lifeMs?: number | null | undefined
}

type KeyDeps = Pick<AccountDeps, 'store' | 'ids'>

/** Makes a key; `key` is the secret and is kept nowhere. */
export async function issueKey({ store, ids }: KeyDeps, actor: Actor, spec: KeySpec): Promise<KeyRecord & { key: string }> {
  const { now } = actor
  const scopes = allScopes.filter((scope) => spec.scopes === undefined || spec.scopes.includes(scope))
  const lifeMs = spec.lifeMs === undefined ? keyLifeMs : spec.lifeMs
  const expiresAt = lifeMs === null ? null : now + lifeMs
  return store.write(async (tx) => {
    const made = await issueCredential(tx, ids, { ...spec, kind: 'live', scopes, expiresAt, now })
    const target = ['credential', made.row.id] as const
    await recordAct(tx, ids, actor, { action: 'key.created', accountId: spec.accountId, target, data: { scopes } })
    return { ...recordOf(made.row), key: made.token }
  })
}

/** Everything but the secret. */
function recordOf(row: Omit<CredentialRow, 'hash'>) {
  return {
    id: row.id,
    name: row.name,
    kind: 'live' as const,
    last4: row.last4,
    scopes: scopesOf(row),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    replacedBy: row.replaced_by,
  }
}
type KeyRecord = ReturnType<typeof recordOf>

/** For `where`. */
const ownedBy = ({ accountId, userId }: KeyOwner) => ({
  kind: 'live' as const,
  account_id: accountId,
  ...(userId !== undefined && { user_id: userId }),
})

/** The keys that are not revoked, newest first. One that was replaced is left out once its grace is over. */
export async function readKeys(read: Reader, owner: KeyOwner, now: number): Promise<KeyRecord[]> {
  const rows = await read
    .selectFrom('credentials')
    .selectAll()
    .where((row) => row.and(ownedBy(owner)))
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('replaced_by', 'is', null), row('expires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(recordOf)
}

/** Throws `not_found` where no live key of this owner has the id. */
export async function renameKey(
  { store }: Pick<AccountDeps, 'store'>,
  owner: KeyOwner,
  id: string,
  { name, now }: { name: string; now: number },
): Promise<KeyRecord> {
  const renamed = await store.write((tx) =>
    tx
      .updateTable('credentials')
      .set({ name })
      .where((row) => row.and({ id, ...ownedBy(owner) }))
      .where('revoked_at', 'is', null)
      .where((row) => row.or([row('replaced_by', 'is', null), row('expires_at', '>', now)]))
      .returningAll()
      .executeTakeFirst(),
  )
  if (renamed === undefined) throw noSuchKey()
  return recordOf(renamed)
}

/** Ends a key at once. Throws `not_found` where no live key of this owner has the id. */
export async function endKey({ store, ids }: KeyDeps, actor: Actor, owner: KeyOwner, id: string): Promise<void> {
  await store.write(async (tx) => {
    const ended = await revokeCredentials(tx, { id, ...ownedBy(owner) }, { reason: 'revoked', now: actor.now })
    if (ended === 0) throw noSuchKey()
    await recordAct(tx, ids, actor, { action: 'key.revoked', accountId: owner.accountId, target: ['credential', id] })
  })
}

function noSuchKey(): ServiceError {
  return new ServiceError('not_found', 'There is no such key. List yours to see their ids.')
}

// Rotation of an API key with overlap: a new key is made, the old one works on for a grace, so that code can change over without
// a refused call. What the old key keeps alive, its webhooks, goes on under the new one.

export interface Rotation {
  id: string
  /** How long the old key works on; 0 ends it at once. */
  graceMs: number
  /** Whose the new key is: the person who sees it. Absent: whose the old one was. */
  holderId?: string | undefined
}

/**
 * Makes a key with the name, the scopes and the length of life of the old one. Of many at once one makes it. Throws `not_found`
 * where no live key of this owner has the id, `conflict` where it was replaced before.
 */
export async function replaceKey(
  { store, ids }: KeyDeps,
  actor: Actor,
  owner: KeyOwner,
  { id, graceMs, holderId }: Rotation,
): Promise<KeyRecord & { key: string; previous: { id: string; endsAt: number } }> {
  const { now } = actor
  const { accountId } = owner
  return store.write(async (tx) => {
    const old = await tx
      .selectFrom('credentials')
      .selectAll()
      .where((row) => row.and({ id, ...ownedBy(owner) }))
      .executeTakeFirst()
    if (old === undefined || old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= now)) throw noSuchKey()
    const expiresAt = old.expires_at === null ? null : now + (old.expires_at - old.created_at)
    const scopes = scopesOf(old)
    const holder = holderId ?? old.user_id ?? undefined
    const made = await issueCredential(tx, ids, { kind: 'live', accountId, userId: holder, name: old.name, scopes, expiresAt, now })
    const end = now + graceMs
    const replaced = await tx
      .updateTable('credentials')
      .set({ replaced_by: made.row.id, expires_at: sql<number>`CASE WHEN expires_at < ${end} THEN expires_at ELSE ${end} END` })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where('replaced_by', 'is', null)
      .returning('expires_at')
      .executeTakeFirst()
    if (replaced === undefined) throw new ServiceError('conflict', 'This key was replaced before: rotate the one that took its place.')
    if (graceMs === 0) await revokeCredentials(tx, { id }, { reason: 'rotated', now })
    await tx.updateTable('webhook_subscriptions').set({ owner_credential_id: made.row.id }).where('owner_credential_id', '=', id).execute()
    const data = { replacedBy: made.row.id, graceSeconds: Math.round(graceMs / 1_000) }
    await recordAct(tx, ids, actor, { action: 'key.rotated', accountId, target: ['credential', id], data })
    return { ...recordOf(made.row), key: made.token, previous: { id, endsAt: replaced.expires_at ?? end } }
  })
}

// How an API key is shown in `/api/v1/account/keys`: everything but the secret.

const keyShape = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: z.literal('live'),
  last4: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  replacedBy: z.uuid().nullable().describe('The key made in its place; this one works until `expiresAt`.'),
})

function keyView<Key extends KeyRecord>({ createdAt, lastUsedAt, expiresAt, ...key }: Key) {
  return { ...key, createdAt: iso(createdAt), lastUsedAt: isoOrNull(lastUsedAt), expiresAt: isoOrNull(expiresAt) }
}

// POST /api/v1/account/keys: makes an API key and shows it once (spec 5.2).

const tenYears = 10 * 365 * 86_400

export const createKey = operation({
  access: signedIn,
  name: 'create_key',
  summary: 'Make an API key',
  description: 'The key is in this answer and nowhere else: only its fingerprint is kept.',
  errors: ['login_required', 'sign_in_failed'],
  secret: true,
  input: z.object({
    name: words(100),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).optional().describe('Every scope unless given.'),
    expiresIn: z.int().min(60).max(tenYears).nullable().optional().describe('Seconds; null: it never expires; one year unless given.'),
    password: z.string().max(1_024).optional().describe('Needed when the last sign-in is older than ten minutes.'),
  }),
  run: async (request, call, deps: KeyDeps & FreshDeps) => {
    await requireFresh(deps, call, request.password)
    const { accountId, userId } = call.principal
    const lifeMs = typeof request.expiresIn === 'number' ? request.expiresIn * 1_000 : request.expiresIn
    return issueKey(deps, actorOf(call), { accountId, userId, name: request.name, scopes: request.scopes, lifeMs })
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/keys',
    status: 201,
    output: keyShape.extend({ key: z.string() }),
    view: keyView,
  },
})

export const listKeys = operation({
  access: signedIn,
  name: 'list_keys',
  summary: 'List API keys',
  description: 'A member sees their own keys, an owner or admin all keys of the account. Revoked keys are left out.',
  input: z.object({}),
  run: (_, call, { store }: Pick<AccountDeps, 'store'>) => readKeys(store.read, keysOf(call.principal), call.now),
  http: {
    method: 'GET',
    path: '/api/v1/account/keys',
    output: z.object({ keys: z.array(keyShape) }),
    view: (keys) => ({ keys: keys.map(keyView) }),
  },
})

export const updateKey = operation({
  access: signedIn,
  name: 'update_key',
  summary: 'Rename an API key',
  input: z.object({ keyId: uuid, name: words(100) }),
  run: ({ keyId, name }, call, deps: Pick<AccountDeps, 'store'>) => renameKey(deps, keysOf(call.principal), keyId, { name, now: call.now }),
  http: { method: 'PATCH', path: '/api/v1/account/keys/{keyId}', output: keyShape, view: (key) => keyView(key) },
})

// POST /api/v1/account/keys/{keyId}/rotate: a new key in the place of an old one, which works on for a grace (spec 5.2).

const graceSecondsMax = 30 * 86_400

export const rotateKey = operation({
  access: signedIn,
  name: 'rotate_key',
  summary: 'Replace an API key, with overlap',
  description:
    'The new key has the name, scopes and length of life of the old one and is in this answer and nowhere else. It belongs to the person who rotates; webhooks of the old key go on under it.',
  errors: ['conflict', 'login_required', 'sign_in_failed'],
  secret: true,
  input: z.object({
    keyId: uuid,
    graceSeconds: z
      .int()
      .min(0)
      .max(graceSecondsMax)
      .default(86_400)
      .describe('How long the old key works on; 0 ends it at once, for one that leaked. A day unless given.'),
    password: z.string().max(1_024).optional().describe('Needed when the last sign-in is older than ten minutes.'),
  }),
  run: async ({ keyId, graceSeconds, password }, call, deps: KeyDeps & FreshDeps) => {
    await requireFresh(deps, call, password)
    const { principal } = call
    const wanted = { id: keyId, graceMs: graceSeconds * 1_000, holderId: principal.userId }
    return replaceKey(deps, actorOf(call), keysOf(principal), wanted)
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/keys/{keyId}/rotate',
    status: 201,
    output: keyShape.extend({ key: z.string(), previous: z.object({ id: z.uuid(), endsAt: z.iso.datetime() }) }),
    view: ({ previous, ...made }) => ({ ...keyView(made), previous: { id: previous.id, endsAt: iso(previous.endsAt) } }),
  },
})

export const revokeKey = operation({
  access: signedIn,
  name: 'revoke_key',
  summary: 'Revoke an API key',
  input: z.object({ keyId: uuid }),
  run: ({ keyId }, call, deps: Pick<AccountDeps, 'store' | 'ids'>) => endKey(deps, actorOf(call), keysOf(call.principal), keyId),
  http: { method: 'DELETE', path: '/api/v1/account/keys/{keyId}', status: 204 },
})
