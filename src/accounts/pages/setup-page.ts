// `/setup/<token>`: the first person names themselves and the account. The page works once, while nobody exists.
import type { FieldError } from '../../platform/errors.ts'
import { findLink } from '../links.ts'
import { completeSetup } from '../setup.ts'
import { readFields } from './form.ts'
import { csrfField, fieldsOf, goneResponse, html, pageResponse, type PagesDeps, seeOther } from './page.ts'
import { checkForm, labelOf, type PageCall, signedInCookies, type Visitor, visitorOf } from './visitor.ts'

const goneWords = 'This set-up link was used, or a newer one was printed. The newest stands where the service was started.'

export async function showSetup(deps: PagesDeps, call: PageCall): Promise<Response> {
  const visitor = await visitorOf(deps, call)
  const link = await findLink(deps.store.read, 'setup', call.params['token'] ?? '', call.now)
  return link === undefined ? goneResponse(deps.frame, goneWords, visitor.theme) : setupPage(deps, visitor, {}, [])
}

export async function sendSetup(deps: PagesDeps, call: PageCall): Promise<Response> {
  const fields = await readFields(call.request)
  const visitor = await visitorOf(deps, call)
  checkForm(deps, call, visitor.signIn, fields.get('csrf'))
  const form = {
    name: fields.get('name') ?? '',
    email: fields.get('email') ?? '',
    password: fields.get('password') ?? '',
    accountName: fields.get('accountName') ?? '',
  }
  const { address, requestId, now } = call
  const outcome = await completeSetup(deps, call.params['token'] ?? '', form, { address, requestId, now, label: labelOf(call) })
  if (outcome.ok) return seeOther('/dashboard', signedInCookies(deps, outcome.signIn.cookie, outcome.email))
  if (outcome.reason === 'gone') return goneResponse(deps.frame, goneWords, visitor.theme)
  return setupPage(deps, visitor, form, outcome.errors)
}

function setupPage(deps: PagesDeps, visitor: Visitor, sent: Partial<Record<string, string>>, errors: readonly FieldError[]): Response {
  const kept = (name: string) => ({ name, value: sent[name] ?? '' })
  const body = html`<h1>Set up Rostrum</h1>
    <p class="plain-lead">You become the owner: you can invite others, make API keys and see everything in this account.</p>
    <form method="post">
      ${csrfField(visitor.csrf)}
      ${fieldsOf(
        [
          { ...kept('name'), label: 'Name', autocomplete: 'name' },
          { ...kept('email'), label: 'Email', type: 'email', autocomplete: 'username' },
          {
            name: 'password',
            label: 'Password',
            type: 'password',
            autocomplete: 'new-password',
            hint: 'At least 12 characters. A few words are easier to keep than signs.',
          },
          {
            ...kept('accountName'),
            label: 'Account name',
            autocomplete: 'organization',
            hint: 'Your company or team, as your colleagues will see it.',
          },
        ],
        errors,
      )}
      <div class="plain-actions"><button class="btn btn-primary">Create owner</button></div>
    </form>`
  return pageResponse(deps.frame, {
    status: errors.length > 0 ? 400 : 200,
    name: 'Set up Rostrum',
    body,
    theme: visitor.theme,
    cookies: visitor.cookies,
  })
}
