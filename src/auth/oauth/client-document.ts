// Clients that are known by the address of a document about them (Client ID Metadata Documents, draft 02): fetched through the
// outbound guard alone, and held to the same rules as clients that register.
import type { Outbound } from '../../outbound/outbound.ts'
import type { AuthDeps } from '../deps.ts'
import { judgeClient } from './client-registration.ts'

const bytesMax = 16_384
const timeoutMs = 5_000
const perOrigin = { name: 'client-documents', count: 30, windowMs: 60_000 }

/** Strangers choose what is fetched, so each of their origins is asked at most 30 times a minute. */
export async function mayFetch({ limiter, clock }: Pick<AuthDeps, 'limiter' | 'clock'>, clientId: string): Promise<boolean> {
  const url = URL.parse(clientId)
  // Without a path it would be the address of a site, not of a document.
  if (url === null || url.pathname === '/') return false
  return (await limiter.take([{ policy: perOrigin, key: url.origin }], clock.now(), true)).allowed
}

/** The document, rewritten to what we allow; any other answer than 200 makes the provider refuse the client. */
export async function fetchClient(outbound: Pick<Outbound, 'request'> | undefined, url: string): Promise<Response> {
  const answer = await outbound?.request({ url, headers: { accept: 'application/json' }, maxBytes: bytesMax, timeoutMs, redirects: 0 })
  if (answer === undefined || !answer.ok || answer.status !== 200) return new Response(null, { status: 502 })
  const document = documentOf(answer.body)
  const verdict = judgeClient(document)
  if (document === undefined || !verdict.ok || document['client_id'] !== url) return new Response(null, { status: 400 })
  const cacheControl = answer.headers['cache-control']
  return Response.json(
    { client_id: url, ...verdict.metadata },
    { headers: cacheControl === undefined ? {} : { 'cache-control': cacheControl } },
  )
}

function documentOf(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
