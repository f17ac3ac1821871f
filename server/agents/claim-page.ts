// `/claim/<token>`: a person sees which agent asks for what, and approves or refuses (spec 5.6). Reading it changes nothing and
// never shows a code; the code is in the answer to the approval alone.
import type { Moving, PeoplePages } from '@rostrum/contract/people-pages'
import { type Actor, actorOf, recordAct } from '../accounts/audit.ts'
import { parseBody, type SentFields } from '../accounts/pages/page.ts'
import { type FormPage, formPage, type PageCall, type PageRoute, type PagesDeps, toSignIn, type Visit } from '../accounts/visit.ts'
import { listAccountsOf } from '../accounts/people.ts'
import { type LiveSignIn, requireFresh } from '../accounts/sign-ins.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import type { RegistrationRow } from '../accounts/tables.ts'
import { isServiceError, ServiceError } from '@rostrum/base/errors'
import { type Ids, uuidV7 } from '@rostrum/base/clock'
import { authorize, invoke } from '../platform/operation.ts'
import type { Scope, UserPrincipal } from '../platform/principal.ts'
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
    return visit.notice(403, 'claim-other')
  },
  show: (visit, asked) => claimForm(visit, asked, {}),
  async send(visit, asked, fields) {
    if (fields.get('decision') === 'approve') return approve(visit, asked, fields)
    const { principal } = asked.signIn
    const outcome = await denyClaim(visit.deps, actorOf({ ...visit, principal }), asked.registration.id, principal.accountId)
    if (outcome === 'claimed') return alreadyClaimed(visit)
    if (outcome === 'gone') return unknownAgent(visit)
    return visit.notice(200, 'claim-refused')
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
  if (kept.allowed?.length === 0) return claimForm(visit, asked, { ...kept, alert: 'none-ticked', status: 400 })
  try {
    await requireFresh(deps, { ...visit, principal }, fields.get('password'))
  } catch (error) {
    if (!isServiceError(error)) throw error
    const alert = alertOf[error.code]
    if (alert === undefined) throw error
    return claimForm(visit, asked, { ...kept, alert, status: error.status, asksPassword: true })
  }
  const decision = { registrationId: registration.id, person: principal, targetAccountId: account.id, allowed: kept.allowed }
  const approval = await approveClaim(deps, actorOf({ ...visit, principal }), decision)
  if (!approval.ok) return approval.reason === 'claimed' ? alreadyClaimed(visit) : unknownAgent(visit)
  if (approval.code === undefined) return visit.notice(200, 'claim-approved')
  const minutes = Math.max(1, Math.floor((approval.expiresAt - visit.now) / 60_000))
  return visit.render('claim-code', { agentName: registration.client_name, account: account.name, code: approval.code, minutes })
}

type Alert = NonNullable<PeoplePages['claim']['alert']>

const alertOf: Readonly<Partial<Record<string, Alert>>> = {
  login_required: 'password-needed',
  sign_in_failed: 'password-wrong',
  rate_limited: 'limited',
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

const unknownAgent = (visit: Visit): Response => visit.notice(404, 'claim-unknown')

const alreadyClaimed = (visit: Visit): Response => visit.notice(409, 'claimed')

interface FormState {
  alert?: Alert
  status?: number
  asksPassword?: boolean
  accountId?: string
  /** What was ticked before; undefined: everything. */
  allowed?: readonly Scope[] | undefined
}

/** What the agent calls itself, what it will be allowed to, what moves, and one decision. */
async function claimForm(visit: Visit, { registration, signIn }: Asked, state: FormState): Promise<Response> {
  const { read } = visit.deps.store
  const { alert, status = 200, asksPassword = !signIn.isFresh, accountId = signIn.principal.accountId, allowed } = state
  const props = {
    agentName: registration.client_name,
    registeredMs: visit.now - registration.created_at,
    network: registration.ip_prefix,
    scopes: claimable(registration).map((scope) => ({ scope, isTicked: allowed?.includes(scope) ?? true })),
    accounts: await listAccountsOf(read, signIn.principal.userId),
    accountId,
    moving: await previewClaim(read, registration.agent_account_id),
    asksPassword,
    isByItself: registration.kind === 'id_jag',
    ...(alert && { alert }),
  }
  return visit.render('claim', props, { status })
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

async function previewClaim(read: Reader, accountId: string): Promise<Moving> {
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
