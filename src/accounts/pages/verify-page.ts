// `/verify/<token>`: confirms a new e-mail address. Reading it changes nothing; it is for the person who asked, signed in.
import { actorOf } from '../audit.ts'
import { confirmEmail } from '../change-email.ts'
import { findLink } from '../links.ts'
import type { LiveSignIn } from '../sign-ins.ts'
import { readFields } from './form.ts'
import { csrfField, goneResponse, html, pageResponse, type PagesDeps, seeOther, wordsResponse } from './page.ts'
import { checkForm, keepReturn, type PageCall, type Visitor, visitorOf } from './visitor.ts'

const goneWords = 'This link was used, has expired, or was replaced by a newer one. Ask for another in the settings.'

/** A link that may be shown to this person, or the answer to give instead. */
type Found = { email: string; signIn: LiveSignIn } | { instead: Response }

export async function showVerify(deps: PagesDeps, call: PageCall): Promise<Response> {
  const visitor = await visitorOf(deps, call)
  const found = await find(deps, call, visitor)
  if ('instead' in found) return found.instead
  const body = html`<h1>Confirm your address</h1>
    <p class="plain-lead">You sign in with <bdi>${found.email}</bdi> from now on. Your password stays as it is.</p>
    <form method="post">
      ${csrfField(visitor.csrf)}
      <div class="plain-actions"><button class="btn btn-primary">Confirm address</button></div>
    </form>`
  return pageResponse(deps.frame, { name: 'Confirm your address', body, theme: visitor.theme, cookies: visitor.cookies })
}

export async function sendVerify(deps: PagesDeps, call: PageCall): Promise<Response> {
  const fields = await readFields(call.request)
  const visitor = await visitorOf(deps, call)
  checkForm(deps, call, visitor.signIn, fields.get('csrf'))
  const found = await find(deps, call, visitor)
  if ('instead' in found) return found.instead
  const { principal } = found.signIn
  const change = await confirmEmail(deps, actorOf({ ...call, principal }), { principal, token: call.params['token'] ?? '' })
  if (change.ok) return wordsResponse(deps.frame, 200, 'Address confirmed', `You sign in with ${change.email} from now on.`, visitor.theme)
  if (change.reason === 'gone') return goneResponse(deps.frame, goneWords, visitor.theme)
  const words = 'Somebody else signs in with this address. Your own stays as it was.'
  return wordsResponse(deps.frame, 409, 'Not possible', words, visitor.theme)
}

async function find(deps: PagesDeps, call: PageCall, visitor: Visitor): Promise<Found> {
  const link = await findLink(deps.store.read, 'verify', call.params['token'] ?? '', call.now)
  if (link === undefined || link.email === null) return { instead: goneResponse(deps.frame, goneWords, visitor.theme) }
  const { signIn } = visitor
  if (signIn === undefined) {
    const kept = await keepReturn(deps, call, new URL(call.request.url).pathname)
    return { instead: seeOther('/dashboard/sign-in', kept) }
  }
  if (signIn.principal.userId === link.user_id) return { email: link.email, signIn }
  const words = 'Somebody else asked for this. If it was you, sign in as the person who did; if not, do nothing.'
  return { instead: wordsResponse(deps.frame, 403, 'Not for you', words, visitor.theme) }
}
