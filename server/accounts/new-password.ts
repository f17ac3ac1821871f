// A new password, by the signed-in person or by a reset link. Both end every other sign-in of that person.
import { z } from 'zod'
import type { Clock, Ids } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import type { PasswordFault, PeoplePages } from '@rostrum/contract/people-pages'
import type { Config } from '../config/config.ts'
import { addJob, type JobKind } from '../platform/db/jobs.ts'
import type { Reader, Store } from '../platform/db/store.ts'
import { changes, operation, signedIn } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { UserPrincipal } from '../platform/principal.ts'
import { type Actor, actorOf, recordAct } from './audit.ts'
import type { CookieJar, Csrf } from './cookies.ts'
import { createLink, findLink, spendLink, voidLinks } from './links.ts'
import { type Mailer, recoveryMail } from './mail.ts'
import type { DocumentMore } from './pages/page.ts'
import { passwordFault, passwordProblem, type Passwords } from './password.ts'
import { email as emailShape, findUserByEmail, listAccountsOf } from './people.ts'
import { endSignInsOf, findSignInLabel, type FreshDeps, requireFresh, signInLifeMs, type StartedSignIn, startSignIn } from './sign-ins.ts'
import { deviceCookie, type FormPage, formPage, type PageRoute, type PagesDeps, type Visit } from './visit.ts'

interface PasswordDeps {
  store: Store
  ids: Ids
  passwords: Pick<Passwords, 'hash'>
}

/** What a password of this person may not equal. */
async function personalOf(read: Reader, userId: string): Promise<string[]> {
  const rows = await read
    .selectFrom('users as u')
    .leftJoin('memberships as m', 'm.user_id', 'u.id')
    .leftJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['u.email', 'u.name', 'a.name as account'])
    .where('u.id', '=', userId)
    .execute()
  return rows.flatMap(({ email, name, account }) => [email, name, account ?? '']).filter(Boolean)
}

/**
 * Sets it, ends every sign-in and starts a new one in this browser. Throws `invalid_request` with words for a weak one,
 * `sign_in_required` where the sign-in ended meanwhile: a reset stands.
 */
async function changePassword(
  { store, ids, passwords }: PasswordDeps,
  actor: Actor,
  { principal, password, label, address }: { principal: UserPrincipal; password: string; label: string; address: string },
): Promise<StartedSignIn> {
  const { userId, accountId, signInId } = principal
  const { now } = actor
  const problem = await passwordProblem(password, await personalOf(store.read, userId))
  if (problem !== undefined) throw invalidInput([{ pointer: '#/newPassword', detail: problem }])
  const hash = await passwords.hash(password)
  return store.write(async (tx) => {
    await tx.updateTable('users').set({ password_hash: hash, password_changed_at: now }).where('id', '=', userId).execute()
    if ((await endSignInsOf(tx, { id: signInId }, now)) === 0) throw new ServiceError('sign_in_required', 'Sign in again.')
    await endSignInsOf(tx, { user_id: userId }, now)
    await voidLinks(tx, 'reset', userId, now)
    await recordAct(tx, ids, actor, { action: 'password.changed', accountId, target: ['user', userId] })
    return startSignIn(tx, ids, { userId, accountId, label, address, now })
  })
}

export type ResetOutcome = { ok: true; email: string } | { ok: false; reason: 'gone' } | { ok: false; reason: 'weak'; fault: PasswordFault }

/** Uses a reset link up. Of many at once one sets the password. */
export async function resetPassword(
  { store, ids, passwords }: PasswordDeps,
  token: string,
  password: string,
  from: Pick<Actor, 'address' | 'requestId' | 'now'>,
): Promise<ResetOutcome> {
  const { now } = from
  const shown = await findLink(store.read, 'reset', token, now)
  if (shown === undefined || shown.user_id === null) return { ok: false, reason: 'gone' }
  const fault = await passwordFault(password, await personalOf(store.read, shown.user_id))
  if (fault !== undefined) return { ok: false, reason: 'weak', fault }
  const hash = await passwords.hash(password)
  return store.write(async (tx): Promise<ResetOutcome> => {
    const link = await spendLink(tx, 'reset', token, now)
    if (link === undefined || link.user_id === null) return { ok: false, reason: 'gone' }
    const userId = link.user_id
    const user = await tx
      .updateTable('users')
      .set({ password_hash: hash, password_changed_at: now })
      .where('id', '=', userId)
      .where('disabled_at', 'is', null)
      .returning('email')
      .executeTakeFirst()
    if (user === undefined) throw new ServiceError('gone', 'This link no longer works.')
    await endSignInsOf(tx, { user_id: userId }, now)
    await voidLinks(tx, 'reset', userId, now)
    await recordAct(tx, ids, { ...from, kind: 'user', id: userId }, { action: 'password.reset', accountId: null, target: ['user', userId] })
    return { ok: true, email: user.email }
  })
}

// POST /api/v1/account/password: a new password; every other browser is signed out.

interface NewPasswordDeps extends PasswordDeps, FreshDeps {
  passwords: Passwords
  jar: CookieJar
  csrf: Csrf
}

