// A whole auth area on a test store, with a manual clock, cheap passwords and wide limits; and a browser that keeps cookies.
import { createRequire } from 'node:module'
import { z } from 'zod'
import { type Auth, type AuthOptions, createAuth } from '../../server/agents/compose.ts'
import type { Presented } from '../../server/accounts/authenticate.ts'
import type { PageRoute } from '../../server/accounts/visit.ts'
import { authRoutes } from '../../server/agents/operations.ts'
import { identityRoutes } from '../../server/agents/identity/routes.ts'
import { oauthRoutes } from '../../server/agents/oauth/routes.ts'
import { isServiceError, problemOf } from '@rostrum/base/errors'
import { systemIds } from '@rostrum/base/clock'
import { type Declared, invoke, type Operation } from '../../server/platform/operation.ts'
import type { Principal } from '../../server/platform/principal.ts'
import type { Store } from '../../server/platform/db/store.ts'
import type { ManualClock } from '../support/clock.ts'
import { manualClock } from '../support/clock.ts'
import { everyRate } from '../support/rates.ts'
import type { WebBundle } from '../../web/src/server/types.ts'

/** What draws the pages, as the service loads it; the build types it. */
const builtWeb = createRequire(import.meta.url)

export const baseUrl = 'https://talks.example.com'
export const address = '203.0.113.7'

export const wideRates = everyRate({ count: 10_000, windowMs: 60_000 })

export interface AuthWorld extends Auth {
  store: Store
  clock: ManualClock
  routes: readonly PageRoute[]
  /** Calls an operation as the HTTP surface does; the view is applied. */
  call(declared: Declared<never>, principal: Principal, input?: unknown): Promise<unknown>
  authenticate(authorization: string | readonly string[] | undefined, more?: Partial<Presented>): Promise<Principal>
  browser(userAgent?: string, from?: string): Browser
}

export function authWorld(
  store: Store,
  { clock = manualClock(), ...change }: Partial<AuthOptions> & { clock?: ManualClock } = {},
): AuthWorld {
  const settings = {
    baseUrl,
    title: 'Rostrum',
    secrets: ['a test secret of at least thirty-two characters'],
    planSessions: 1_000,
    anonymous: true,
    agentTtlMs: 86_400_000,
    agentClaimedTtlMs: 90 * 86_400_000,
  }
  const auth = createAuth({
    store,
    clock,
    ids: systemIds,
    settings,
    rates: wideRates,
    findAttendee: () => Promise.resolve(undefined),
    passwordCost: { memoryKib: 64, passes: 1 },
    onFailure: (error) => {
      throw error
    },
    ...change,
  })
  const pages = {
    ...auth.deps,
    web: builtWeb('../../web/dist/server/render.js') as WebBundle,
    authenticate: auth.authenticator.authenticate,
  }
  const routes = [...authRoutes(pages), ...oauthRoutes(pages), ...identityRoutes(pages)]
  const authenticate: AuthWorld['authenticate'] = (authorization, more = {}) =>
    auth.authenticator.authenticate({
      method: 'GET',
      authorization: authorization === undefined ? [] : typeof authorization === 'string' ? [authorization] : authorization,
      header: () => undefined,
      address,
      now: clock.now(),
      ...more,
    })
  return {
    ...auth,
    store,
    clock,
    routes,
    authenticate,
    async call(declared, principal, input = {}) {
      const operation: Operation = (declared as Declared<Auth['deps']>).bind(auth.deps)
      const call = { principal, now: clock.now(), requestId: systemIds.uuid(), address, signal: new AbortController().signal }
      const result = await invoke(operation, { call, read: () => input, limiter: auth.deps.limiter })
      return operation.http?.view === undefined ? result : operation.http.view(result)
    },
    browser: (userAgent = 'Test browser', from = address) => createBrowser(routes, clock, userAgent, from),
  }
}

export interface Shown {
  status: number
  headers: Headers
  text: string
  /** The CSRF field of the page. */
  csrf: string | undefined
}

export interface Browser {
  cookies: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Shown>
  /** Sends a form with the CSRF token of `page`, or without one. */
  post(path: string, fields: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Shown>
  /** Opens the page and sends its form. */
  submit(path: string, fields: Readonly<Record<string, string>>): Promise<Shown>
  /** A body of any type, as a program sends it. */
  raw(path: string, type: string, body: string): Promise<Shown>
  json(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Shown>
  /** A header reader for the authenticator. */
  header(extra?: Readonly<Record<string, string>>): (name: string) => string | undefined
}

function createBrowser(routes: readonly PageRoute[], clock: ManualClock, userAgent: string, from: string): Browser {
  const cookies = new Map<string, string>()
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  async function send(
    method: 'GET' | 'POST',
    path: string,
    init: { headers?: Readonly<Record<string, string>>; body?: string },
  ): Promise<Shown> {
    const found = matchRoute(routes, method, path)
    if (found === undefined) throw new Error(`no page at ${method} ${path}`)
    const headers = { 'user-agent': userAgent, accept: 'text/html', ...(cookies.size > 0 && { cookie: cookieHeader() }), ...init.headers }
    const request = new Request(`${baseUrl}${path}`, { method, headers, ...(init.body !== undefined && { body: init.body }) })
    const requestId = systemIds.uuid()
    let response: Response
    try {
      response = await found.route.handle({ request, params: found.params, requestId, address: from, now: clock.now() })
    } catch (error) {
      if (!isServiceError(error)) throw error
      response = Response.json(problemOf(error, { baseUrl, requestId }), { status: error.status, headers: { ...error.extra.headers } })
    }
    for (const cookie of response.headers.getSetCookie()) keep(cookie)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, csrf: /name="csrf" value="([^"]+)"/.exec(text)?.[1] }
  }

  function keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (/Max-Age=0|=thu, 01 jan 1970/i.test(cookie)) cookies.delete(name)
    else cookies.set(name, value)
  }

  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: baseUrl, 'sec-fetch-site': 'same-origin' }
  const post: Browser['post'] = (path, fields, headers = {}) =>
    send('POST', path, { headers: { ...form, ...headers }, body: new URLSearchParams(fields).toString() })
  return {
    cookies,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post,
    async submit(path, fields) {
      const page = await send('GET', path, {})
      return post(path, { ...(page.csrf !== undefined && { csrf: page.csrf }), ...fields })
    },
    raw: (path, type, body) => send('POST', path, { headers: { 'content-type': type }, body }),
    json: (path, body, headers = {}) =>
      send('POST', path, { headers: { ...form, 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
    header:
      (extra = {}) =>
      (name) =>
        name === 'cookie' && cookies.size > 0 ? cookieHeader() : extra[name],
  }
}

function matchRoute(
  routes: readonly PageRoute[],
  method: string,
  path: string,
): { route: PageRoute; params: Record<string, string> } | undefined {
  const [pathname = ''] = path.split('?')
  for (const route of routes) {
    const pattern = new RegExp(`^${route.path.replaceAll('.', String.raw`\.`).replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
    const match = route.method === method ? pattern.exec(pathname) : null
    if (match) return { route, params: { ...match.groups } }
  }
  return undefined
}

/** The members of a JSON object. */
export function membersOf({ text }: Pick<Shown, 'text'>): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
}

export const owner = { name: 'Maya Okafor', email: 'maya@example.com', password: 'a quiet lake at dusk', accountName: 'Acme' }
