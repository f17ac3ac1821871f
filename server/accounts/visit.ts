// A visit to a human page: who is there, the signed-in person by cookie or a browser that has not signed in, with the CSRF token either
// one's forms carry, and the answers that its pages give. A bearer credential never opens a page.
import type { Notice, PeopleContext, PeoplePages, PeoplePagesWeb } from '@rostrum/contract/people-pages'
import type { Route, RouteCall } from '../platform/http/ports.ts'
import { randomBase62 } from '@rostrum/base/clock'
import type { Principal } from '../platform/principal.ts'
import type { Presented } from './authenticate.ts'
import { csrfFailed, isSameOrigin, markLifeSeconds, readCookie, safeReturn } from './cookies.ts'
import type { AccountDeps } from './deps.ts'
import { findSignIn, type LiveSignIn, signInLifeMs } from './sign-ins.ts'
import { hashSecret } from './credentials.ts'
import { type DocumentMore, documentResponse, readFields, seeOther, type SentFields } from './pages/page.ts'

/** What the HTTP surface gives a page beside the request. */
export type PageCall = Pick<RouteCall, 'request' | 'params' | 'requestId' | 'address' | 'now'>

/** A page, a document or an address of a protocol, for the HTTP surface to mount. */
export interface PageRoute extends Omit<Route, 'handle'> {
  handle(call: PageCall): Response | Promise<Response>
}

/** What the handlers of the pages need. */
export interface PagesDeps extends AccountDeps {
  web: PeoplePagesWeb
  /** Agents take the address of the claim page for an endpoint, and come with their token. */
  authenticate: (presented: Presented) => Promise<Principal>
}

export interface Visit extends PageCall {
  deps: PagesDeps
  signIn: LiveSignIn | undefined
  /** Of the address: `/reset/:token`. */
  token: string
  /** What the browser calls itself. */
  label: string
  /** A page that the web draws, in the language of its reader. */
  render<Name extends keyof PeoplePages>(name: Name, props: PeoplePages[Name], more?: Omit<DocumentMore, 'cookies'>): Response
  /** A page of a few words; of a link that is gone one text for every reason, so that the page tells nobody which it was. */
  notice(status: number, of: Notice, more?: { email: string }): Response
}

const beforeLifeMs = 60 * 60_000

export async function visitOf(deps: PagesDeps, call: PageCall): Promise<Visit> {
  const { csrf, ids, web } = deps
  const { request, params } = call
  const context = contextOf(deps, request)
  const signIn = await signInOf(deps, call)
  const known = beforeCookie(deps, call)
  const before = known ?? randomBase62(ids, 43)
  const proof = signIn === undefined ? csrf.forVisitor(before) : csrf.forSignIn(signIn.principal.signInId)
  const cookies = signIn === undefined && known === undefined ? [setBefore(deps, before)] : []
  return {
    ...call,
    deps,
    signIn,
    token: params['token'] ?? '',
    label: request.headers.get('user-agent') ?? 'Unknown browser',
    render: (name, props, more) => documentResponse(web.renderPage(name, props, { ...context, csrf: proof }), { ...more, cookies }),
    notice: (status, of, more) => documentResponse(web.renderPage('notice', { of, ...more }, context), { status }),
  }
}

/** In the language that the room would take. */
export function contextOf(
  { web, settings }: Pick<PagesDeps, 'web' | 'settings'>,
  { url, headers }: Pick<Request, 'url' | 'headers'>,
): PeopleContext {
  const cookies = headers.get('cookie')
  const theme = readCookie(cookies, 'theme')
  const language = web.pickLanguage({
    query: new URL(url).searchParams.get('lang'),
    remembered: readCookie(cookies, 'lang') ?? null,
    acceptLanguage: headers.get('accept-language'),
  })
  return {
    // Their policy lets no inline element through.
    nonce: '',
    baseUrl: settings.baseUrl,
    siteTitle: settings.title,
    language,
    ...((theme === 'light' || theme === 'dark') && { theme }),
  }
}

/** A page with a form, which both belong to what the address names. */
export interface FormPage<Subject> {
  /** What the page is about, or the answer that this visitor gets instead. */
  find(visit: Visit): Promise<Subject | Response>
  show(visit: Visit, subject: Subject): Response | Promise<Response>
  /** `checkForm` unless said otherwise. */
  check?(visit: Visit, fields: SentFields): void
  send(visit: Visit, subject: Subject, fields: SentFields): Promise<Response>
}

