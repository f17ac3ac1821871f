// `/oauth2/*` as routes: the provider behind its bridge, our consent page, and what is settled before the provider sees a request.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { JWK, Provider } from 'oidc-provider'
import { type Actor, actorOf, recordAct } from '../../accounts/audit.ts'
import { withoutCookies } from '../../accounts/cookies.ts'
import { documentResponse, readBody, seeOther } from '../../accounts/pages/page.ts'
import { contextOf, type FormPage, formPage, type PageCall, type PageRoute, toSignIn, type Visit } from '../../accounts/visit.ts'
import { listAccountsOf } from '../../accounts/people.ts'
import { tokenKind } from '../../accounts/credentials.ts'
import { isServiceError } from '@rostrum/base/errors'
import { isScope, type Scope, type UserPrincipal } from '../../platform/principal.ts'
import type { AgentRoutesDeps, AuthDeps } from '../deps.ts'
import { agentGrants, grantToAgent } from '../identity/identity.ts'
import { callOf } from '../identity/routes.ts'
import { findToken } from '../identity/tokens.ts'
import { revokeCredential } from '../register.ts'
import { judgeClient, mcpResource, redirectKind, settleAuthorize, settleResource } from '../clients.ts'

// `/oauth2/consent/<uid>`: a signed-in person allows or denies a client. It shows where the answer goes in bold, because the name
// is only what the client calls itself.

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

interface Asked {
  principal: UserPrincipal
  clientId: string
  clientName: string
  redirect: URL
  scopes: readonly Scope[]
}

const consentPage = (made: () => Promise<Provider>): FormPage<Asked> => ({
  async find(visit) {
    const asked = await findInteraction(visit, await made())
    if (asked === undefined) return visit.notice(410, 'consent-gone')
    return visit.signIn === undefined ? toSignIn(visit.deps, visit) : { ...asked, principal: visit.signIn.principal }
  },
  show: consentForm,
  async send(visit, asked, fields) {
    const { deps } = visit
    const { principal, clientId, clientName, redirect } = asked
    const accounts = await listAccountsOf(deps.store.read, principal.userId)
    const account = accounts.find(({ id }) => id === (fields.get('account') ?? principal.accountId))
    const isTicked = (scope: Scope) => fields.all('scope').includes(scope)
    const scopes = asked.scopes.filter(isTicked)
    const refused = asked.scopes.filter((scope) => !isTicked(scope))
    const provider = await made()
    const { req, res } = lend({ request: visit.request, baseUrl: deps.settings.baseUrl })
    const answer = async (result: Parameters<Provider['interactionResult']>[2]) =>
      seeOther(await provider.interactionResult(req, res, result, { mergeWithLastSubmission: false }))
    if (fields.get('decision') !== 'allow' || account === undefined || scopes.length === 0)
      return answer({ error: 'access_denied', error_description: 'The person denied the request.' })
    const consent = {
      userId: principal.userId,
      accountId: account.id,
      clientId,
      clientName,
      redirectHost: hostOf(redirect),
      resource: mcpResource(deps.settings.baseUrl),
      scopes,
      refused,
    }
    const grantId = await saveConsent(deps, provider, actorOf({ ...visit, principal }), consent)
    return answer({ login: { accountId: principal.userId }, consent: { grantId } })
  },
})

/** The request that waits for a decision, if it is this browser's. */
async function findInteraction({ deps, request }: Visit, provider: Provider): Promise<Omit<Asked, 'principal'> | undefined> {
  const { req, res } = lend({ request, baseUrl: deps.settings.baseUrl })
  const details: Interaction | undefined = await provider.interactionDetails(req, res).catch((error: unknown) => {
    if (isServiceError(error)) throw error
    return undefined
  })
  if (details === undefined || details.uid !== new URL(request.url).pathname.split('/').at(-1)) return undefined
  const { client_id: clientId, redirect_uri: redirectUri, scope } = details.params
  const client = typeof clientId === 'string' ? await provider.Client.find(clientId) : undefined
  const redirect = typeof redirectUri === 'string' ? URL.parse(redirectUri) : null
  if (client === undefined || redirect === null) return undefined
  const scopes = typeof scope === 'string' ? scope.split(' ').filter(isScope) : []
  return { clientId: client.clientId, clientName: client.clientName ?? client.clientId, redirect, scopes }
}

function hostOf(redirect: URL): string {
  return redirect.host === '' ? redirect.protocol : redirect.host
}

