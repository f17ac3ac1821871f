// A document that is the same for everybody, readable from every page: made when it is first asked for, and revalidated by its tag
// (RFC 9110 section 13.1.2).
import { createHash } from 'node:crypto'
import { lazily } from '../lazily.ts'
import type { Route, RouteCall } from './ports.ts'

export interface DocumentRoute extends Omit<Route, 'handle'> {
  handle(call: Pick<RouteCall, 'request'>): Response
}

export function documentRoute(path: string, type: string, text: () => string, maxAgeSeconds = 300): DocumentRoute {
  const made = lazily(() => {
    const body = text()
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    const cacheControl = `public, max-age=${maxAgeSeconds}`
    const headers = { ETag: tag, 'Cache-Control': cacheControl, 'Access-Control-Allow-Origin': '*', 'X-Content-Type-Options': 'nosniff' }
    return { body, tag, headers }
  })
  return {
    method: 'GET',
    path,
    kind: 'document',
    handle({ request }) {
      const { body, tag, headers } = made()
      const known = (request.headers.get('if-none-match') ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
      if (known.includes(tag) || known.includes('*')) return new Response(null, { status: 304, headers })
      return new Response(body, { headers: { ...headers, 'Content-Type': type } })
    },
  }
}