export const setPassword = operation({
  access: signedIn,
  name: 'set_password',
  summary: 'Change the password',
  description: 'Ends every other sign-in of this person.',
  effects: changes,
  errors: ['login_required', 'sign_in_failed'],
  secret: true,
  input: z.object({
    newPassword: z.string().max(4_096),
    password: z.string().max(1_024).optional().describe('The present one; needed when the last sign-in is older than ten minutes.'),
  }),
  run: async (request, call, deps: NewPasswordDeps) => {
    await requireFresh(deps, call, request.password)
    const { principal, address } = call
    const label = await findSignInLabel(deps.store.read, principal.signInId)
    const started = await changePassword(deps, actorOf(call), { principal, password: request.newPassword, label, address })
    return { cookie: deps.jar.set(deps.jar.signIn, started.cookie, signInLifeMs / 1_000), csrf: deps.csrf.forSignIn(started.id) }
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/password',
    output: z.object({ changed: z.literal(true), csrf: z.string() }),
    view: ({ csrf }) => ({ changed: true, csrf }),
    headers: ({ cookie }) => ({ 'Set-Cookie': cookie }),
  },
})

// `/reset/<token>`: a new password by a one-time link, mailed or printed by the operator (30 minutes, one use).

const resetPage: FormPage<string> = {
  async find(visit) {
    const link = await findLink(visit.deps.store.read, 'reset', visit.token, visit.now)
    return link === undefined ? resetGone(visit) : visit.token
  },
  show: (visit) => resetForm(visit),
  async send(visit, token, fields) {
    const outcome = await resetPassword(visit.deps, token, fields.get('password') ?? '', visit)
    if (!outcome.ok) return outcome.reason === 'gone' ? resetGone(visit) : resetForm(visit, outcome.fault)
    const answer = visit.notice(200, 'reset-done')
    // The way in for a person whom the wrong tries of others keep waiting on a new device.
    answer.headers.append('Set-Cookie', deviceCookie(visit.deps, outcome.email))
    return answer
  },
}

/** With the way to another link: by mail, or by who runs the service. */
const resetGone = (visit: Visit): Response => visit.notice(410, visit.deps.mail === undefined ? 'reset-gone-no-mail' : 'reset-gone')

function resetForm(visit: Visit, fault?: PasswordFault): Response {
  return visit.render('reset', { wrong: { password: fault } }, { status: fault === undefined ? 200 : 400 })
}

// A forgotten password: a link by mail, or from the operator's command line. Whether anybody has the address shows neither in the
// words of the answer nor in its time, because a job looks them up.

export const resetLinkLifeMs = 30 * 60_000
export const recoveryKind = 'recovery'

interface Forgotten {
  email: string
  actor: Actor
}

interface RecoveryDeps {
  store: Store
  ids: Ids
  clock: Clock
  settings: Pick<Config, 'title' | 'baseUrl'>
}

/** Mails a link to the address, if a person who may sign in has it. */
export function recoveryJob({ store, ids, clock, settings }: RecoveryDeps, mail: Mailer): JobKind {
  return {
    async run({ data }) {
      // Written by `recoverPage`.
      const { email, actor } = JSON.parse(data) as Forgotten
      const user = await findUserByEmail(store.read, email)
      if (user === undefined) return
      const accountId = (await listAccountsOf(store.read, user.id))[0]?.id ?? null
      await store.write(async (tx) => {
        await recordAct(tx, ids, actor, { action: 'password.link_mailed', accountId, target: ['user', user.id] })
        // Earlier links go on until one is used: a stranger who asks again and again must not end the one a person waits for.
        const { token } = await createLink(tx, ids, { kind: 'reset', userId: user.id, ttlMs: resetLinkLifeMs, now: clock.now() })
        await mail.queue(tx, recoveryMail({ to: user.email, title: settings.title, url: `${settings.baseUrl}/reset/${token}` }))
      })
    },
  }
}

// `/dashboard/recover`: asks for such a link. One answer for every address.

const recoverPage: FormPage<true> = {
  find: async ({ deps, notice }) => deps.mail !== undefined || notice(200, 'recover-no-mail'),
  show: (visit) => recoverForm(visit, { email: '' }),
  async send(visit, _, fields) {
    const { limiter, store, ids } = visit.deps
    const written = fields.get('email') ?? ''
    const email = emailShape.safeParse(written)
    if (!email.success) return recoverForm(visit, { email: written, wrong: { email: true } }, { status: 400 })
    const { network, person } = limiter.recoveryChecks(email.data, visit.address)
    const verdict = await limiter.take(network, visit.now, true)
    if (!verdict.allowed) return recoverForm(visit, { email: written, alert: 'limited' }, { status: 429, headers: verdict.headers })
    // Enough mails were asked for this address: the answer stays the same, because it must not depend on the address.
    if ((await limiter.take(person, visit.now, true)).allowed) {
      const { address, requestId, now } = visit
      const data = JSON.stringify({ email: email.data, actor: { kind: 'nobody', id: null, address, requestId, now } } satisfies Forgotten)
      await store.write((tx) => addJob(tx, recoveryKind, { key: ids.uuid(), data }))
    }
    return visit.notice(200, 'recover-sent')
  },
}

const recoverForm = (visit: Visit, props: PeoplePages['recover'], more?: DocumentMore): Response => visit.render('recover', props, more)

export const passwordRoutes = (deps: PagesDeps): PageRoute[] => [
  ...formPage(deps, '/reset/:token', resetPage),
  ...formPage(deps, '/dashboard/recover', recoverPage),
]
