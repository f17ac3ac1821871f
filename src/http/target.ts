// The path of a request target (RFC 9112 section 3.2). Only the plain form is read here; anything odd (an absolute address, dot
// segments, backslashes, an unusual host) is left to the URL parser, so that no two parts of the program read it differently.

const plainTarget = /^\/(?!\/)[!$&-;=@-Z_a-z~%]*(?:\?|$)/
const dotSegment = /\/\.\.?(?:\/|$)|%2e/i
const plainHost = /^[a-z0-9._-]+(?::\d{1,5})?$/

/** The path of a target such as `/a/b?c`, or undefined where the URL parser must have its say. */
export function plainPath(target: string | undefined): string | undefined {
  if (target === undefined || !plainTarget.test(target)) return undefined
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  return dotSegment.test(path) ? undefined : path
}

/** A name or an IPv4 address with or without a port; a request without any is served too (HTTP/1.0). */
export function isPlainHost(host: string | undefined): boolean {
  return host === undefined || plainHost.test(host)
}

/** The path of an address that is a URL already. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}
