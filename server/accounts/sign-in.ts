// Signing in with email and password, and out: the act, and `/dashboard/sign-in`, a form for people and JSON for the dashboard and
// scripts. A wrong password and an address nobody has are the same in words and time. Wrong tries are counted tightly where they come
// from and widely for the person; a browser that has signed in before is counted by itself, so that the tries of strangers never shut
// its person out.
import type { PeoplePages, WrongFields } from '@rostrum/contract/people-pages'
import { ServiceError } from '@rostrum/base/errors'
import type { LimitVerdict } from '../platform/operation.ts'
import { StartupError, type Tx } from '../platform/db/store.ts'
import { actorOf, recordAct, type Actor, operator } from './audit.ts'
import { csrfFailed, readCookie } from './cookies.ts'
import { type DocumentMore, pageSecurity, readFields, seeOther, type SentFields } from './pages/page.ts'
import {
  checkForm,
  checkOrigin,
  type FormPage,
  formPage,
  type PageRoute,
  type PagesDeps,
  signedInCookies,
  takeReturn,
  type Visit,
  visitOf,
} from './visit.ts'
import {
  email as emailShape,
  findUserByEmail,
  hasSamePassword,
  listAccountsOf,
  type MemberAccount,
  accountName,
  email,
  ensureOwnerAccount,
  hasUsers,
  insertUser,
  personName,
} from './people.ts'
import { endSignInsOf, type StartedSignIn, startSignIn } from './sign-ins.ts'
import { z } from 'zod'
import type { AccountDeps } from './deps.ts'
import { createLink, findLink, spendLink, voidLinks } from './links.ts'
import { passwordFault, passwordProblem } from './password.ts'

type SignInOutcome =
  | { ok: true; signIn: StartedSignIn; user: { id: string; email: string; name: string }; account: MemberAccount }
  | { ok: false; reason: 'wrong' }
  | { ok: false; reason: 'limited'; headers: LimitVerdict['headers'] }

async function signIn(visit: Visit, email: string, password: string): Promise<SignInOutcome> {
  const { deps, now, label, address } = visit
  const { store, ids, passwords, limiter, devices, jar } = deps
  const parsed = emailShape.safeParse(email)
  const counted = parsed.success ? parsed.data : email.slice(0, 254)
  const device = devices.find(readCookie(visit.request.headers.get('cookie'), jar.device), counted)
  // Counted before the password is looked at and given back on success, so that guesses sent at once are all counted.
  const checks = limiter.signInChecks(counted, address, device)
  const verdict = await limiter.take(checks, now, true)
  if (!verdict.allowed) return { ok: false, reason: 'limited', headers: verdict.headers }

  const user = parsed.success ? await findUserByEmail(store.read, parsed.data) : undefined
  const { matches, isOutdated } = await passwords.verify(password, user?.password_hash)
  const account = user === undefined ? undefined : (await listAccountsOf(store.read, user.id))[0]
  const actor = { kind: 'user', id: user?.id ?? null, address, requestId: visit.requestId, now } as const
  const refuse = (tx: Tx) => recordAct(tx, ids, actor, { action: 'sign_in.failed', accountId: account?.id ?? null })
  if (user === undefined || account === undefined || !matches) {
    await store.write(refuse)
    return { ok: false, reason: 'wrong' }
  }
  const better = isOutdated ? await passwords.hash(password) : undefined
  const started = await store.write(async (tx) => {
    // The old password may have waited in the queue of hashes while its person reset it.
    if (!(await hasSamePassword(tx, user))) {
      await refuse(tx)
      return undefined
    }
    if (better !== undefined) await tx.updateTable('users').set({ password_hash: better }).where('id', '=', user.id).execute()
    if (visit.signIn !== undefined) await endSignInsOf(tx, { id: visit.signIn.principal.signInId }, now)
    await recordAct(tx, ids, actor, { action: 'sign_in.started', accountId: account.id })
    return startSignIn(tx, ids, { userId: user.id, accountId: account.id, label, address, now })
  })
  if (started === undefined) return { ok: false, reason: 'wrong' }
  await limiter.refund(checks)
  return { ok: true, signIn: started, user: { id: user.id, email: user.email, name: user.name }, account }
}