async function consentForm(visit: Visit, { principal, clientName, redirect, scopes }: Asked): Promise<Response> {
  const isLocal = redirectKind(redirect.href) !== 'web'
  const props = {
    clientName,
    host: hostOf(redirect),
    isLocal,
    scopes: scopes.map((scope) => ({ scope, isTicked: true })),
    accounts: await listAccountsOf(visit.deps.store.read, principal.userId),
    accountId: principal.accountId,
  }
  // The browser follows the redirect after this form only to origins that its policy names.
  const formTargets = [redirect.protocol === 'https:' || redirect.protocol === 'http:' ? redirect.origin : redirect.protocol]
  return visit.render('consent', props, { formTargets })
}

// What a person decides about a client, written down as a grant of the provider and as a consent of ours.

export interface Consent {
  userId: string
  accountId: string
  clientId: string
  clientName: string
  redirectHost: string
  resource: string
  scopes: readonly Scope[]
  refused: readonly Scope[]
}

/** The id of the new grant. */
async function saveConsent(
  { store, ids }: Pick<AuthDeps, 'store' | 'ids'>,
  provider: Provider,
  actor: Actor,
  consent: Consent,
): Promise<string> {
  const { userId, accountId, clientId, clientName, redirectHost, resource, scopes, refused } = consent
  const grant = new provider.Grant({ accountId: userId, clientId })
  grant.addResourceScope(resource, scopes.join(' '))
  // What was left out is refused for good; else the provider would ask again.
  if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '))
  grant.addOIDCScope('offline_access')
  const grantId = await grant.save()
  await store.write(async (tx) => {
    await tx
      .insertInto('oauth_grants')
      .values({
        grant_id: grantId,
        user_id: userId,
        account_id: accountId,
        client_id: clientId,
        client_name: clientName,
        redirect_host: redirectHost,
        scopes: scopes.join(' '),
        created_at: actor.now,
      })
      .execute()
    await recordAct(tx, ids, actor, { action: 'consent.given', accountId, target: ['grant', grantId], data: { clientName, scopes } })
  })
  return grantId
}

