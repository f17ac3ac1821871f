import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '@rostrum/base/errors'
import { type Ids, randomBase62 } from '@rostrum/base/clock'

// MACs under keys derived from `ROSTRUM_SECRET` (HKDF, RFC 5869), one key per purpose, so that a value of one kind is never
// valid as another. The first secret signs; older ones still verify.

export type Signer = ReturnType<typeof createSigner>

export function createSigner(secrets: readonly string[], purpose: string) {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `rostrum ${purpose}`, 32)))
  const [first] = keys
  if (first === undefined) throw new Error('ROSTRUM_SECRET is needed to sign.')
  const macOf = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  return {
    sign: (text: string) => macOf(first, text).toString('base64url'),
    /** By each secret, the first first: for what is looked up by its MAC. */
    macsOf: (text: string) => keys.map((key) => macOf(key, text).toString('base64url')),
    verify(text: string, mac: string): boolean {
      const given = Buffer.from(mac, 'base64url')
      return keys.some((key) => given.length === 32 && timingSafeEqual(given, macOf(key, text)))
    },
  }
}

// The cookies of the human pages (RFC 6265): the sign-in, and the marks of a browser before and after its first. With an
// https base address they carry the `__Host-` prefix; over plain http browsers would refuse that, and `Secure` too.

export type CookieJar = ReturnType<typeof cookieJar>

export function cookieJar(baseUrl: string) {
  const isSecure = baseUrl.startsWith('https:')
  const prefix = isSecure ? '__Host-' : ''
  const attributes = `Path=/; ${isSecure ? 'Secure; ' : ''}HttpOnly; SameSite=Lax`
  return {
    signIn: `${prefix}rostrum`,
    before: `${prefix}rostrum_pre`,
    device: `${prefix}rostrum_device`,
    /** `Set-Cookie` that stores `value` until the browser forgets it, at most `maxAgeSeconds`. */
    set: (name: string, value: string, maxAgeSeconds: number) => `${name}=${value}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    clear: (name: string) => `${name}=; ${attributes}; Max-Age=0`,
  }
}

/** The value of `name` in a `Cookie` header; the first one where it is sent twice. */
export function readCookie(header: string | null | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** The `Cookie` header without the cookies of these names. */
export function withoutCookies(header: string | null, names: readonly string[]): string {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => !names.includes(pair.split('=')[0] ?? '')).join('; ')
}

// Proof that an unsafe request borne by a cookie came from our own page: the origin the browser names, and a token only our
// pages know. The third layer is the cookie's `SameSite`.

export type Csrf = ReturnType<typeof createCsrf>

export function createCsrf(secrets: readonly string[]) {
  const signIns = createSigner(secrets, 'csrf')
  const visitors = createSigner(secrets, 'csrf before sign-in')
  return {
    /** The token of a sign-in, by its row id. */
    forSignIn: signIns.sign,
    /** The token of a browser that has not signed in, by its cookie. */
    forVisitor: visitors.sign,
    checkSignIn: (id: string, token: string | undefined) => token !== undefined && signIns.verify(id, token),
    checkVisitor: (cookie: string, token: string | undefined) => token !== undefined && visitors.verify(cookie, token),
  }
}

/**
 * `Origin` decides where it names one, else `Sec-Fetch-Site`; a client that sends neither is left to the token. Our own pages
 * have `Referrer-Policy: no-referrer`, under which browsers send `Origin: null` (Fetch, "append a request Origin header"): with
 * https that needs `Sec-Fetch-Site` beside it, which browsers leave out over plain http.
 */
export function isSameOrigin(baseUrl: string, origin: string | undefined, fetchSite: string | undefined): boolean {
  if (origin !== undefined && origin !== 'null') return origin === new URL(baseUrl).origin
  if (fetchSite === undefined) return origin === undefined || baseUrl.startsWith('http:')
  return fetchSite === 'same-origin' || fetchSite === 'none'
}

export function csrfFailed(): ServiceError {
  return new ServiceError(
    'csrf_failed',
    'The request does not come from a page of this service, or the page is too old. Reload it and try again.',
  )
}

// Where a browser may be sent after signing in: a path of this service and nothing else (open redirects).

export const defaultReturn = '/dashboard'

/** `path` if it stays on this origin after parsing, else the dashboard. Total. */
export function safeReturn(path: string | undefined): string {
  if (path === undefined || path.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path)) return defaultReturn
  const parsed = URL.parse(path, 'https://own.invalid')
  if (parsed === null || parsed.origin !== 'https://own.invalid' || parsed.pathname.startsWith('//')) return defaultReturn
  return parsed.pathname + parsed.search + parsed.hash
}

// The mark of a browser in which a person has signed in before: its wrong tries are counted by themselves, so that nobody else's
// tries shut its person out. Signed for one email address; it opens nothing.

export type Devices = ReturnType<typeof createDevices>

/** As long as browsers keep a cookie. */
export const markLifeSeconds = 400 * 86_400

export function createDevices(secrets: readonly string[], ids: Ids) {
  const signer = createSigner(secrets, 'device')
  return {
    /** What the cookie of a browser holds from a sign-in with `email` on. */
    mark(email: string): string {
      const id = randomBase62(ids, 22)
      return `${id}.${signer.sign(`${id} ${email}`)}`
    },
    /** What the tries of the browser are counted by; undefined where it has no mark, or one made for somebody else. */
    find(cookie: string | undefined, email: string): string | undefined {
      const [id = '', mac = '', ...more] = (cookie ?? '').split('.', 3)
      return more.length === 0 && /^[0-9A-Za-z]{22}$/.test(id) && signer.verify(`${id} ${email}`, mac) ? id : undefined
    },
  }
}
