// `/claim/<token>`: a person sees which agent asks for what, and approves or refuses (spec 5.6). Reading it changes nothing and
// never shows a code; the code is in the answer to the approval alone.
import { type Actor, actorOf, recordAct } from '../accounts/audit.ts'
import { alertNote, fieldsOf, type Html, html, parseBody, type SentFields } from '../accounts/pages/page.ts'
import { type FormPage, formPage, type PageCall, type PageRoute, type PagesDeps, toSignIn, type Visit } from '../accounts/visit.ts'
import { listAccountsOf, type MemberAccount } from '../accounts/people.ts'
import { type LiveSignIn, requireFresh } from '../accounts/sign-ins.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import type { RegistrationRow } from '../accounts/tables.ts'
import { isServiceError, ServiceError } from '@rostrum/base/errors'
import { type Ids, uuidV7 } from '@rostrum/base/clock'
import { authorize, invoke } from '../platform/operation.ts'
import { type Scope, scopeWords, type UserPrincipal } from '../platform/principal.ts'
import { claimAgent } from './claim.ts'
import { claimable, codeLifeMs, findByPage, hashCode, hasPage, lockRegistration, mintClaimCode, saveDelegation } from './registration.ts'

interface Asked {
  registration: RegistrationRow
  signIn: LiveSignIn
}

const claimPage: FormPage<Asked> = {
  async find(visit) {
    const { deps, signIn, address, now } = visit
    const registration = await findByPage(deps.store.read, visit.token, now)
    if (registration === undefined) return unknownAgent(visit)
    if (signIn === undefined) return toSignIn(deps, visit)
    const { principal } = signIn
    await deps.limiter.pass('pages', { principal, address, now })
    if (registration.state === 'claimed') return alreadyClaimed(visit)
    const { email_hint: email } = registration
    if (email === null || (await hasVerifiedEmail(deps, principal.userId, email))) return { registration, signIn }
    return visit.words(403, 'Not for you', 'This agent asks for somebody else. Sign in as that person to decide about it.')
  },
  show: (visit, asked) => claimForm(visit, asked, {}),
  async send(visit, asked, fields) {
    if (fields.get('decision') === 'approve') return approve(visit, asked, fields)
    const { principal } = asked.signIn
    const outcome = await denyClaim(visit.deps, actorOf({ ...visit, principal }), asked.registration.id, principal.accountId)
    if (outcome === 'claimed') return alreadyClaimed(visit)
    if (outcome === 'gone') return unknownAgent(visit)
    return visit.words(200, 'Refused', 'The agent gets nothing from your account, and this page no longer works.')
  },
}

async function approve(visit: Visit, asked: Asked, fields: SentFields): Promise<Response> {
  const { deps } = visit
  const { registration, signIn } = asked
  const { principal } = signIn
  const wanted = fields.get('account') ?? principal.accountId
  const account = (await listAccountsOf(deps.store.read, principal.userId)).find(({ id }) => id === wanted)
  if (account === undefined) throw new ServiceError('not_found', 'You are not a member of this account.')
  const kept = { accountId: account.id, allowed: allowedBy(fields, registration) }
  if (kept.allowed?.length === 0)
    return claimForm(visit, asked, { ...kept, words: 'Tick what the agent may do, or refuse it.', status: 400 })
  try {
    await requireFresh(deps, { ...visit, principal }, fields.get('password'))
  } catch (error) {
    if (!isServiceError(error)) throw error
    const words = error.code === 'login_required' ? 'Enter your password to approve.' : error.message
    return claimForm(visit, asked, { ...kept, words, status: error.status, asksPassword: true })
  }
  const decision = { registrationId: registration.id, person: principal, targetAccountId: account.id, allowed: kept.allowed }
  const approval = await approveClaim(deps, actorOf({ ...visit, principal }), decision)
  if (!approval.ok) return approval.reason === 'claimed' ? alreadyClaimed(visit) : unknownAgent(visit)
  if (approval.code === undefined)
    return visit.words(200, 'Approved', 'The agent goes on by itself. You can end it under Agents in the dashboard.')
  const minutes = Math.max(1, Math.floor((approval.expiresAt - visit.now) / 60_000))
  // The one answer that holds the code.
  const body = html`<h1>Read this code to the agent</h1>
    <p>
      Give it to <bdi class="agent-name">“${registration.client_name}”</bdi> and nobody else. It then works for <bdi>${account.name}</bdi>.
    </p>
    <output class="code" id="claim-code">${approval.code}</output>
    <p class="plain-lead">
      Valid for ${minutes} minutes. Opening the page again and approving gives a new code; this one then no longer works.
    </p>
    <p><a href="/dashboard/agents">See your agents</a></p>`
  return visit.page({ name: 'Code for the agent', body })
}

/** What was ticked; undefined where the form that was sent had no boxes. */
function allowedBy(fields: SentFields, registration: RegistrationRow): readonly Scope[] | undefined {
  if (fields.get('narrows') === undefined) return undefined
  const ticked = fields.all('scope')
  return claimable(registration).filter((scope) => ticked.includes(scope))
}