/** The provider is loaded and made at the first request that needs it, because most starts never ask. */
export function oauthRoutes(deps: AgentRoutesDeps): PageRoute[] {
  const { baseUrl } = deps.settings
  let made: { kid: string; provider: Promise<Provider> } | undefined
  /** Made anew with each month's key; all it remembers is in the store. */
  const provider = async () => {
    const { kid, key } = await deps.signingKeys.current(deps.clock.now())
    if (made?.kid !== kid) made = { kid, provider: create(deps, { ...key.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }) }
    const mine = made
    return mine.provider.catch((error: unknown) => {
      if (made === mine) made = undefined
      throw error
    })
  }
  async function pass({ request }: PageCall, change: { body?: string } = {}): Promise<Response> {
    const handle = (await provider()).callback()
    // A body comes from a program: its errors are JSON (RFC 6749 section 5.2), never a page.
    const accept = change.body === undefined ? {} : { accept: 'application/json' }
    const lent = lend({ request, baseUrl, ...change, ...accept })
    const answer = await answered(lent, (req, res) => handle(req, res))
    if (faults.has(lent.req)) throw faults.get(lent.req)
    return answer
  }
  async function authorize(call: PageCall): Promise<Response> {
    await deps.limiter.pass('api', callOf(call))
    const url = new URL(call.request.url)
    settleAuthorize(url.searchParams, baseUrl)
    // Each authorization starts without a session of the provider: who is signed in here decides, not who was before.
    const headers = new Headers(call.request.headers)
    headers.delete('cookie')
    return pass({ ...call, request: new Request(url, { headers }) })
  }
  /** The consent page has said who allows. What the provider remembers of an earlier person would end in its sign-out form. */
  async function resume(call: PageCall): Promise<Response> {
    const headers = new Headers(call.request.headers)
    headers.set('cookie', withoutCookies(headers.get('cookie'), ['_session', '_session.sig']))
    return pass({ ...call, request: new Request(call.request.url, { headers }) })
  }
  async function token(call: PageCall): Promise<Response> {
    await deps.limiter.pass('api', callOf(call))
    const fields = new URLSearchParams(await readBody(call.request))
    if (agentGrants.includes(fields.get('grant_type') ?? '')) return grantToAgent(deps, callOf(call), fields)
    settleResource(fields, baseUrl)
    return pass(call, { body: fields.toString() })
  }
  async function revoke(call: PageCall): Promise<Response> {
    const body = await readBody(call.request)
    const token = new URLSearchParams(body).get('token') ?? ''
    if (!(await isClientless(deps, token))) return pass(call, { body })
    // Our tokens that no client owns: whoever holds one may end it here too (RFC 7009).
    await deps.limiter.pass('api', callOf(call))
    await revokeCredential.bind(deps).handle({ token }, callOf(call))
    return new Response(null, { status: 200, headers: { 'Cache-Control': 'no-store' } })
  }
  async function jwks({ now }: PageCall): Promise<Response> {
    const headers = { 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' }
    return Response.json({ keys: await deps.signingKeys.published(now) }, { headers })
  }
  async function register(call: PageCall): Promise<Response> {
    await deps.limiter.pass('clients', callOf(call))
    const verdict = judgeClient(jsonOf(await readBody(call.request)))
    if (verdict.ok) return pass(call, { body: JSON.stringify(verdict.metadata) })
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
    return new Response(JSON.stringify({ error: verdict.error, error_description: verdict.words }), { status: 400, headers })
  }
  const protocol = (method: 'GET' | 'POST', path: string, handle: PageRoute['handle']): PageRoute => ({
    method,
    path,
    kind: 'protocol',
    handle,
  })
  return [
    { ...protocol('GET', '/oauth2/authorize', authorize), kind: 'page' },
    { ...protocol('GET', '/oauth2/authorize/:uid', resume), kind: 'page' },
    protocol('POST', '/oauth2/token', token),
    protocol('POST', '/oauth2/revoke', revoke),
    protocol('POST', '/oauth2/register', register),
    protocol('GET', '/.well-known/jwks.json', jwks),
    ...formPage(deps, '/oauth2/consent/:uid', consentPage(provider)),
  ]
}

async function isClientless(deps: AgentRoutesDeps, token: string): Promise<boolean> {
  const kind = tokenKind(token)
  if (kind === 'live' || kind === 'agt' || kind === 'clm') return true
  return kind === 'ort' && (await findToken(deps, 'ort', token)) !== undefined
}

/** What the provider would answer as a fault of its own: it is told as it is everywhere else, and logged where it is one. */
const faults = new WeakMap<IncomingMessage, unknown>()

async function create(deps: AgentRoutesDeps, signingKey: JWK): Promise<Provider> {
  const page = (words: string, request: Pick<Request, 'url' | 'headers'>) =>
    documentResponse(deps.web.renderPage('stopped', { words }, contextOf(deps, request)), { status: 400 })
  const { createProvider } = await import('./provider.ts')
  const provider = createProvider(deps, page, signingKey)
  provider.on('server_error', ({ req }: { req: IncomingMessage }, error: unknown) => void faults.set(req, error))
  return provider
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Lends a web-standard request to a handler written for node:http, and gives its answer as a web-standard response: the OAuth
// provider speaks only the former, every surface of ours the latter.

export interface NodeExchange {
  req: IncomingMessage
  res: ServerResponse
}

export interface Lent {
  request: Request
  /** The public address: forwarded headers of the request never count. */
  baseUrl: string
  body?: string
  /** What the answer should be, whatever the request says it likes. */
  accept?: string
}

/** The request as node:http would have read it. */
function lend({ request, baseUrl, body, accept }: Lent): NodeExchange {
  const url = new URL(request.url)
  const base = new URL(baseUrl)
  const req = new IncomingMessage(new Socket())
  req.method = request.method
  req.url = url.pathname + url.search
  req.httpVersion = '1.1'
  for (const [name, value] of request.headers) {
    if (!name.startsWith('x-forwarded-') && name !== 'forwarded' && name !== 'content-length') req.headers[name] = value
  }
  req.headers.host = base.host
  req.headers['x-forwarded-proto'] = base.protocol.slice(0, -1)
  if (accept !== undefined) req.headers.accept = accept
  if (body !== undefined) {
    req.headers['content-length'] = String(Buffer.byteLength(body))
    req.push(body)
  }
  req.push(null)
  return { req, res: new ServerResponse(req) }
}

/** Runs `handle` and resolves once it has ended its response. */
function answered({ req, res }: NodeExchange, handle: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const chunks: Buffer[] = []
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  // Nothing is ever written to the socket, which is connected to nobody.
  res.write = (chunk: unknown) => {
    keep(chunk)
    return true
  }
  res.end = (chunk?: unknown) => {
    keep(chunk)
    const headers = new Headers()
    for (const [name, value] of Object.entries(res.getHeaders())) {
      for (const each of [value ?? []].flat()) headers.append(name, String(each))
    }
    const hasBody = res.statusCode !== 204 && res.statusCode !== 304 && chunks.length > 0
    resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status: res.statusCode, headers }))
    res.emit('finish')
    return res
  }
  Promise.resolve(handle(req, res)).catch(reject)
  return promise
}
