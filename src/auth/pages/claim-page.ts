// `/claim/<token>`: a person sees which agent asks for what, and approves or refuses (spec 5.6). Reading it changes nothing and
// never shows a code; the code is in the answer to the approval alone.
import { isServiceError, ServiceError } from '../../kernel/errors.ts'
import { authorize, invoke } from '../../kernel/operation.ts'
import type { Scope } from '../../kernel/principal.ts'
import type { RegistrationRow } from '../../storage/tables/auth.ts'
import { requireFresh } from '../account/fresh.ts'
import { listAccountsOf } from '../accounts.ts'
import { actorOf } from '../audit.ts'
import type { SentFields } from '../form.ts'
import { parseBody, readFields } from '../form.ts'
import { approveClaim, denyClaim } from '../registrations/approve.ts'
import { claimAgent } from '../registrations/claim-agent.ts'
import { claimable, findByPage } from '../registrations/registration.ts'
import type { LiveSignIn } from '../sign-ins.ts'
import { claimForm, codePage } from './claim-view.ts'
import type { PagesDeps } from './page.ts'
import { pageResponse, seeOther } from './page.ts'
import { notFoundResponse, wordsResponse } from './plain-pages.ts'
import type { PageCall, Visitor } from './visitor.ts'
import { checkForm, keepReturn, visitorOf } from './visitor.ts'

/** A page that may be shown to this person, or the answer to give instead. */
type Found = { registration: RegistrationRow; signIn: LiveSignIn } | { instead: Response }

export async function showClaim(deps: PagesDeps, call: PageCall): Promise<Response> {
  const visitor = await visitorOf(deps, call)
  const found = await find(deps, call, visitor)
  return 'instead' in found ? found.instead : formPage(deps, call, visitor, found, {})
}

export async function sendClaim(deps: PagesDeps, call: PageCall): Promise<Response> {
  if (call.request.headers.has('authorization')) return claimByToken(deps, call)
  const fields = await readFields(call.request)
  const visitor = await visitorOf(deps, call)
  checkForm(deps, call, visitor.signIn, fields.get('csrf'))
  const found = await find(deps, call, visitor)
  if ('instead' in found) return found.instead
  const { registration, signIn } = found
  const actor = actorOf({ ...call, principal: signIn.principal })
  if (fields.get('decision') !== 'approve') {
    const outcome = await denyClaim(deps, actor, registration.id, signIn.principal.accountId)
    if (outcome === 'claimed') return claimedPage(deps, visitor)
    if (outcome === 'gone') return unknownPage(deps, visitor)
    return wordsResponse(
      deps.frame,
      200,
      'Refused',
      'The agent gets nothing from your account, and this page no longer works.',
      visitor.theme,
    )
  }
  return approve(deps, call, visitor, { registration, signIn, fields })
}

interface Approving {
  registration: RegistrationRow
  signIn: LiveSignIn
  fields: SentFields
}

async function approve(deps: PagesDeps, call: PageCall, visitor: Visitor, { registration, signIn, fields }: Approving): Promise<Response> {
  const { principal } = signIn
  const wanted = fields.get('account') ?? principal.accountId
  const account = (await listAccountsOf(deps.store.read, principal.userId)).find(({ id }) => id === wanted)
  if (account === undefined) throw new ServiceError('not_found', 'You are not a member of this account.')
  const allowed = allowedBy(fields, registration)
  if (allowed?.length === 0) {
    const state = { words: 'Tick what the agent may do, or refuse it.', status: 400, accountId: account.id, allowed }
    return formPage(deps, call, visitor, { registration, signIn }, state)
  }
  try {
    await requireFresh(deps, { ...call, principal }, fields.get('password'))
  } catch (error) {
    if (!isServiceError(error)) throw error
    const words = error.code === 'login_required' ? 'Enter your password to approve.' : error.message
    return formPage(
      deps,
      call,
      visitor,
      { registration, signIn },
      { words, status: error.status, asksPassword: true, accountId: account.id, allowed },
    )
  }
  const actor = actorOf({ ...call, principal })
  const asked = { registrationId: registration.id, person: principal, targetAccountId: account.id, allowed }
  const approval = await approveClaim(deps, actor, asked)
  if (approval.ok && approval.code === undefined) {
    const words = 'The agent goes on by itself. You can end it under Agents in the dashboard.'
    return wordsResponse(deps.frame, 200, 'Approved', words, visitor.theme)
  }
  if (approval.ok)
    return codePage(deps.frame, visitor, { ...approval, account: account.name, agent: registration.client_name, now: call.now })
  return approval.reason === 'claimed' ? claimedPage(deps, visitor) : unknownPage(deps, visitor)
}