export function formPage<Subject>(deps: PagesDeps, path: string, page: FormPage<Subject>): [get: PageRoute, post: PageRoute] {
  return [
    {
      method: 'GET',
      path,
      kind: 'page',
      async handle(call) {
        const visit = await visitOf(deps, call)
        const found = await page.find(visit)
        return found instanceof Response ? found : page.show(visit, found)
      },
    },
    {
      method: 'POST',
      path,
      kind: 'page',
      async handle(call) {
        const fields = await readFields(call.request)
        const visit = await visitOf(deps, call)
        if (page.check === undefined) checkForm(visit, fields)
        else page.check(visit, fields)
        const found = await page.find(visit)
        return found instanceof Response ? found : page.send(visit, found, fields)
      },
    },
  ]
}

async function signInOf({ store, jar }: PagesDeps, { request, now }: PageCall): Promise<LiveSignIn | undefined> {
  const cookie = readCookie(request.headers.get('cookie'), jar.signIn)
  return cookie === undefined ? undefined : findSignIn(store.read, cookie, now)
}

function beforeCookie({ jar }: Pick<AccountDeps, 'jar'>, { request }: PageCall): string | undefined {
  const value = readCookie(request.headers.get('cookie'), jar.before)
  return value !== undefined && /^[0-9A-Za-z]{43}$/.test(value) ? value : undefined
}

const setBefore = ({ jar }: Pick<AccountDeps, 'jar'>, value: string): string => jar.set(jar.before, value, beforeLifeMs / 1_000)

/** Throws `csrf_failed` unless the form came from a page of ours that this very browser was shown. */
export function checkForm(visit: Visit, fields: SentFields): void {
  const { deps, signIn } = visit
  checkOrigin(visit)
  const token = fields.get('csrf')
  const before = beforeCookie(deps, visit)
  const isProved =
    signIn === undefined
      ? before !== undefined && deps.csrf.checkVisitor(before, token)
      : deps.csrf.checkSignIn(signIn.principal.signInId, token)
  if (!isProved) throw csrfFailed()
}

export function checkOrigin({ deps, request }: Visit): void {
  const origin = request.headers.get('origin') ?? undefined
  const site = request.headers.get('sec-fetch-site') ?? undefined
  if (!isSameOrigin(deps.settings.baseUrl, origin, site)) throw csrfFailed()
}

/** `Set-Cookie` of a new sign-in of `email`; the mark of the visitor goes. */
export function signedInCookies(deps: Pick<AccountDeps, 'jar' | 'devices'>, cookie: string, email: string): string[] {
  const { jar } = deps
  return [jar.set(jar.signIn, cookie, signInLifeMs / 1_000), deviceCookie(deps, email), jar.clear(jar.before)]
}

/** `Set-Cookie` of a browser whose person has proved to be who they are. */
export function deviceCookie({ jar, devices }: Pick<AccountDeps, 'jar' | 'devices'>, email: string): string {
  return jar.set(jar.device, devices.mark(email), markLifeSeconds)
}

const returnLifeMs = 30 * 60_000

/**
 * Leads to the sign-in, and after it back to `path`, which is kept under the browser's mark. Anybody can cause this write, so it is
 * limited by address; beyond the limit the sign-in leads to the dashboard.
 */
export async function toSignIn(
  deps: Pick<AccountDeps, 'store' | 'ids' | 'jar' | 'limiter'>,
  call: PageCall,
  path = new URL(call.request.url).pathname,
): Promise<Response> {
  const verdict = await deps.limiter.consume('pages', { principal: { kind: 'nobody' }, address: call.address, now: call.now })
  if (!verdict.allowed) return seeOther('/dashboard/sign-in')
  const known = beforeCookie(deps, call)
  const before = known ?? randomBase62(deps.ids, 43)
  const row = { id_hash: hashSecret(before), path: safeReturn(path), expires_at: call.now + returnLifeMs }
  await deps.store.write((tx) =>
    tx
      .insertInto('kept_returns')
      .values(row)
      .onConflict((conflict) => conflict.column('id_hash').doUpdateSet({ path: row.path, expires_at: row.expires_at }))
      .execute(),
  )
  return seeOther('/dashboard/sign-in', known === undefined ? [setBefore(deps, before)] : [])
}

/** Where this browser wanted to go; forgotten once asked. */
export async function takeReturn(visit: Visit): Promise<string> {
  const before = beforeCookie(visit.deps, visit)
  if (before === undefined) return safeReturn(undefined)
  const row = await visit.deps.store.write((tx) =>
    tx.deleteFrom('kept_returns').where('id_hash', '=', hashSecret(before)).returning(['path', 'expires_at']).executeTakeFirst(),
  )
  return safeReturn(row !== undefined && row.expires_at > visit.now ? row.path : undefined)
}
