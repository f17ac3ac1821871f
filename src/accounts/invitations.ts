// Invitations: a link bound to one e-mail address, mailed or shown once, seven days, one use. The address counts as verified where
// the link was mailed to it, and not where it was shown to the person who invites: they could use it themselves.
import { z } from 'zod'
import { ServiceError } from '../platform/errors.ts'
import { uuid } from '../contract/fields.ts'
import { iso } from '../platform/iso.ts'
import { creates, deletes, operation, reads, signedIn } from '../platform/operation.ts'
import type { Role } from '../platform/principal.ts'
import type { Reader } from '../platform/db/store.ts'
import type { OneTimeLinkRow } from '../platform/db/tables/auth.ts'
import { type Actor, actorOf, recordAct } from './audit.ts'
import type { AccountDeps } from './deps.ts'
import { createLink, markShown, spendLink, voidInvitations } from './links.ts'
import { invitationMail, type MailOutcome } from './mail.ts'
import { requireRole } from './members.ts'
import { email, insertMembership, insertUser, mailOutcome, role } from './people.ts'
import { type StartedSignIn, startSignIn } from './sign-ins.ts'

export const closedWords = 'This service takes no new people (ROSTRUM_SIGNUP is closed). Ask its operator.'
const invitationLifeMs = 7 * 86_400_000

interface Invitation {
  id: string
  email: string
  role: Role
  createdAt: number
  expiresAt: number
}

type InviteDeps = Pick<AccountDeps, 'store' | 'ids' | 'settings'>

export interface NewInvitation extends Invitation {
  /** To hand over; null where it was mailed, because the mail is what verifies the address. */
  url: string | null
  /** null where the service sends no mail. */
  mail: MailOutcome | null
}

/** `from`: the name of the person who invites. */
async function invite(
  { store, ids, settings, mail }: InviteDeps & Pick<AccountDeps, 'mail'>,
  actor: Actor,
  { accountId, email, role, from }: { accountId: string; email: string; role: Role; from: string },
): Promise<NewInvitation> {
  const { now } = actor
  const { id, url, expiresAt, account } = await store.write(async (tx) => {
    if (settings.signup === 'closed') {
      const known = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
      if (known === undefined) throw new ServiceError('forbidden', closedWords)
    }
    const made = await createLink(tx, ids, { kind: 'invite', accountId, email, role, ttlMs: invitationLifeMs, now })
    await recordAct(tx, ids, actor, { action: 'member.invited', accountId, target: { kind: 'invitation', id: made.id }, data: { role } })
    const { name } = await tx.selectFrom('accounts').select('name').where('id', '=', accountId).executeTakeFirstOrThrow()
    return { id: made.id, url: `${settings.baseUrl}/invite/${made.token}`, expiresAt: made.expiresAt, account: name }
  })
  const outcome = (await mail?.send(invitationMail({ to: email, title: settings.title, url, account, from }))) ?? null
  const isMailed = outcome === 'sent' || outcome === 'waiting'
  if (!isMailed) await store.write((tx) => markShown(tx, id))
  return { id, email, role, createdAt: now, expiresAt, url: isMailed ? null : url, mail: outcome }
}

/** Invitations that still work, newest first. */
export async function readInvitations(read: Reader, accountId: string, now: number): Promise<Invitation[]> {
  const rows = await read
    .selectFrom('one_time_links')
    .select(['id', 'email', 'role', 'created_at', 'expires_at'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'invite')
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    email: row.email ?? '',
    role: row.role ?? 'member',
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }))
}

