// `/dashboard/recover`: asks for a link that sets a new password. One answer for every address, given before anybody is looked up.
import { resetPassword } from '../change-password.ts'
import { findLink } from '../links.ts'
import { mailRecovery } from '../password.ts'
import { email as emailShape } from '../people.ts'
import { readFields } from './form.ts'
import { alertNote, csrfField, fieldsOf, goneResponse, html, pageResponse, type PagesDeps, wordsResponse } from './page.ts'
import { checkForm, deviceCookie, type PageCall, type Visitor, visitorOf } from './visitor.ts'

const backToSignIn = html`<p><a href="/dashboard/sign-in">Back to the sign-in</a></p>`

export async function showRecover(deps: PagesDeps, call: PageCall): Promise<Response> {
  const visitor = await visitorOf(deps, call)
  return deps.mail === undefined ? noMailPage(deps, visitor) : recoverForm(deps, visitor, {})
}

export async function sendRecover(deps: PagesDeps, call: PageCall): Promise<Response> {
  const fields = await readFields(call.request)
  const visitor = await visitorOf(deps, call)
  checkForm(deps, call, visitor.signIn, fields.get('csrf'))
  if (deps.mail === undefined) return noMailPage(deps, visitor)
  const written = fields.get('email') ?? ''
  const address = emailShape.safeParse(written)
  if (!address.success) return recoverForm(deps, visitor, { written, problem: 'Write an e-mail address.' })
  const { network, person } = deps.limiter.recoveryChecks(address.data, call.address)
  const verdict = await deps.limiter.take(network, call.now, true)
  if (!verdict.allowed) return recoverForm(deps, visitor, { written, headers: verdict.headers })
  // Enough mails were asked for this address: the answer stays the same, because it must not depend on the address.
  const isWanted = (await deps.limiter.take(person, call.now, true)).allowed
  const { requestId, now } = call
  if (isWanted) mailRecovery(deps, deps.mail, address.data, { address: call.address, requestId, now })
  const words = 'If somebody signs in here with this address, a link for a new password is on its way. It works once, for 30 minutes.'
  return wordsResponse(deps.frame, 200, 'Look at your mail', words, visitor.theme, backToSignIn)
}

function noMailPage(deps: PagesDeps, visitor: Visitor): Response {
  const words = 'This service sends no mail. Whoever runs it can make you a link for a new password.'
  return wordsResponse(deps.frame, 200, 'Forgotten your password?', words, visitor.theme, backToSignIn)
}

interface RecoverState {
  written?: string
  problem?: string
  /** Of the limit that was crossed. */
  headers?: Readonly<Record<string, string>>
}

function recoverForm(deps: PagesDeps, visitor: Visitor, { written = '', problem, headers }: RecoverState): Response {
  const errors = problem === undefined ? [] : [{ pointer: '#/email', detail: problem }]
  const body = html`<h1>Forgotten your password?</h1>
    <p class="plain-lead">We mail you a link with which you choose a new one.</p>
    ${alertNote(headers && 'Too many tries. Wait a while, then try again.')}
    <form method="post">
      ${csrfField(visitor.csrf)}
      ${fieldsOf([{ name: 'email', label: 'Email', type: 'email', value: written, autocomplete: 'username' }], errors)}
      <div class="plain-actions"><button class="btn btn-primary">Send link</button></div>
    </form>
    ${backToSignIn}`
  const status = headers === undefined ? (problem === undefined ? 200 : 400) : 429
  const { theme, cookies } = visitor
  return pageResponse(deps.frame, { status, name: 'Forgotten password', body, theme, cookies, ...(headers && { headers }) })
}

// `/reset/<token>`: a new password by a one-time link, mailed or printed by the operator (30 minutes, one use).

const goneWords = 'This link was used, has expired, or was replaced by a newer one.'

export async function showReset(deps: PagesDeps, call: PageCall): Promise<Response> {
  const visitor = await visitorOf(deps, call)
  const link = await findLink(deps.store.read, 'reset', call.params['token'] ?? '', call.now)
  return link === undefined ? gone(deps, visitor) : resetForm(deps, visitor)
}

export async function sendReset(deps: PagesDeps, call: PageCall): Promise<Response> {
  const fields = await readFields(call.request)
  const visitor = await visitorOf(deps, call)
  checkForm(deps, call, visitor.signIn, fields.get('csrf'))
  const outcome = await resetPassword(deps, call.params['token'] ?? '', fields.get('password') ?? '', call)
  if (outcome.ok) {
    const way = html`<p><a class="btn btn-primary" href="/dashboard/sign-in">Sign in</a></p>`
    const words = 'You are signed out everywhere. Sign in with the new password.'
    const answer = wordsResponse(deps.frame, 200, 'Password changed', words, visitor.theme, way)
    // The way in for a person whom the wrong tries of others keep waiting on a new device.
    answer.headers.append('Set-Cookie', deviceCookie(deps, outcome.email))
    return answer
  }
  return outcome.reason === 'gone' ? gone(deps, visitor) : resetForm(deps, visitor, outcome.words)
}

/** With the way to another link: by mail, or by who runs the service. */
function gone(deps: PagesDeps, visitor: Visitor): Response {
  if (deps.mail === undefined) return goneResponse(deps.frame, `${goneWords} Ask whoever runs the service for another.`, visitor.theme)
  const way = html`<p><a href="/dashboard/recover">Ask for another link</a></p>`
  return goneResponse(deps.frame, goneWords, visitor.theme, way)
}

function resetForm(deps: PagesDeps, visitor: Visitor, words?: string): Response {
  const errors = words === undefined ? [] : [{ pointer: '#/password', detail: words }]
  const body = html`<h1>Choose a new password</h1>
<p class="plain-lead">Every browser that is signed in as you is signed out.</p>
<form method="post">
${csrfField(visitor.csrf)}
${fieldsOf([{ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: 'At least 12 characters.' }], errors)}
<div class="plain-actions"><button class="btn btn-primary">Change password</button></div>
</form>`
  const { theme, cookies } = visitor
  return pageResponse(deps.frame, { status: words === undefined ? 200 : 400, name: 'New password', body, theme, cookies })
}
