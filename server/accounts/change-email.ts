// Another email address: it takes effect when a link that was mailed to it is opened by the same signed-in person, so that it is
// verified, and nobody can make another person confirm an address for them.
import { z } from 'zod'
import { ServiceError } from '@rostrum/base/errors'
import { changes, operation, signedIn } from '../platform/operation.ts'
import type { UserPrincipal } from '../platform/principal.ts'
import { type Actor, actorOf, recordAct } from './audit.ts'
import type { AccountDeps } from './deps.ts'
import { createLink, findLink, spendLink, voidLinks } from './links.ts'
import { addressChangedMail, type Mailer, type MailOutcome, verifyMail } from './mail.ts'
import { type FormPage, formPage, type PageRoute, type PagesDeps, toSignIn, type Visit } from './visit.ts'
import { email, mailOutcome } from './people.ts'
import { type FreshDeps, requireFresh } from './sign-ins.ts'

const lifeMs = 24 * 3_600_000

type EmailDeps = Pick<AccountDeps, 'store' | 'ids' | 'settings'>

/** Mails a link to the new address; an older link dies. Whether anybody has the address shows only to who reads its mail. */
async function startEmailChange(
  { store, ids, settings }: EmailDeps,
  mail: Mailer,
  actor: Actor,
  { principal, email }: { principal: UserPrincipal; email: string },
): Promise<MailOutcome> {
  const { userId, accountId } = principal
  const { token } = await store.write(async (tx) => {
    await voidLinks(tx, 'verify', userId, actor.now)
    await recordAct(tx, ids, actor, { action: 'email.change_asked', accountId, target: ['user', userId] })
    return createLink(tx, ids, { kind: 'verify', userId, email, ttlMs: lifeMs, now: actor.now })
  })
  return mail.send(verifyMail({ to: email, title: settings.title, url: `${settings.baseUrl}/verify/${token}` }))
}

/** Uses the link up and gives the person the address; of many at once one changes it. */
async function confirmEmail({ deps, token, ...call }: Visit, principal: UserPrincipal): Promise<'changed' | 'gone' | 'taken'> {
  const { store, ids, settings, mail } = deps
  const { userId, accountId } = principal
  const { now } = call
  const change = store.write(async (tx) => {
    const link = await spendLink(tx, 'verify', token, now)
    if (link === undefined || link.user_id !== userId || link.email === null) return 'gone'
    const { email } = link
    const user = await tx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
    const holder = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
    if (holder !== undefined && holder.id !== userId) return 'taken'
    await tx.updateTable('users').set({ email, email_verified_at: now }).where('id', '=', userId).execute()
    await voidLinks(tx, 'reset', userId, now)
    await recordAct(tx, ids, actorOf({ ...call, principal }), {
      action: 'email.changed',
      accountId,
      target: ['user', userId],
    })
    if (user.email !== email) await mail?.queue(tx, addressChangedMail({ to: user.email, title: settings.title }))
    return 'changed'
  })
  return change.catch((error: unknown) => {
    if (!isTaken(error)) throw error
    return 'taken' as const
  })
}

/** On PostgreSQL two people may come to the unique index at the same moment (SQLSTATE 23505). */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

export const changeEmail = operation({
  access: signedIn,
  name: 'change_email',
  summary: 'Ask for another email address',
  description: 'A link goes to the new address. It works for a day, for the same signed-in person; until then the old address stays.',
  effects: changes,
  errors: ['forbidden', 'login_required', 'sign_in_failed'],
  input: z.object({
    email,
    password: z.string().max(1_024).optional().describe('Needed when the last sign-in is older than ten minutes.'),
  }),
  run: async (request, call, deps: EmailDeps & FreshDeps & Pick<AccountDeps, 'mail'>) => {
    const { mail, limiter } = deps
    if (mail === undefined) throw new ServiceError('forbidden', 'This service sends no mail, so no address can be confirmed.')
    await requireFresh(deps, call, request.password)
    const { person } = limiter.recoveryChecks(request.email, call.address)
    const verdict = await limiter.take(person, call.now, true)
    if (!verdict.allowed) throw new ServiceError('rate_limited', 'Enough mails were sent to this address.', { headers: verdict.headers })
    return { mail: await startEmailChange(deps, mail, actorOf(call), { principal: call.principal, email: request.email }) }
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/email',
    status: 202,
    output: z.object({ mail: mailOutcome }),
  },
})

// `/verify/<token>`: confirms a new email address. Reading it changes nothing; it is for the person who asked, signed in.

const verifyPage: FormPage<{ email: string; principal: UserPrincipal }> = {
  async find(visit) {
    const link = await findLink(visit.deps.store.read, 'verify', visit.token, visit.now)
    if (link === undefined || link.email === null) return visit.notice(410, 'verify-gone')
    const principal = visit.signIn?.principal
    if (principal === undefined) return toSignIn(visit.deps, visit)
    if (principal.userId === link.user_id) return { email: link.email, principal }
    return visit.notice(403, 'verify-other')
  },
  show: (visit, { email: address }) => visit.render('verify', { email: address }),
  async send(visit, { email: address, principal }) {
    switch (await confirmEmail(visit, principal)) {
      case 'changed':
        return visit.notice(200, 'verified', { email: address })
      case 'gone':
        return visit.notice(410, 'verify-gone')
      case 'taken':
        return visit.notice(409, 'verify-taken')
    }
  },
}

export const verifyRoutes = (deps: PagesDeps): PageRoute[] => formPage(deps, '/verify/:token', verifyPage)
