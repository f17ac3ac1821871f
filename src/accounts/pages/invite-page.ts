// `/invite/<token>`: joining an account. Somebody new chooses a name and a password; somebody who exists signs in as that person
// first, and then only agrees.
import type { FieldError } from '../../platform/errors.ts'
import type { OneTimeLinkRow } from '../../platform/db/tables/auth.ts'
import { acceptInvitation, closedWords } from '../invitations.ts'
import { findLink } from '../links.ts'
import { passwordProblem } from '../password.ts'
import { findUserByEmail, personName } from '../people.ts'
import { readFields } from './form.ts'
import { csrfField, fieldsOf, goneResponse, html, pageResponse, type PagesDeps, seeOther, wordsResponse } from './page.ts'
import { checkForm, keepReturn, labelOf, type PageCall, signedInCookies, type Visitor, visitorOf } from './visitor.ts'

const goneWords = 'This invitation was used, withdrawn or has expired. Ask for another.'

const roleWords = { owner: 'an owner', admin: 'an admin', member: 'a member' } as const

interface Invited {
  link: OneTimeLinkRow & { email: string }
  accountName: string
  /** The person of that address, where they exist. */
  userId: string | undefined
}

export async function showInvite(deps: PagesDeps, call: PageCall): Promise<Response> {
  const visitor = await visitorOf(deps, call)
  const invited = await find(deps, call)
  if (invited === undefined) return goneResponse(deps.frame, goneWords, visitor.theme)
  return (await instead(deps, call, visitor, invited)) ?? inviteForm(deps, visitor, invited, '', [])
}

export async function sendInvite(deps: PagesDeps, call: PageCall): Promise<Response> {
  const fields = await readFields(call.request)
  const visitor = await visitorOf(deps, call)
  checkForm(deps, call, visitor.signIn, fields.get('csrf'))
  const invited = await find(deps, call)
  if (invited === undefined) return goneResponse(deps.frame, goneWords, visitor.theme)
  const other = await instead(deps, call, visitor, invited)
  if (other !== undefined) return other
  const [name, password] = [fields.get('name') ?? '', fields.get('password') ?? '']
  const errors = invited.userId === undefined ? await problems(name, password, invited) : []
  if (errors.length > 0) return inviteForm(deps, visitor, invited, name, errors)
  const who =
    invited.userId === undefined ? { name: name.trim(), passwordHash: await deps.passwords.hash(password) } : { userId: invited.userId }
  const { address, requestId, now } = call
  const replaces = visitor.signIn?.principal.signInId
  const started = await acceptInvitation(deps, call.params['token'] ?? '', { address, requestId, now, label: labelOf(call), who, replaces })
  if (started === undefined) return goneResponse(deps.frame, goneWords, visitor.theme)
  return seeOther('/dashboard', signedInCookies(deps, started.cookie, invited.link.email))
}

async function find({ store }: PagesDeps, { params, now }: PageCall): Promise<Invited | undefined> {
  const link = await findLink(store.read, 'invite', params['token'] ?? '', now)
  if (link === undefined || link.email === null || link.account_id === null) return undefined
  const account = await store.read.selectFrom('accounts').select('name').where('id', '=', link.account_id).executeTakeFirst()
  const user = await findUserByEmail(store.read, link.email)
  return { link: { ...link, email: link.email }, accountName: account?.name ?? '', userId: user?.id }
}

/** A person who exists must be signed in as themselves. */
async function instead(deps: PagesDeps, call: PageCall, visitor: Visitor, { userId }: Invited): Promise<Response | undefined> {
  if (userId === undefined && deps.settings.signup === 'closed') return wordsResponse(deps.frame, 403, 'Closed', closedWords, visitor.theme)
  const present = visitor.signIn?.principal.userId
  if (present === userId) return undefined
  if (present !== undefined) {
    return wordsResponse(
      deps.frame,
      403,
      'Not for you',
      'This invitation is for somebody else. Sign out, then open the link again.',
      visitor.theme,
    )
  }
  return seeOther('/dashboard/sign-in', await keepReturn(deps, call, new URL(call.request.url).pathname))
}

async function problems(name: string, password: string, { link, accountName }: Invited): Promise<FieldError[]> {
  const words = await passwordProblem(password, [name, link.email, accountName])
  return [
    ...(personName.safeParse(name).success ? [] : [{ pointer: '#/name', detail: 'Write your name.' }]),
    ...(words === undefined ? [] : [{ pointer: '#/password', detail: words }]),
  ]
}

function inviteForm(
  deps: PagesDeps,
  visitor: Visitor,
  { link, accountName, userId }: Invited,
  name: string,
  errors: readonly FieldError[],
): Response {
  const fields = fieldsOf(
    [
      { name: 'email', label: 'Email', type: 'email', value: link.email, autocomplete: 'username', isReadOnly: true },
      { name: 'name', label: 'Name', value: name, autocomplete: 'name' },
      { name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', hint: 'At least 12 characters.' },
    ],
    errors,
  )
  const body = html`<h1>Join <bdi>${accountName}</bdi></h1>
<p class="plain-lead">You join as ${roleWords[link.role ?? 'member']} and see the sessions and leads of this account.</p>
<form method="post">
${csrfField(visitor.csrf)}
${userId === undefined && fields}
<div class="plain-actions"><button class="btn btn-primary">Join</button></div>
</form>`
  const { theme, cookies } = visitor
  return pageResponse(deps.frame, { status: errors.length > 0 ? 400 : 200, name: `Join ${accountName}`, body, theme, cookies })
}
