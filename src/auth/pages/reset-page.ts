// `/reset/<token>`: a new password by a one-time link, mailed or printed by the operator (30 minutes, one use).
import { resetPassword } from '../change-password.ts'
import { readFields } from '../form.ts'
import { findLink } from '../links.ts'
import { csrfField, fieldsOf } from './fields.ts'
import { html } from './html.ts'
import type { PagesDeps } from './page.ts'
import { pageResponse } from './page.ts'
import { goneResponse, wordsResponse } from './plain-pages.ts'
import type { PageCall, Visitor } from './visitor.ts'
import { checkForm, deviceCookie, visitorOf } from './visitor.ts'

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
