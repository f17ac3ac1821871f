// Accounts and the people in them. One account, the owner's, exists from the first command on: the demo session and early
// keys belong to it, and set-up adds its first user.
import { z } from 'zod'
import { text, words } from '@rostrum/contract/fields'
import { ServiceError } from '@rostrum/base/errors'
import { type Ids, uuidV7 } from '@rostrum/base/clock'
import type { Role, UserPrincipal } from '../platform/principal.ts'
import { held, prepared } from '../platform/db/statements.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import type { Config } from '../config/config.ts'
import type { AccountRow, UserRow } from './tables.ts'

/** An unclaimed agent's sandbox. */
const agentSessions = 3

export const personName = words(200)
export const accountName = words(200)
/** As it is stored and compared: trimmed, NFC, lower case. */
export const email = z
  .string()
  .max(254)
  .transform((text) => text.trim().normalize('NFC').toLowerCase())
  .refine(
    (text) => /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]]+$/.test(text) && !text.includes('\u0000') && text.isWellFormed(),
    'send an email address.',
  )

/** The id of the owner's account, made on first use. Safe to call from many processes at once. */
export async function ensureOwnerAccount(store: Store, ids: Ids, name: string, now: number): Promise<string> {
  const find = (from: Reader) => from.selectFrom('accounts').select('id').where('is_owner', '=', 1).executeTakeFirst()
  const known = await find(store.read)
  if (known) return known.id
  return store.write(async (tx) => {
    await insertAccount(tx, { id: uuidV7(ids, now), name, kind: 'organization', is_owner: 1, created_at: now })
    const owner = await find(tx)
    if (owner === undefined) throw new Error('the owner account could not be made')
    return owner.id
  })
}

type NewAccount = Pick<AccountRow, 'id' | 'name' | 'kind' | 'is_owner' | 'created_at'>

export async function insertAccount(tx: Tx, account: NewAccount): Promise<void> {
  await tx
    .insertInto('accounts')
    .values({ ...account, plan: null, people_views: null, merged_into: null, closed_at: null })
    .onConflict((conflict) => conflict.column('is_owner').doNothing())
    .execute()
}

export interface NewUser {
  email: string
  /** True unless said otherwise: the operator, or the link that was mailed to the address, vouches for it. */
  isVerified?: boolean
  name: string
  /** PHC string. */
  passwordHash: string
  accountId: string
  role: Role
  now: number
}

/** Adds a person and their first membership; undefined where the email address is taken. */
export async function insertUser(tx: Tx, ids: Ids, user: NewUser): Promise<string | undefined> {
  const id = uuidV7(ids, user.now)
  const added = await tx
    .insertInto('users')
    .values({
      id,
      email: user.email,
      name: user.name,
      email_verified_at: (user.isVerified ?? true) ? user.now : null,
      password_hash: user.passwordHash,
      password_changed_at: user.now,
      created_at: user.now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (added === undefined) return undefined
  await insertMembership(tx, ids, { accountId: user.accountId, userId: id, role: user.role, now: user.now })
  return id
}

/** False where the person is already a member. */
export async function insertMembership(
  tx: Tx,
  ids: Ids,
  { accountId, userId, role, now }: { accountId: string; userId: string; role: Role; now: number },
): Promise<boolean> {
  const added = await tx
    .insertInto('memberships')
    .values({ id: uuidV7(ids, now), account_id: accountId, user_id: userId, role, created_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return added !== undefined
}

/** Changes wait for each other here, so that two of them cannot both see the other's owner still in place. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set((row) => ({ name: row.ref('name') }))
    .where('id', '=', accountId)
    .execute()
}

export function findUserByEmail(read: Reader, address: string): Promise<UserRow | undefined> {
  return read.selectFrom('users').selectAll().where('email', '=', address).where('disabled_at', 'is', null).executeTakeFirst()
}

/** Whether a person who was read before may still come in by the password of then, which stays until the transaction ends. */
export async function hasSamePassword(tx: Tx, { id, password_changed_at }: UserRow): Promise<boolean> {
  const query = tx.selectFrom('users').select('password_changed_at').where('id', '=', id).where('disabled_at', 'is', null)
  const row = await held(tx, query).executeTakeFirst()
  return row !== undefined && row.password_changed_at === password_changed_at
}

export async function hasUsers(read: Reader): Promise<boolean> {
  return (await read.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** The open accounts a person works in, oldest membership first. */
export function listAccountsOf(read: Reader, userId: string): Promise<MemberAccount[]> {
  return read
    .selectFrom('memberships as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name', 'm.role'])
    .where('m.user_id', '=', userId)
    .where('a.closed_at', 'is', null)
    .orderBy('m.created_at')
    .orderBy('m.id')
    .execute()
}

export interface AccountPlan {
  sessions: number
  /** Counted for ever instead of by month: the sandbox of an unclaimed agent. */
  perLife: boolean
}

const planOverrides = z.object({ sessions: z.int().min(0).optional() })

const findPlan = prepared((db, { id }: { id: string }) => db.selectFrom('accounts').select(['kind', 'plan']).where('id', '=', id))

export async function planOf(read: Reader, accountId: string, settings: Pick<Config, 'planSessions'>): Promise<AccountPlan> {
  const [account] = await findPlan(read, { id: accountId })
  if (account === undefined) throw new Error('the account of a credential is gone')
  if (account.kind === 'agent') return { sessions: agentSessions, perLife: true }
  const overrides = account.plan === null ? {} : planOverrides.parse(JSON.parse(account.plan))
  return { sessions: overrides.sessions ?? settings.planSessions, perLife: false }
}

/** The sandbox of an agent that nobody has claimed. */
export async function isAgentAccount(read: Reader, accountId: string): Promise<boolean> {
  const [account] = await findPlan(read, { id: accountId })
  return account?.kind === 'agent'
}

/** Throws `forbidden` below the role. */
export function requireRole(principal: UserPrincipal, least: 'admin' | 'owner'): void {
  const allowed: readonly Role[] = least === 'owner' ? ['owner'] : ['owner', 'admin']
  if (!allowed.includes(principal.role)) throw new ServiceError('forbidden', `This is for an ${least} of the account.`)
}

export const role = z.enum(['owner', 'admin', 'member'])
export const mailOutcome = z
  .enum(['sent', 'waiting', 'refused'])
  .describe('Whether the mail was handed over; `waiting`: it is tried again.')
const accountShape = z.object({ id: z.uuid(), name: z.string(), role })
export type MemberAccount = z.output<typeof accountShape>

export const peopleViews = z.array(z.object({ name: words(40), query: text(500) })).max(50)

export const accountView = z.object({
  user: z.object({ id: z.uuid(), email: z.string(), name: z.string() }),
  account: accountShape,
  role,
  sendsMail: z.boolean().describe('Whether this service mails links, or people hand them over.'),
  peopleViews: peopleViews.describe('Filters of people that the account keeps, by name.'),
  accounts: z.array(accountShape).describe('Those this person may switch to.'),
  csrf: z.string().describe('Send it as `X-CSRF-Token` with every unsafe request of the dashboard.'),
})
