// Invitations: a link bound to one email address, mailed or shown once, seven days, one use. The address counts as verified where
// the link was mailed to it, and not where it was shown to the person who invites: they could use it themselves.
import { z } from 'zod'
import type { WrongFields } from '@rostrum/contract/people-pages'
import { ServiceError } from '@rostrum/base/errors'
import { uuid } from '@rostrum/contract/fields'
import { iso } from '@rostrum/base/clock'
import { operation, signedIn } from '../platform/operation.ts'
import type { Role } from '../platform/principal.ts'
import type { Reader } from '../platform/db/store.ts'
import type { OneTimeLinkRow } from './tables.ts'
import { type Actor, actorOf, recordAct } from './audit.ts'
import type { AccountDeps } from './deps.ts'
import { createLink, findLink, markShown, spendLink, voidInvitations } from './links.ts'
import { invitationMail } from './mail.ts'
import { seeOther } from './pages/page.ts'
import { type FormPage, formPage, type PageRoute, type PagesDeps, signedInCookies, toSignIn, type Visit } from './visit.ts'
import { passwordFault } from './password.ts'
import { email, findUserByEmail, insertMembership, insertUser, mailOutcome, personName, requireRole, role } from './people.ts'
import { type StartedSignIn, startSignIn } from './sign-ins.ts'

const closedWords = 'This service takes no new people (ROSTRUM_SIGNUP is closed). Ask its operator.'
const invitationLifeMs = 7 * 86_400_000

type InviteDeps = Pick<AccountDeps, 'store' | 'ids' | 'settings' | 'mail'>

/** `from`: the name of the person who invites. */
async function invite(
  { store, ids, settings, mail }: InviteDeps,
  actor: Actor,
  { accountId, email, role, from }: { accountId: string; email: string; role: Role; from: string },
) {
  const { now } = actor
  const { id, url, expiresAt, account } = await store.write(async (tx) => {
    if (settings.signup === 'closed') {
      const known = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
      if (known === undefined) throw new ServiceError('forbidden', closedWords)
    }
    const made = await createLink(tx, ids, { kind: 'invite', accountId, email, role, ttlMs: invitationLifeMs, now })
    await recordAct(tx, ids, actor, { action: 'member.invited', accountId, target: ['invitation', made.id], data: { role } })
    const { name } = await tx.selectFrom('accounts').select('name').where('id', '=', accountId).executeTakeFirstOrThrow()
    return { id: made.id, url: `${settings.baseUrl}/invite/${made.token}`, expiresAt: made.expiresAt, account: name }
  })
  const outcome = (await mail?.send(invitationMail({ to: email, title: settings.title, url, account, from }))) ?? null
  const isMailed = outcome === 'sent' || outcome === 'waiting'
  if (!isMailed) await store.write((tx) => markShown(tx, id))
  // Where it was mailed the link is told to nobody else, because the mail is what verifies the address.
  return { id, email, role, created_at: now, expires_at: expiresAt, url: isMailed ? null : url, mail: outcome }
}

