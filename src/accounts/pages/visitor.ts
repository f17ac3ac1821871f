// Who is at a page: the signed-in person by cookie, or a browser that has not signed in, with the CSRF token either one's forms
// carry. A bearer credential never opens a page.
import { randomBase62 } from '../../platform/ids.ts'
import { csrfFailed, isSameOrigin, readCookie, safeReturn } from '../cookies.ts'
import type { AccountDeps } from '../deps.ts'
import { markLifeSeconds } from '../sign-in.ts'
import { findSignIn, type LiveSignIn, signInLifeMs } from '../sign-ins.ts'
import { hashSecret } from '../token.ts'

/** What the HTTP surface gives a page beside the request. */
export interface PageCall {
  request: Request
  params: Readonly<Record<string, string>>
  requestId: string
  address: string
  now: number
}

export interface Visitor {
  signIn: LiveSignIn | undefined
  /** The hidden field of every form on the page. */
  csrf: string
  /** Cookies that the answer must set, or the form would not come back. */
  cookies: readonly string[]
  theme: 'light' | 'dark' | undefined
}

const beforeLifeMs = 60 * 60_000

type VisitorDeps = Pick<AccountDeps, 'store' | 'ids' | 'csrf' | 'jar' | 'settings' | 'limiter'>

export async function visitorOf(deps: VisitorDeps, call: PageCall): Promise<Visitor> {
  const { jar, csrf, ids } = deps
  const header = call.request.headers.get('cookie')
  const chosen = readCookie(header, 'theme')
  const theme = chosen === 'light' || chosen === 'dark' ? chosen : undefined
  const signIn = await signInOf(deps, call)
  if (signIn !== undefined) return { signIn, csrf: csrf.forSignIn(signIn.principal.signInId), cookies: [], theme }
  const known = beforeCookie(deps, call)
  const before = known ?? randomBase62(ids, 43)
  const cookies = known === undefined ? [jar.set(jar.before, before, beforeLifeMs / 1_000)] : []
  return { signIn, csrf: csrf.forVisitor(before), cookies, theme }
}

export async function signInOf(
  { store, jar }: Pick<VisitorDeps, 'store' | 'jar'>,
  { request, now }: PageCall,
): Promise<LiveSignIn | undefined> {
  const cookie = readCookie(request.headers.get('cookie'), jar.signIn)
  return cookie === undefined ? undefined : findSignIn(store.read, cookie, now)
}

function beforeCookie({ jar }: Pick<VisitorDeps, 'jar'>, { request }: PageCall): string | undefined {
  const value = readCookie(request.headers.get('cookie'), jar.before)
  return value !== undefined && /^[0-9A-Za-z]{43}$/.test(value) ? value : undefined
}

/** Throws `csrf_failed` unless the form came from a page of ours that this very browser was shown. */
export function checkForm(deps: VisitorDeps, call: PageCall, signIn: LiveSignIn | undefined, token: string | undefined): void {
  checkOrigin(deps, call)
  const before = beforeCookie(deps, call)
  const proved =
    signIn === undefined
      ? before !== undefined && deps.csrf.checkVisitor(before, token)
      : deps.csrf.checkSignIn(signIn.principal.signInId, token)
  if (!proved) throw csrfFailed()
}

export function checkOrigin({ settings }: Pick<VisitorDeps, 'settings'>, { request }: PageCall): void {
  const origin = request.headers.get('origin') ?? undefined
  if (!isSameOrigin(settings.baseUrl, origin, request.headers.get('sec-fetch-site') ?? undefined)) throw csrfFailed()
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

/** What the browser calls itself. */
export function labelOf({ request }: PageCall): string {
  return request.headers.get('user-agent') ?? 'Unknown browser'
}

const returnLifeMs = 30 * 60_000

/**
 * Keeps `path` for after the sign-in, under the browser's mark; returns the cookies to set. Anybody can cause this write, so it is
 * limited by address; beyond the limit the sign-in leads to the dashboard.
 */
export async function keepReturn(deps: VisitorDeps, call: PageCall, path: string): Promise<readonly string[]> {
  const verdict = await deps.limiter.consume('pages', { principal: { kind: 'nobody' }, address: call.address, now: call.now })
  if (!verdict.allowed) return []
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
  return known === undefined ? [deps.jar.set(deps.jar.before, before, beforeLifeMs / 1_000)] : []
}

/** Where this browser wanted to go; forgotten once asked. */
export async function takeReturn(deps: VisitorDeps, call: PageCall): Promise<string> {
  const before = beforeCookie(deps, call)
  if (before === undefined) return safeReturn(undefined)
  const row = await deps.store.write((tx) =>
    tx.deleteFrom('kept_returns').where('id_hash', '=', hashSecret(before)).returning(['path', 'expires_at']).executeTakeFirst(),
  )
  return safeReturn(row !== undefined && row.expires_at > call.now ? row.path : undefined)
}
