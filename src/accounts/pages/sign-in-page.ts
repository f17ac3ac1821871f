// `/dashboard/sign-in`: a form for people, JSON for the dashboard and scripts; and signing out. The same words for a wrong
// password and an address nobody has.
import { ServiceError } from '../../platform/errors.ts'
import { recordAct } from '../audit.ts'
import { csrfFailed, readCookie } from '../cookies.ts'
import { signIn, type SignInOutcome } from '../sign-in.ts'
import { endSignInsOf } from '../sign-ins.ts'
import { readFields, type SentFields } from './form.ts'
import { alertNote, csrfField, fieldsOf, html, pageResponse, type PagesDeps, pageSecurity, seeOther } from './page.ts'
import { checkForm, checkOrigin, labelOf, type PageCall, signedInCookies, takeReturn, type Visitor, visitorOf } from './visitor.ts'

const wrongWords = 'The e-mail address or the password is not right.'
const limitedWords = 'Too many tries. Wait a while, then try again.'

export async function showSignIn(deps: PagesDeps, call: PageCall): Promise<Response> {
  const visitor = await visitorOf(deps, call)
  if (visitor.signIn !== undefined) return seeOther(await takeReturn(deps, call))
  return signInPage(deps, visitor, { status: 200 })
}

export async function sendSignIn(deps: PagesDeps, call: PageCall): Promise<Response> {
  const fields = await readFields(call.request)
  const visitor = await visitorOf(deps, call)
  if (fields.isJson) checkOrigin(deps, call)
  else checkForm(deps, call, visitor.signIn, fields.get('csrf'))
  const outcome = await attempt(deps, call, visitor, fields)
  if (fields.isJson) return answerJson(deps, outcome)
  if (outcome.ok) return seeOther(await takeReturn(deps, call), signedInCookies(deps, outcome.signIn.cookie, outcome.user.email))
  const email = fields.get('email') ?? ''
  return outcome.reason === 'limited'
    ? signInPage(deps, visitor, { status: 429, email, words: limitedWords, headers: outcome.headers })
    : signInPage(deps, visitor, { status: 401, email, words: wrongWords })
}

function attempt(deps: PagesDeps, call: PageCall, visitor: Visitor, fields: SentFields): Promise<SignInOutcome> {
  const { address, requestId, now } = call
  const [email = '', password = ''] = [fields.get('email'), fields.get('password')]
  const mark = readCookie(call.request.headers.get('cookie'), deps.jar.device)
  const replaces = visitor.signIn?.principal.signInId
  return signIn(deps, { email, password, address, requestId, now, label: labelOf(call), replaces, mark })
}

function answerJson(deps: PagesDeps, outcome: SignInOutcome): Response {
  if (!outcome.ok) {
    if (outcome.reason === 'limited') throw new ServiceError('rate_limited', limitedWords, { headers: outcome.headers })
    throw new ServiceError('sign_in_failed', wrongWords)
  }
  const headers = new Headers({ ...pageSecurity([]), 'Content-Type': 'application/json' })
  for (const cookie of signedInCookies(deps, outcome.signIn.cookie, outcome.user.email)) headers.append('Set-Cookie', cookie)
  const body = { user: outcome.user, account: outcome.account, csrf: deps.csrf.forSignIn(outcome.signIn.id) }
  return new Response(JSON.stringify(body), { headers })
}

function signInPage(
  deps: PagesDeps,
  visitor: Visitor,
  {
    status,
    email = '',
    words,
    headers = {},
  }: { status: number; email?: string; words?: string; headers?: Readonly<Record<string, string>> },
): Response {
  const body = html`<h1>Sign in</h1>
    ${alertNote(words)}
    <form method="post" action="/dashboard/sign-in">
      ${csrfField(visitor.csrf)}
      ${fieldsOf([
        { name: 'email', label: 'Email', type: 'email', value: email, autocomplete: 'username' },
        { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
      ])}
      <div class="plain-actions"><button class="btn btn-primary">Sign in</button></div>
    </form>
    <p class="field-hint"><a href="/dashboard/recover">Forgotten your password?</a></p>`
  return pageResponse(deps.frame, { status, name: 'Sign in', body, theme: visitor.theme, headers, cookies: visitor.cookies })
}

/** Ends the sign-in on the server and takes its cookies away. Without one there is nothing to prove and nothing to end. */
export async function sendSignOut(deps: PagesDeps, call: PageCall): Promise<Response> {
  const fields = await readFields(call.request)
  const { signIn: live } = await visitorOf(deps, call)
  if (live !== undefined) {
    checkOrigin(deps, call)
    const token = fields.get('csrf') ?? call.request.headers.get('x-csrf-token') ?? undefined
    if (!deps.csrf.checkSignIn(live.principal.signInId, token)) throw csrfFailed()
    const { signInId, userId, accountId } = live.principal
    await deps.store.write(async (tx, ring) => {
      await endSignInsOf(tx, ring, { id: signInId }, call.now)
      const actor = { kind: 'user' as const, id: userId, address: call.address, requestId: call.requestId, now: call.now }
      await recordAct(tx, deps.ids, actor, { action: 'sign_in.ended', accountId, target: { kind: 'sign_in', id: signInId } })
    })
  }
  const cleared = [deps.jar.signIn, deps.jar.before, ...providerCookies(call)].map((name) => deps.jar.clear(name))
  return seeOther('/dashboard/sign-in', cleared)
}

/** The OAuth server keeps a session of its own in this browser; it must not outlive the person's. */
function providerCookies({ request }: PageCall): string[] {
  const names = ['_session', '_session.sig', '_interaction', '_interaction.sig', '_interaction_resume', '_interaction_resume.sig']
  return names.filter((name) => readCookie(request.headers.get('cookie'), name) !== undefined)
}
