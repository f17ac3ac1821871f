// `/claim/<token>`: a person sees which agent asks for what, and approves or refuses (spec 5.6). Reading it changes nothing and
// never shows a code; the code is in the answer to the approval alone.
import { actorOf } from '../accounts/audit.ts'
import { parseBody, readFields, type SentFields } from '../accounts/pages/form.ts'
import {
  alertNote,
  csrfField,
  fieldsOf,
  type Html,
  html,
  notFoundResponse,
  type PageFrame,
  pageResponse,
  type PagesDeps,
  seeOther,
  wordsResponse,
} from '../accounts/pages/page.ts'
import { checkForm, keepReturn, type PageCall, type Visitor, visitorOf } from '../accounts/pages/visitor.ts'
import { listAccountsOf, type MemberAccount } from '../accounts/people.ts'
import { type LiveSignIn, requireFresh } from '../accounts/sign-ins.ts'
import { isServiceError, ServiceError } from '../platform/errors.ts'
import { authorize, invoke } from '../platform/operation.ts'
import { type Scope, scopeWords } from '../platform/principal.ts'
import type { Reader } from '../platform/db/store.ts'
import type { RegistrationRow } from '../platform/db/tables/auth.ts'
import { approveClaim, type ClaimPreview, denyClaim, previewClaim } from './approve.ts'
import { claimAgent } from './claim-agent.ts'
import { claimable, findByPage } from './registration.ts'

// How the claim page looks: what the agent calls itself, what it will be allowed to, what moves, and one decision.

export interface ClaimForm {
  registration: RegistrationRow
  accounts: readonly MemberAccount[]
  accountId: string
  csrf: string
  asksPassword: boolean
  words: string | undefined
  /** What was ticked before; undefined: everything. */
  allowed?: readonly Scope[] | undefined
  now: number
}

async function claimForm(read: Reader, form: ClaimForm): Promise<Html> {
  const { registration, csrf, asksPassword, words } = form
  const preview = await previewClaim(read, registration.agent_account_id)
  return html`<h1>Claim an agent</h1>
<p><bdi class="agent-name">“${registration.client_name}”</bdi> <span class="muted">(its own words, not verified)</span> asks to act for your account.</p>
<p class="plain-lead">Registered ${ago(form.now - registration.created_at)} from the network ${registration.ip_prefix}. Only continue if you started this.</p>
${alertNote(words)}
<form method="post">
${csrfField(csrf)}
<fieldset class="gains"><legend>It will be allowed to, in your whole account</legend>
<input type="hidden" name="narrows" value="1" />
${boxes(form)}
</fieldset>
<dl class="facts">
<div><dt>Sessions that move to your account</dt><dd>${sessionsOf(preview)}</dd></div>
${preview.webhooks.length > 0 && html`<div><dt>Where it sends events</dt><dd>${webhooksOf(preview)}</dd></div>`}
<div>${accountChoice(form)}</div>
</dl>
${asksPassword && fieldsOf([{ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hint: 'Asked again because your last sign-in is more than ten minutes old.' }])}
<p>${registration.kind === 'id_jag' ? 'It then goes on by itself.' : 'You then get a code to read to the agent.'} You can take the claim back within 24 hours.</p>
<div class="plain-actions">
<button class="btn" form="refusal" name="decision" value="deny">Not mine, refuse</button>
<button class="btn btn-primary" name="decision" value="approve">Claim agent</button>
</div>
</form>
${refusal(csrf)}`
}

function boxes({ registration, allowed }: ClaimForm): Html[] {
  return claimable(registration).map(
    (scope) => html`<div class="check">
<input type="checkbox" id="scope-${scope}" name="scope" value="${scope}"${(allowed?.includes(scope) ?? true) && html` checked`} />
<label for="scope-${scope}">${scopeWords[scope]}</label>
</div>`,
  )
}

function sessionsOf({ sessions }: ClaimPreview): Html {
  if (sessions.length === 0) return html`None: it has made none yet.`
  const rows = sessions.map(
    ({ title, status }) => html`<li><bdi>${title}</bdi> <span class="muted">${status === 'published' ? 'published' : 'draft'}</span></li>`,
  )
  return html`<ul>${rows}</ul><p class="muted">With their leads and figures.</p>`
}

function webhooksOf({ webhooks, sessions }: ClaimPreview): Html {
  const titles = new Map(sessions.map(({ id, title }) => [id, title]))
  const rows = webhooks.map(({ host, eventTypes, sessionId }) => {
    const of = sessionId === null ? html`of every session of your account` : html`of <bdi>“${titles.get(sessionId) ?? 'a session'}”</bdi>`
    return html`<li><bdi class="moving-host">${host}</bdi> <span class="muted">${eventTypes.join(', ')}; ${of}</span></li>`
  })
  return html`<ul>${rows}</ul><p class="muted">You can remove them under Webhooks in the dashboard.</p>`
}

/** A refusal is for good: in a form of its own, Enter after the password does not press it, and it waits for no field. */
const refusal = (csrf: string): Html => html`<form method="post" id="refusal" hidden>${csrfField(csrf)}</form>`

function accountChoice({ accounts, accountId }: ClaimForm): Html {
  const [only, second] = accounts
  if (only !== undefined && second === undefined) {
    return html`<dt>Account</dt><dd><bdi>${only.name}</bdi><input type="hidden" name="account" value="${only.id}" /></dd>`
  }
  const options = accounts.map(({ id, name }) => html`<option value="${id}"${id === accountId && html` selected`}>${name}</option>`)
  return html`<dt><label for="account">Account</label></dt><dd><select class="input" id="account" name="account">${options}</select></dd>`
}

function ago(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`
  const hours = Math.round(minutes / 60)
  return hours === 1 ? 'an hour ago' : `${hours} hours ago`
}

export interface ShownCode {
  code: string
  expiresAt: number
  agent: string
  account: string
  now: number
}

/** The one answer that holds the code. */
function codePage(frame: PageFrame, visitor: Visitor, { code, expiresAt, agent, account, now }: ShownCode): Response {
  const minutes = Math.max(1, Math.floor((expiresAt - now) / 60_000))
  const body = html`<h1>Read this code to the agent</h1>
<p>Give it to <bdi class="agent-name">“${agent}”</bdi> and nobody else. It then works for <bdi>${account}</bdi>.</p>
<output class="code" id="claim-code">${code}</output>
<p class="plain-lead">Valid for ${minutes} minutes. Opening the page again and approving gives a new code; this one then no longer works.</p>
<p><a href="/dashboard/agents">See your agents</a></p>`
  return pageResponse(frame, { name: 'Code for the agent', body, theme: visitor.theme, cookies: visitor.cookies })
}

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