const wrongWords = 'The email address or the password is not right.'
const limitedWords = 'Too many tries. Wait a while, then try again.'

const signInPage: FormPage<true> = {
  find: async () => true,
  show: async (visit) => (visit.signIn === undefined ? signInForm(visit, { email: '' }) : seeOther(await takeReturn(visit))),
  check: (visit, fields) => (fields.isJson ? checkOrigin(visit) : checkForm(visit, fields)),
  async send(visit, _, fields) {
    const [email = '', password = ''] = [fields.get('email'), fields.get('password')]
    const outcome = await signIn(visit, email, password)
    if (fields.isJson) return answerJson(visit, outcome)
    if (outcome.ok) return seeOther(await takeReturn(visit), signedInCookies(visit.deps, outcome.signIn.cookie, outcome.user.email))
    return outcome.reason === 'limited'
      ? signInForm(visit, { email, alert: 'limited' }, { status: 429, headers: outcome.headers })
      : signInForm(visit, { email, alert: 'wrong' }, { status: 401 })
  },
}

function answerJson({ deps }: Visit, outcome: SignInOutcome): Response {
  if (!outcome.ok) {
    if (outcome.reason === 'limited') throw new ServiceError('rate_limited', limitedWords, { headers: outcome.headers })
    throw new ServiceError('sign_in_failed', wrongWords)
  }
  const { user, account } = outcome
  const headers = new Headers({ ...pageSecurity([]), 'Content-Type': 'application/json' })
  for (const cookie of signedInCookies(deps, outcome.signIn.cookie, user.email)) headers.append('Set-Cookie', cookie)
  return new Response(JSON.stringify({ user, account, csrf: deps.csrf.forSignIn(outcome.signIn.id) }), { headers })
}

const signInForm = (visit: Visit, props: PeoplePages['sign-in'], more?: DocumentMore): Response => visit.render('sign-in', props, more)

/** Ends the sign-in on the server and takes its cookies away. Without one there is nothing to prove and nothing to end. */
async function signOut(visit: Visit, fields: SentFields): Promise<Response> {
  const { deps, request, now } = visit
  if (visit.signIn !== undefined) {
    checkOrigin(visit)
    const { principal } = visit.signIn
    const { signInId: id, accountId } = principal
    const token = fields.get('csrf') ?? request.headers.get('x-csrf-token') ?? undefined
    if (!deps.csrf.checkSignIn(id, token)) throw csrfFailed()
    await deps.store.write(async (tx) => {
      await endSignInsOf(tx, { id }, now)
      await recordAct(tx, deps.ids, actorOf({ ...visit, principal }), {
        action: 'sign_in.ended',
        accountId,
        target: ['sign_in', id],
      })
    })
  }
  // The OAuth server keeps a session of its own in this browser; it must not outlive the person's.
  const ofProvider = ['_session', '_interaction', '_interaction_resume'].flatMap((name) => [name, `${name}.sig`])
  const sent = ofProvider.filter((name) => readCookie(request.headers.get('cookie'), name) !== undefined)
  const cleared = [deps.jar.signIn, deps.jar.before, ...sent].map((name) => deps.jar.clear(name))
  return seeOther('/dashboard/sign-in', cleared)
}

export function signInRoutes(deps: PagesDeps): PageRoute[] {
  return [
    ...formPage(deps, '/dashboard/sign-in', signInPage),
    {
      method: 'POST',
      path: '/dashboard/sign-out',
      kind: 'page',
      async handle(call) {
        const fields = await readFields(call.request)
        return signOut(await visitOf(deps, call), fields)
      },
    },
  ]
}

// The first person of a new service: by the one-time set-up link that each start prints while nobody exists, or from the
// configuration. Both make the owner of the account that is there already.

type SetupDeps = Pick<AccountDeps, 'store' | 'ids' | 'passwords' | 'settings'>

const linkLifeMs = 7 * 86_400_000

