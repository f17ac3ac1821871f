// Signing in with email and password, and out: the act, and `/dashboard/sign-in`, a form for people and JSON for the dashboard and
// scripts. A wrong password and an address nobody has are the same in words and time. Wrong tries are counted tightly where they come
// from and widely for the person; a browser that has signed in before is counted by itself, so that the tries of strangers never shut
// its person out.
import { ServiceError } from '../platform/errors.ts'
import type { LimitVerdict } from '../platform/operation.ts'
import type { Tx } from '../platform/db/store.ts'
import { actorOf, recordAct } from './audit.ts'
import { csrfFailed, readCookie } from './cookies.ts'
import { html, limitedWords, pageSecurity, readFields, seeOther, type SentFields } from './pages/page.ts'
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
  type Wrong,
} from './pages/visit.ts'
import { email as emailShape, findUserByEmail, hasSamePassword, listAccountsOf, type MemberAccount } from './people.ts'
import { endSignInsOf, type StartedSignIn, startSignIn } from './sign-ins.ts'

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

const signInPage: FormPage<true> = {
  find: async () => true,
  show: async (visit) => (visit.signIn === undefined ? signInForm(visit, '') : seeOther(await takeReturn(visit))),
  check: (visit, fields) => (fields.isJson ? checkOrigin(visit) : checkForm(visit, fields)),
  async send(visit, _, fields) {
    const [email = '', password = ''] = [fields.get('email'), fields.get('password')]
    const outcome = await signIn(visit, email, password)
    if (fields.isJson) return answerJson(visit, outcome)
    if (outcome.ok) return seeOther(await takeReturn(visit), signedInCookies(visit.deps, outcome.signIn.cookie, outcome.user.email))
    return outcome.reason === 'limited'
      ? signInForm(visit, email, { status: 429, alert: limitedWords, headers: outcome.headers })
      : signInForm(visit, email, { status: 401, alert: wrongWords })
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

function signInForm(visit: Visit, email: string, wrong: Wrong = {}): Response {
  return visit.sheet({
    name: 'Sign in',
    fields: [
      { name: 'email', label: 'Email', type: 'email', value: email, autocomplete: 'username' },
      { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
    ],
    button: 'Sign in',
    after: html`<p class="field-hint"><a href="/dashboard/recover">Forgotten your password?</a></p>`,
    ...wrong,
  })
}

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