/** Invitations that still work, newest first. */
export function readInvitations(read: Reader, accountId: string, now: number) {
  return read
    .selectFrom('one_time_links')
    .select(['id', 'email', 'role', 'created_at', 'expires_at'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'invite')
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Throws `not_found` where no open invitation of the account has the id. */
async function withdrawInvitation(
  { store, ids }: Pick<InviteDeps, 'store' | 'ids'>,
  actor: Actor,
  accountId: string,
  id: string,
): Promise<void> {
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
    if (ended === undefined) throw new ServiceError('not_found', 'There is no such invitation. List those of the account to see their ids.')
    await recordAct(tx, ids, actor, { action: 'invitation.deleted', accountId, target: ['invitation', id] })
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

function invitationView(row: Pick<OneTimeLinkRow, 'id' | 'email' | 'role' | 'created_at' | 'expires_at'>) {
  return { id: row.id, email: row.email ?? '', role: row.role ?? 'member', createdAt: iso(row.created_at), expiresAt: iso(row.expires_at) }
}

export const createInvitation = operation({
  access: signedIn,
  name: 'create_invitation',
  summary: 'Invite somebody',
  description:
    'The link is mailed; where the service sends no mail, or the mail was refused, it is in this answer and nowhere else. It works once, for seven days, for this address.',
  errors: ['forbidden'],
  secret: true,
  input: z.object({ email, role: role.default('member') }),
  run: (wanted, call, deps: InviteDeps) => {
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

export const listInvitations = operation({
  access: signedIn,
  name: 'list_invitations',
  summary: 'List invitations',
  errors: ['forbidden'],
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

export const deleteInvitation = operation({
  access: signedIn,
  name: 'delete_invitation',
  summary: 'Withdraw an invitation',
  errors: ['forbidden'],
  input: z.object({ invitationId: uuid }),
  run: ({ invitationId }, call, deps: Pick<InviteDeps, 'store' | 'ids'>) => {
    requireRole(call.principal, 'admin')
    return withdrawInvitation(deps, actorOf(call), call.principal.accountId, invitationId)
  },
  http: { method: 'DELETE', path: '/api/v1/account/invitations/{invitationId}', status: 204 },
})

// `/invite/<token>`: joining an account. Somebody new chooses a name and a password; somebody who exists signs in as that person first,
// and then only agrees.

interface Invited {
  email: string
  role: Role
  accountName: string
  /** The person of that address, where they exist. */
  userId: string | undefined
}

const invitePage: FormPage<Invited> = {
  async find(visit) {
    const { store, settings } = visit.deps
    const link = await findLink(store.read, 'invite', visit.token, visit.now)
    if (link === undefined || link.email === null || link.account_id === null) return visit.notice(410, 'invite-gone')
    const account = await store.read.selectFrom('accounts').select('name').where('id', '=', link.account_id).executeTakeFirst()
    const userId = (await findUserByEmail(store.read, link.email))?.id
    if (userId === undefined && settings.signup === 'closed') return visit.notice(403, 'signup-closed')
    // A person who exists must be signed in as themselves.
    const present = visit.signIn?.principal.userId
    if (present !== userId) return present === undefined ? toSignIn(visit.deps, visit) : visit.notice(403, 'invite-other')
    return { email: link.email, role: link.role ?? 'member', accountName: account?.name ?? '', userId }
  },
  show: (visit, invited) => inviteForm(visit, invited, ''),
  async send(visit, invited, fields) {
    const [name, password] = [fields.get('name') ?? '', fields.get('password') ?? '']
    const wrong = invited.userId === undefined ? await wrongOf(name, password, invited) : undefined
    if (wrong !== undefined) return inviteForm(visit, invited, name, wrong)
    const { passwords } = visit.deps
    const who =
      invited.userId === undefined ? { name: name.trim(), passwordHash: await passwords.hash(password) } : { userId: invited.userId }
    const started = await acceptInvitation(visit, who)
    return started === undefined
      ? visit.notice(410, 'invite-gone')
      : seeOther('/dashboard', signedInCookies(visit.deps, started.cookie, invited.email))
  },
}

/** Uses up the invitation, with all others of its address to the account, and signs the person in there; undefined where it is gone. */
async function acceptInvitation(
  { deps, token, now, address, label, requestId, signIn }: Visit,
  who: { userId: string } | { name: string; passwordHash: string },
): Promise<StartedSignIn | undefined> {
  const { ids } = deps
  return deps.store.write(async (tx) => {
    const link = await spendLink(tx, 'invite', token, now)
    if (link === undefined || link.account_id === null || link.email === null) return undefined
    const accountId = link.account_id
    const role = link.role ?? 'member'
    let userId: string | undefined
    if ('userId' in who) {
      userId = who.userId
      await insertMembership(tx, ids, { accountId, userId, role, now })
    } else userId = await insertUser(tx, ids, { ...who, email: link.email, isVerified: link.is_shown === 0, accountId, role, now })
    if (userId === undefined) throw new ServiceError('conflict', 'This person exists already: sign in first, then open the link again.')
    await voidInvitations(tx, accountId, link.email, now)
    if (signIn !== undefined) await tx.updateTable('sign_ins').set({ ended_at: now }).where('id', '=', signIn.principal.signInId).execute()
    const actor: Actor = { kind: 'user', id: userId, address, requestId, now }
    await recordAct(tx, ids, actor, { action: 'member.joined', accountId, target: ['user', userId], data: { role } })
    return startSignIn(tx, ids, { userId, accountId, label, address, now })
  })
}

async function wrongOf(name: string, password: string, { email: address, accountName }: Invited): Promise<WrongFields | undefined> {
  const fault = await passwordFault(password, [name, address, accountName])
  const isNamed = personName.safeParse(name).success
  return isNamed && fault === undefined ? undefined : { ...(!isNamed && { name: true }), password: fault }
}

function inviteForm(
  visit: Visit,
  { email: address, accountName: account, role, userId }: Invited,
  name: string,
  wrong?: WrongFields,
): Response {
  const newcomer = userId === undefined && { newcomer: { email: address, name, wrong: wrong ?? {} } }
  return visit.render('invite', { account, role, ...newcomer }, { status: wrong === undefined ? 200 : 400 })
}

export const inviteRoutes = (deps: PagesDeps): PageRoute[] => formPage(deps, '/invite/:token', invitePage)