/** What was ticked; undefined where the form that was sent had no boxes. */
function allowedBy(fields: SentFields, registration: RegistrationRow): readonly Scope[] | undefined {
  if (fields.get('narrows') === undefined) return undefined
  const ticked = fields.all('scope')
  return claimable(registration).filter((scope) => ticked.includes(scope))
}

async function find(deps: PagesDeps, call: PageCall, visitor: Visitor): Promise<Found> {
  const registration = await findByPage(deps.store.read, call.params['token'] ?? '', call.now)
  if (registration === undefined) return { instead: unknownPage(deps, visitor) }
  if (visitor.signIn === undefined) {
    const kept = await keepReturn(deps, call, new URL(call.request.url).pathname)
    return { instead: seeOther('/dashboard/sign-in', kept) }
  }
  const { principal } = visitor.signIn
  const verdict = await deps.limiter.consume('pages', { principal, address: call.address, now: call.now })
  if (!verdict.allowed) throw tooMany(verdict.headers)
  if (registration.state === 'claimed') return { instead: claimedPage(deps, visitor) }
  if (registration.email_hint !== null && !(await hasVerifiedEmail(deps, principal.userId, registration.email_hint))) {
    const words = 'This agent asks for somebody else. Sign in as that person to decide about it.'
    return { instead: wordsResponse(deps.frame, 403, 'Not for you', words, visitor.theme) }
  }
  return { registration, signIn: visitor.signIn }
}

function tooMany(headers: Readonly<Record<string, string>>): ServiceError {
  return new ServiceError('rate_limited', `Too many calls. Try again in ${headers['Retry-After'] ?? '1'} s.`, { headers })
}

async function hasVerifiedEmail({ store }: PagesDeps, userId: string, email: string): Promise<boolean> {
  const user = await store.read.selectFrom('users').select(['email', 'email_verified_at']).where('id', '=', userId).executeTakeFirst()
  return user !== undefined && user.email === email && user.email_verified_at !== null
}

function unknownPage(deps: PagesDeps, visitor: Visitor): Response {
  return notFoundResponse(
    deps.frame,
    'This address leads to no agent. It may have expired; ask the agent to register again.',
    visitor.theme,
  )
}

function claimedPage(deps: PagesDeps, visitor: Visitor): Response {
  return wordsResponse(deps.frame, 409, 'Already claimed', 'This agent is claimed. Nothing more is needed.', visitor.theme)
}

async function formPage(
  deps: PagesDeps,
  call: PageCall,
  visitor: Visitor,
  { registration, signIn }: Approving | { registration: RegistrationRow; signIn: LiveSignIn },
  { words, status = 200, asksPassword = !signIn.isFresh, accountId = signIn.principal.accountId, allowed }: FormState,
): Promise<Response> {
  const accounts = await listAccountsOf(deps.store.read, signIn.principal.userId)
  const body = await claimForm(deps.store.read, {
    registration,
    accounts,
    accountId,
    csrf: visitor.csrf,
    asksPassword,
    words,
    allowed,
    now: call.now,
  })
  return pageResponse(deps.frame, { status, name: 'Claim an agent', body, theme: visitor.theme, cookies: visitor.cookies })
}

interface FormState {
  words?: string
  status?: number
  asksPassword?: boolean
  accountId?: string
  allowed?: readonly Scope[] | undefined
}

/** The claim of `/api/v1/auth/claim`; without a `claim_id` the page's own token counts. */
async function claimByToken(deps: PagesDeps, call: PageCall): Promise<Response> {
  const { request, params } = call
  const authorization = request.headers.get('authorization')
  const principal = await deps.authenticate({
    method: 'POST',
    authorization: authorization === null ? [] : [authorization],
    header: (name) => request.headers.get(name) ?? undefined,
    address: call.address,
    now: call.now,
  })
  const operation = claimAgent.bind(deps)
  authorize(operation.access, principal)
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  const result = await invoke(operation, {
    call: { ...call, principal, signal: request.signal },
    limiter: deps.limiter,
    read: async () => ({ claim_id: params['token'], ...(await parseBody(request)) }),
    onLimit: (limits) => Object.entries(limits).forEach(([name, value]) => headers.set(name, value)),
  })
  return new Response(JSON.stringify(operation.http?.view?.(result)), { headers })
}