async function hasVerifiedEmail({ store }: PagesDeps, userId: string, email: string): Promise<boolean> {
  const user = await store.read.selectFrom('users').select(['email', 'email_verified_at']).where('id', '=', userId).executeTakeFirst()
  return user !== undefined && user.email === email && user.email_verified_at !== null
}

function unknownAgent(visit: Visit): Response {
  return visit.words(404, 'Nothing here', 'This address leads to no agent. It may have expired; ask the agent to register again.')
}

function alreadyClaimed(visit: Visit): Response {
  return visit.words(409, 'Already claimed', 'This agent is claimed. Nothing more is needed.')
}

// How the page looks: what the agent calls itself, what it will be allowed to, what moves, and one decision.

interface FormState {
  words?: string
  status?: number
  asksPassword?: boolean
  accountId?: string
  /** What was ticked before; undefined: everything. */
  allowed?: readonly Scope[] | undefined
}

async function claimForm(visit: Visit, { registration, signIn }: Asked, state: FormState): Promise<Response> {
  const { read } = visit.deps.store
  const { words, status = 200, asksPassword = !signIn.isFresh, accountId = signIn.principal.accountId, allowed } = state
  const accounts = await listAccountsOf(read, signIn.principal.userId)
  const preview = await previewClaim(read, registration.agent_account_id)
  const hint = 'Asked again because your last sign-in is more than ten minutes old.'
  const password = fieldsOf([{ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hint }])
  const body = html`<h1>Claim an agent</h1>
<p><bdi class="agent-name">“${registration.client_name}”</bdi> <span class="muted">(its own words, not verified)</span> asks to act for your account.</p>
<p class="plain-lead">Registered ${ago(visit.now - registration.created_at)} from the network ${registration.ip_prefix}. Only continue if you started this.</p>
${alertNote(words)}
${visit.form(html`
<fieldset class="gains"><legend>It will be allowed to, in your whole account</legend>
<input type="hidden" name="narrows" value="1" />
${claimable(registration).map((scope) => scopeBox(scope, allowed?.includes(scope) ?? true))}
</fieldset>
<dl class="facts">
<div><dt>Sessions that move to your account</dt><dd>${sessionsOf(preview)}</dd></div>
${preview.webhooks.length > 0 && html`<div><dt>Where it sends events</dt><dd>${webhooksOf(preview)}</dd></div>`}
<div>${accountChoice(accounts, accountId)}</div>
</dl>
${asksPassword && password}
<p>${registration.kind === 'id_jag' ? 'It then goes on by itself.' : 'You then get a code to read to the agent.'} You can take the claim back within 24 hours.</p>
<div class="plain-actions">
<button class="btn" form="refusal" name="decision" value="deny">Not mine, refuse</button>
<button class="btn btn-primary" name="decision" value="approve">Claim agent</button>
</div>`)}
${
  // A refusal is for good: in a form of its own, Enter after the password does not press it, and it waits for no field.
  html`<form method="post" id="refusal" hidden>${visit.csrf}</form>`
}`
  return visit.page({ status, name: 'Claim an agent', body })
}

/** A scope that may be left out. */
export function scopeBox(scope: Scope, isTicked: boolean): Html {
  return html`<div class="check">
    <input type="checkbox" id="scope-${scope}" name="scope" value="${scope}"${isTicked && html` checked`} />
    <label for="scope-${scope}">${scopeWords[scope]}</label>
  </div>`
}