/** Throws `not_found` where no open invitation of the account has the id. */
async function withdrawInvitation({ store, ids }: InviteDeps, actor: Actor, accountId: string, id: string): Promise<void> {
  await store.write(async (tx) => {
    const ended = await tx
      .updateTable('one_time_links')
      .set({ used_at: actor.now })
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('kind', '=', 'invite')
      .where('used_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (ended === undefined) throw new ServiceError('not_found', 'There is no such invitation.')
    await recordAct(tx, ids, actor, { action: 'invitation.deleted', accountId, target: { kind: 'invitation', id } })
  })
}

export interface Invitee {
  address: string
  label: string
  requestId: string
  now: number
  /** The person exists already, or is made now. */
  who: { userId: string } | { name: string; passwordHash: string }
  /** The sign-in of this browser that the new one takes the place of. */
  replaces?: string | undefined
}

/**
 * Uses up the invitation, with all others of its address to the account, and signs the person in there; undefined where it was used,
 * expired or never was.
 */
export async function acceptInvitation({ store, ids }: InviteDeps, token: string, invitee: Invitee): Promise<StartedSignIn | undefined> {
  const { now, address, label, requestId, who } = invitee
  return store.write(async (tx) => {
    const link: OneTimeLinkRow | undefined = await spendLink(tx, 'invite', token, now)
    if (link === undefined || link.account_id === null || link.email === null) return undefined
    const accountId = link.account_id
    const role = link.role ?? 'member'
    let userId: string | undefined
    if ('userId' in who) {
      userId = who.userId
      await insertMembership(tx, ids, { accountId, userId, role, now })
    } else {
      const person = { email: link.email, isVerified: link.is_shown === 0, name: who.name, passwordHash: who.passwordHash }
      userId = await insertUser(tx, ids, { ...person, accountId, role, now })
    }
    if (userId === undefined) throw new ServiceError('conflict', 'This person exists already: sign in first, then open the link again.')
    await voidInvitations(tx, accountId, link.email, now)
    if (invitee.replaces !== undefined) await tx.updateTable('sign_ins').set({ ended_at: now }).where('id', '=', invitee.replaces).execute()
    const actor: Actor = { kind: 'user', id: userId, address, requestId, now }
    await recordAct(tx, ids, actor, { action: 'member.joined', accountId, target: { kind: 'user', id: userId }, data: { role } })
    return startSignIn(tx, ids, { userId, accountId, label, address, now })
  })
}

// How an invitation is shown in `/api/v1/account/invitations`: everything but the link.

const invitationShape = z.object({
  id: z.uuid(),
  email: z.string(),
  role,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
})

function invitationView({ id, email, role: as, createdAt, expiresAt }: Invitation) {
  return { id, email, role: as, createdAt: iso(createdAt), expiresAt: iso(expiresAt) }
}

// POST /api/v1/account/invitations: a link for one person, mailed or shown once.

export const createInvitation = operation({
  name: 'create_invitation',
  area: 'account',
  summary: 'Invite somebody',
  description:
    'The link is mailed; where the service sends no mail, or the mail was refused, it is in this answer and nowhere else. It works once, for seven days, for this address.',
  access: signedIn,
  effects: creates,
  limit: 'api',
  errors: ['forbidden', 'csrf_failed', 'sign_in_required'],
  secret: true,
  input: z.object({ email, role: role.default('member') }),
  run: (wanted, call, deps: Pick<AccountDeps, 'store' | 'ids' | 'settings' | 'mail'>) => {
    const { principal } = call
    requireRole(principal, wanted.role === 'owner' ? 'owner' : 'admin')
    return invite(deps, actorOf(call), { accountId: principal.accountId, from: principal.label, ...wanted })
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/invitations',
    status: 201,
    output: invitationShape.extend({ url: z.url().nullable(), mail: mailOutcome.nullable() }),
    view: (made) => ({ ...invitationView(made), url: made.url, mail: made.mail }),
  },
})

// GET /api/v1/account/invitations: the invitations that still work.

export const listInvitations = operation({
  name: 'list_invitations',
  area: 'account',
  summary: 'List invitations',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['forbidden', 'sign_in_required'],
  input: z.object({}),
  run: (_, { principal, now }, { store }: Pick<AccountDeps, 'store'>) => {
    requireRole(principal, 'admin')
    return readInvitations(store.read, principal.accountId, now)
  },
  http: {
    method: 'GET',
    path: '/api/v1/account/invitations',
    output: z.object({ invitations: z.array(invitationShape) }),
    view: (open) => ({ invitations: open.map(invitationView) }),
  },
})

// DELETE /api/v1/account/invitations/{invitationId}: the link no longer works.

export const deleteInvitation = operation({
  name: 'delete_invitation',
  area: 'account',
  summary: 'Withdraw an invitation',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['forbidden', 'not_found', 'csrf_failed', 'sign_in_required'],
  input: z.object({ invitationId: uuid }),
  run: ({ invitationId }, call, deps: Pick<AccountDeps, 'store' | 'ids' | 'settings'>) => {
    requireRole(call.principal, 'admin')
    return withdrawInvitation(deps, actorOf(call), call.principal.accountId, invitationId)
  },
  http: { method: 'DELETE', path: '/api/v1/account/invitations/{invitationId}', status: 204 },
})
