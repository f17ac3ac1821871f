// API keys (spec 5.2): long-lived credentials that a person makes in the dashboard, or the operator at the command line. Shown
// once; a member sees and ends their own, an owner or admin every key of the account.
import { ServiceError } from '../kernel/errors.ts'
import type { Role, Scope } from '../kernel/principal.ts'
import { isScope, scopes as allScopes } from '../kernel/principal.ts'
import type { Reader } from '../storage/store.ts'
import type { Actor } from './audit.ts'
import { recordAct } from './audit.ts'
import { issueCredential, revokeCredentials } from './credentials.ts'
import type { AuthDeps } from './deps.ts'

export const keyLifeMs = 365 * 86_400_000

/** Whose keys: of the whole account, or of one person in it. */
export interface KeyOwner {
  accountId: string
  userId?: string | undefined
}

/** A member works with their own keys alone. */
export function keysOf(principal: { accountId: string; userId: string; role: Role }): KeyOwner {
  return principal.role === 'member' ? { accountId: principal.accountId, userId: principal.userId } : { accountId: principal.accountId }
}

export interface KeySpec extends KeyOwner {
  name: string
  /** Every scope where absent. */
  scopes?: readonly Scope[] | undefined
  /** null: it never expires. One year where absent. */
  lifeMs?: number | null | undefined
}

export interface KeyRecord {
  id: string
  name: string
  kind: 'live'
  last4: string
  scopes: readonly Scope[]
  createdAt: number
  lastUsedAt: number | null
  expiresAt: number | null
  /** The key made in its place; this one works on until `expiresAt`. */
  replacedBy: string | null
}

type KeyDeps = Pick<AuthDeps, 'store' | 'ids'>

/** Makes a key; `key` is the secret and is kept nowhere. */
export async function createKey({ store, ids }: KeyDeps, actor: Actor, spec: KeySpec): Promise<KeyRecord & { key: string }> {
  const now = actor.now
  const scopes = allScopes.filter((scope) => spec.scopes === undefined || spec.scopes.includes(scope))
  const lifeMs = spec.lifeMs === undefined ? keyLifeMs : spec.lifeMs
  const expiresAt = lifeMs === null ? null : now + lifeMs
  const { id, token } = await store.write(async (tx) => {
    const made = await issueCredential(tx, ids, { ...spec, kind: 'live', scopes, expiresAt, now })
    await recordAct(tx, ids, actor, {
      action: 'key.created',
      accountId: spec.accountId,
      target: { kind: 'credential', id: made.id },
      data: { scopes },
    })
    return made
  })
  const made = { id, name: spec.name, kind: 'live', last4: token.slice(-4), scopes, createdAt: now } as const
  return { ...made, lastUsedAt: null, expiresAt, replacedBy: null, key: token }
}

/** The keys that are not revoked, newest first. One that was replaced is left out once its grace is over. */
export async function listKeys(read: Reader, { accountId, userId }: KeyOwner, now: number): Promise<KeyRecord[]> {
  let query = read
    .selectFrom('credentials')
    .select(['id', 'name', 'last4', 'scopes', 'created_at', 'last_used_at', 'expires_at', 'replaced_by'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'live')
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('replaced_by', 'is', null), row('expires_at', '>', now)]))
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    kind: 'live',
    last4: row.last4,
    scopes: row.scopes.split(' ').filter(isScope),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    replacedBy: row.replaced_by,
  }))
}

/** Throws `not_found` where no live key of this owner has the id. */
export async function renameKey(
  { store }: Pick<AuthDeps, 'store'>,
  { accountId, userId }: KeyOwner,
  id: string,
  { name, now }: { name: string; now: number },
): Promise<KeyRecord> {
  await store.write(async (tx) => {
    let update = tx.updateTable('credentials').set({ name }).where('id', '=', id).where('account_id', '=', accountId)
    if (userId !== undefined) update = update.where('user_id', '=', userId)
    const renamed = await update.where('kind', '=', 'live').where('revoked_at', 'is', null).returning('id').executeTakeFirst()
    if (renamed === undefined) throw noSuchKey()
  })
  const key = (await listKeys(store.read, { accountId, userId }, now)).find((candidate) => candidate.id === id)
  if (key === undefined) throw noSuchKey()
  return key
}

/** Ends a key at once. Throws `not_found` where no live key of this owner has the id. */
export async function revokeKey({ store, ids }: KeyDeps, actor: Actor, { accountId, userId }: KeyOwner, id: string): Promise<void> {
  await store.write(async (tx, ring) => {
    const owner = { accountId, ...(userId === undefined ? {} : { userId }) }
    const ended = await revokeCredentials(tx, ring, { id, kind: 'live', ...owner }, { reason: 'revoked', now: actor.now })
    if (ended === 0) throw noSuchKey()
    await recordAct(tx, ids, actor, { action: 'key.revoked', accountId, target: { kind: 'credential', id } })
  })
}

export function noSuchKey(): ServiceError {
  return new ServiceError('not_found', 'There is no such key. List yours to see their ids.')
}