/** The address of a fresh set-up page, or undefined once somebody exists. Older links die. */
export async function createSetupLink({ store, ids, settings }: SetupDeps, now: number): Promise<string | undefined> {
  if (await hasUsers(store.read)) return undefined
  const { token } = await store.write(async (tx) => {
    await voidLinks(tx, 'setup', null, now)
    return createLink(tx, ids, { kind: 'setup', ttlMs: linkLifeMs, now })
  })
  return `${settings.baseUrl}/setup/${token}`
}

/** Makes the owner named in the configuration if nobody exists; false where somebody does. Throws words on a bad value. */
export async function ensureOwner(deps: SetupDeps, owner: { email: string; password: string }, now: number): Promise<boolean> {
  if (await hasUsers(deps.store.read)) return false
  const address = email.safeParse(owner.email)
  if (!address.success) throw new StartupError('ROSTRUM_OWNER_EMAIL is not an email address.')
  const name = address.data.split('@')[0] ?? address.data
  const problem = await passwordProblem(owner.password, [address.data, name])
  if (problem !== undefined) throw new StartupError(`ROSTRUM_OWNER_PASSWORD: ${problem}`)
  const passwordHash = await deps.passwords.hash(owner.password)
  const accountId = await ensureOwnerAccount(deps.store, deps.ids, deps.settings.title, now)
  return deps.store.write(async (tx) => {
    if (await hasUsers(tx)) return false
    const userId = await insertUser(tx, deps.ids, { email: address.data, name, passwordHash, accountId, role: 'owner', now })
    if (userId === undefined) return false
    await recordAct(tx, deps.ids, operator(now), { action: 'user.created', accountId, target: ['user', userId] })
    return true
  })
}

type Written = PeoplePages['set-up']['given']

/** `/setup/<token>`: the first person names themselves and the account. The page works once, while nobody exists. */
const setupPage: FormPage<string> = {
  async find(visit) {
    const link = await findLink(visit.deps.store.read, 'setup', visit.token, visit.now)
    return link === undefined ? visit.notice(410, 'setup-gone') : visit.token
  },
  show: (visit) => setupForm(visit, { name: '', email: '', accountName: '' }),
  async send(visit, token, fields) {
    const { deps, now, address, label, requestId } = visit
    const { store, ids } = deps
    const sent = (name: keyof Written | 'password') => fields.get(name) ?? ''
    const [written, password] = [{ name: sent('name'), email: sent('email'), accountName: sent('accountName') }, sent('password')]
    const parsed = person.safeParse(written)
    const fault = await passwordFault(password, Object.values(written))
    if (!parsed.success || fault !== undefined) return setupForm(visit, written, { ...wrongOf(parsed.error), password: fault })
    const { name, email: emailAddress, accountName: title } = parsed.data
    const passwordHash = await deps.passwords.hash(password)
    const accountId = await ensureOwnerAccount(store, ids, title, now)
    // Of many at once one wins.
    const signIn = await store.write(async (tx) => {
      if ((await spendLink(tx, 'setup', token, now)) === undefined || (await hasUsers(tx))) return undefined
      await tx.updateTable('accounts').set({ name: title }).where('id', '=', accountId).execute()
      const userId = await insertUser(tx, ids, { email: emailAddress, name, passwordHash, accountId, role: 'owner', now })
      if (userId === undefined) throw new ServiceError('conflict', 'This email address is taken.')
      const actor: Actor = { kind: 'user', id: userId, address, requestId, now }
      await recordAct(tx, ids, actor, { action: 'user.created', accountId, target: ['user', userId] })
      return startSignIn(tx, ids, { userId, accountId, label, address, now })
    })
    return signIn === undefined
      ? visit.notice(410, 'setup-gone')
      : seeOther('/dashboard', signedInCookies(deps, signIn.cookie, emailAddress))
  },
}

const person = z.object({ name: personName, email, accountName })

const wrongOf = (error: z.ZodError | undefined): WrongFields =>
  Object.fromEntries(error?.issues.map(({ path }) => [String(path[0]), true]) ?? [])

function setupForm(visit: Visit, given: Written, wrong?: WrongFields): Response {
  return visit.render('set-up', { given, wrong: wrong ?? {} }, { status: wrong === undefined ? 200 : 400 })
}

export const setupRoutes = (deps: PagesDeps): PageRoute[] => formPage(deps, '/setup/:token', setupPage)
