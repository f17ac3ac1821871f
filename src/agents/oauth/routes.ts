// `/oauth2/*` as routes: the provider behind its bridge, our consent page, and what is settled before the provider sees a request.
import type { JWK, Provider } from 'oidc-provider'
import { withoutCookies } from '../../accounts/cookies.ts'
import { readBody } from '../../accounts/pages/form.ts'
import { html, pageResponse } from '../../accounts/pages/page.ts'
import type { PageCall } from '../../accounts/pages/visitor.ts'
import { tokenKind } from '../../accounts/token.ts'
import { ServiceError } from '../../platform/errors.ts'
import { agentGrants, grantToAgent } from '../identity/agent-grants.ts'
import { callOf } from '../identity/routes.ts'
import { findToken } from '../identity/tokens.ts'
import type { AgentRoutesDeps } from '../deps.ts'
import type { AuthRoute } from '../pages.ts'
import { revokeCredential } from '../revoke-credential.ts'
import { settleAuthorize, settleResource } from './authorize-query.ts'
import { judgeClient } from './clients.ts'
import { sendConsent, showConsent } from './consent.ts'
import { answered, lend } from './node-bridge.ts'

/** The provider is loaded and made at the first request that needs it, because most starts never ask. */
export function oauthRoutes(deps: AgentRoutesDeps): AuthRoute[] {
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
    return answered(lend({ request, baseUrl, ...change, ...accept }), (req, res) => handle(req, res))
  }
  async function authorize(call: PageCall): Promise<Response> {
    await limited(deps, call, 'api')
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
    await limited(deps, call, 'api')
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
    await limited(deps, call, 'api')
    await revokeCredential.bind(deps).handle({ token }, callOf(call))
    return new Response(null, { status: 200, headers: { 'Cache-Control': 'no-store' } })
  }
  async function jwks({ now }: PageCall): Promise<Response> {
    const headers = { 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' }
    return Response.json({ keys: await deps.signingKeys.published(now) }, { headers })
  }
  async function register(call: PageCall): Promise<Response> {
    await limited(deps, call, 'clients')
    const verdict = judgeClient(jsonOf(await readBody(call.request)))
    if (verdict.ok) return pass(call, { body: JSON.stringify(verdict.metadata) })
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
    return new Response(JSON.stringify({ error: verdict.error, error_description: verdict.words }), { status: 400, headers })
  }
  const protocol = (method: 'GET' | 'POST', path: string, handle: AuthRoute['handle']): AuthRoute => ({
    method,
    path,
    kind: 'protocol',
    handle,
  })
  return [
    protocol('GET', '/oauth2/authorize', authorize),
    protocol('GET', '/oauth2/authorize/:uid', resume),
    protocol('POST', '/oauth2/token', token),
    protocol('POST', '/oauth2/revoke', revoke),
    protocol('POST', '/oauth2/register', register),
    protocol('GET', '/.well-known/jwks.json', jwks),
    { method: 'GET', path: '/oauth2/consent/:uid', kind: 'page', handle: async (call) => showConsent(deps, await provider(), call) },
    { method: 'POST', path: '/oauth2/consent/:uid', kind: 'page', handle: async (call) => sendConsent(deps, await provider(), call) },
  ]
}

async function isClientless(deps: AgentRoutesDeps, token: string): Promise<boolean> {
  const kind = tokenKind(token)
  if (kind === 'live' || kind === 'agt' || kind === 'clm') return true
  return kind === 'ort' && (await findToken(deps, 'ort', token)) !== undefined
}

async function create(deps: AgentRoutesDeps, signingKey: JWK): Promise<Provider> {
  const page = (words: string) => {
    const heading = 'This request cannot go on'
    return pageResponse(deps.frame, { status: 400, name: heading, body: html`<h1>${heading}</h1><p>${words}</p>` })
  }
  // The renderer answers at once, so the page's text is made before.
  const parts = (words: string) => {
    const marker = 'words-of-the-error'
    return { headers: page(words).headers, body: template.replace(marker, html`${words}`.html) }
  }
  const template = await page('words-of-the-error').text()
  const { createProvider } = await import('./provider.ts')
  return createProvider(deps, parts, signingKey)
}

async function limited({ limiter }: AgentRoutesDeps, { address, now }: PageCall, bucket: 'api' | 'clients'): Promise<void> {
  const verdict = await limiter.consume(bucket, { principal: { kind: 'nobody' }, address, now })
  if (verdict.allowed) return
  throw new ServiceError('rate_limited', `Too many calls. Try again in ${verdict.headers['Retry-After'] ?? '1'} s.`, {
    headers: verdict.headers,
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