/** The accounts of a person to choose from. */
export function accountOptions(accounts: readonly MemberAccount[], accountId: string): Html[] {
  return accounts.map(({ id, name }) => html`<option value="${id}"${id === accountId && html` selected`}>${name}</option>`)
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

function accountChoice(accounts: readonly MemberAccount[], accountId: string): Html {
  const [only, second] = accounts
  if (only !== undefined && second === undefined) {
    return html`<dt>Account</dt><dd><bdi>${only.name}</bdi><input type="hidden" name="account" value="${only.id}" /></dd>`
  }
  return html`<dt><label for="account">Account</label></dt><dd><select class="input" id="account" name="account">${accountOptions(accounts, accountId)}</select></dd>`
}

function ago(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`
  const hours = Math.round(minutes / 60)
  return hours === 1 ? 'an hour ago' : `${hours} hours ago`
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

export function claimRoutes(deps: PagesDeps): PageRoute[] {
  const [get, post] = formPage(deps, '/claim/:token', claimPage)
  const decide = (call: PageCall) => (call.request.headers.has('authorization') ? claimByToken(deps, call) : post.handle(call))
  return [get, { ...post, handle: decide }]
}

// What a person decides on the claim page: approve, which gives a code to read to the agent, or refuse.

interface DecisionDeps {
  store: Store
  ids: Ids
}

export type Approval =
  | { ok: true; code: string; expiresAt: number }
  /** A standing approval: the agent goes on by itself, with its next assertion. */
  | { ok: true; code: undefined }
  | { ok: false; reason: 'gone' | 'claimed' }

export interface ApprovedClaim {
  registrationId: string
  person: UserPrincipal
  targetAccountId: string
  /** What the person lets it do; absent: all it may have. */
  allowed?: readonly Scope[] | undefined
}

/** A new code for `targetAccountId`; the codes before it die. For a signed assertion, the standing approval of its subject. */
export async function approveClaim(
  { store, ids }: DecisionDeps,
  actor: Actor,
  { registrationId, person, targetAccountId, allowed }: ApprovedClaim,
): Promise<Approval> {
  const { now } = actor
  const code = mintClaimCode(ids)
  return store.write(async (tx): Promise<Approval> => {
    const row = await lockRegistration(tx, registrationId)
    if (row === undefined || !hasPage(row, now)) return { ok: false, reason: 'gone' }
    if (row.state === 'claimed') return { ok: false, reason: 'claimed' }
    if (row.issuer !== null && row.subject !== null) {
      const { issuer, subject } = row
      await saveDelegation(tx, ids, { issuer, subject, userId: person.userId, accountId: targetAccountId, scopes: allowed?.join(' '), now })
      await recordAct(tx, ids, actor, {
        action: 'delegation.approved',
        accountId: targetAccountId,
        target: ['registration', registrationId],
      })
    }
    // Without a claim token this registration can never get one: the agent's next assertion makes another.
    if (row.issuer !== null && !(await hasClaimToken(tx, registrationId))) {
      const bound = {
        state: 'claimed',
        account_id: targetAccountId,
        owner_user_id: person.userId,
        claimed_at: now,
        claim_verified: 1,
      } as const
      await tx.updateTable('registrations').set(bound).where('id', '=', registrationId).execute()
      return { ok: true, code: undefined }
    }
    await voidAttempts(tx, registrationId, now)
    await tx
      .insertInto('claim_attempts')
      .values({
        id: uuidV7(ids, now),
        registration_id: registrationId,
        code_hash: hashCode(registrationId, code),
        tries: 0,
        approved_by: person.userId,
        target_account_id: targetAccountId,
        scopes: allowed?.join(' ') ?? null,
        expires_at: now + codeLifeMs,
        created_at: now,
      })
      .execute()
    await recordAct(tx, ids, actor, { action: 'agent.approved', accountId: targetAccountId, target: ['registration', registrationId] })
    return { ok: true, code, expiresAt: now + codeLifeMs }
  })
}

/** The page is dead from now on, and so is every code; the agent's token lives on unclaimed. */
async function denyClaim(
  { store, ids }: DecisionDeps,
  actor: Actor,
  registrationId: string,
  accountId: string,
): Promise<'denied' | 'gone' | 'claimed'> {
  const { now } = actor
  return store.write(async (tx) => {
    const row = await lockRegistration(tx, registrationId)
    if (row === undefined || !hasPage(row, now)) return 'gone'
    if (row.state === 'claimed') return 'claimed'
    await voidAttempts(tx, registrationId, now)
    await tx.updateTable('registrations').set({ denied_at: now }).where('id', '=', registrationId).execute()
    await recordAct(tx, ids, actor, { action: 'agent.denied', accountId, target: ['registration', registrationId] })
    return 'denied'
  })
}

async function hasClaimToken(tx: Tx, registrationId: string): Promise<boolean> {
  const query = tx.selectFrom('credentials').select('id').where('registration_id', '=', registrationId)
  return (await query.where('kind', '=', 'clm').where('revoked_at', 'is', null).executeTakeFirst()) !== undefined
}

export async function voidAttempts(tx: Tx, registrationId: string, now: number): Promise<void> {
  await tx
    .updateTable('claim_attempts')
    .set({ void_at: now })
    .where('registration_id', '=', registrationId)
    .where('spent_at', 'is', null)
    .where('void_at', 'is', null)
    .execute()
}

// Everything that a claim moves to the person's account, named for the person who decides: sessions, and where events of them go.

export interface MovingSession {
  id: string
  title: string
  status: 'draft' | 'published'
}

export interface MovingWebhook {
  /** Of its address, whose path and query may hold a secret. */
  host: string
  eventTypes: readonly string[]
  /** Null: of every session of the account, from the claim on of the person's. */
  sessionId: string | null
}

interface ClaimPreview {
  sessions: readonly MovingSession[]
  webhooks: readonly MovingWebhook[]
}

async function previewClaim(read: Reader, accountId: string): Promise<ClaimPreview> {
  const [sessions, subscriptions] = await Promise.all([
    read
      .selectFrom('sessions')
      .select(['id', 'title', 'status'])
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    read
      .selectFrom('webhook_subscriptions')
      .select(['url', 'event_types', 'session_id'])
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
  ])
  const webhooks = subscriptions.map(({ url, event_types, session_id }) => {
    const types: unknown = JSON.parse(event_types)
    return { host: URL.parse(url)?.host ?? url, eventTypes: Array.isArray(types) ? types.map(String) : [], sessionId: session_id }
  })
  return { sessions, webhooks }
}
