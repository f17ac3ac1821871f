// Proof that an unsafe request borne by a cookie came from our own page: the origin the browser names, and a token only our
// pages know. The third layer is the cookie's `SameSite`.
import { ServiceError } from '../kernel/errors.ts'
import type { Signer } from './signer.ts'
import { createSigner } from './signer.ts'

export interface Csrf {
  /** The token of a sign-in, by its row id. */
  forSignIn(signInId: string): string
  /** The token of a browser that has not signed in, by its cookie. */
  forVisitor(cookie: string): string
  checkSignIn(signInId: string, token: string | undefined): boolean
  checkVisitor(cookie: string, token: string | undefined): boolean
}

export function createCsrf(secrets: readonly string[]): Csrf {
  const signIns: Signer = createSigner(secrets, 'csrf')
  const visitors: Signer = createSigner(secrets, 'csrf before sign-in')
  return {
    forSignIn: signIns.sign,
    forVisitor: visitors.sign,
    checkSignIn: (id, token) => token !== undefined && signIns.verify(id, token),
    checkVisitor: (cookie, token) => token !== undefined && visitors.verify(cookie, token),
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
