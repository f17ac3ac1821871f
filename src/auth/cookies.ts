// The cookies of the human pages (RFC 6265): the sign-in, and the marks of a browser before and after its first. With an
// https base address they carry the `__Host-` prefix; over plain http browsers would refuse that, and `Secure` too.

export interface CookieJar {
  signIn: string
  before: string
  /** devices.ts */
  device: string
  /** `Set-Cookie` that stores `value` until the browser forgets it, at most `maxAgeSeconds`. */
  set(name: string, value: string, maxAgeSeconds: number): string
  clear(name: string): string
}

export function cookieJar(baseUrl: string): CookieJar {
  const isSecure = baseUrl.startsWith('https:')
  const prefix = isSecure ? '__Host-' : ''
  const attributes = `Path=/; ${isSecure ? 'Secure; ' : ''}HttpOnly; SameSite=Lax`
  return {
    signIn: `${prefix}rostrum`,
    before: `${prefix}rostrum_pre`,
    device: `${prefix}rostrum_device`,
    set: (name, value, maxAgeSeconds) => `${name}=${value}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    clear: (name) => `${name}=; ${attributes}; Max-Age=0`,
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
