// Files that the web build has made, and content-addressed media. Names with a hash never change, so they are cached for a year; the
// build has compressed its files, so nothing is compressed here.
import { createHash } from 'node:crypto'
import { serveStatic } from '@hono/node-server/serve-static'
import { ServiceError } from '../errors.ts'
import { lazily } from '../work.ts'
import type { FindMedia, HttpOptions, Route, RouteCall } from './ports.ts'
import type { OwnRoute } from './others.ts'

const forever = 'public, max-age=31536000, immutable'

/** `/assets/*`, the few files of the web build beside them, and `/media/*`. */
export function fileRoutes({ webRoot, media }: Pick<HttpOptions, 'webRoot' | 'media'>): readonly OwnRoute[] {
  const serve = lazily(() => serveStatic({ root: webRoot, precompressed: true }))
  const built = (path: string, cacheControl: string): OwnRoute => ({
    method: 'GET',
    path,
    kind: 'document',
    async handle(_, { context }) {
      const file = await serve()(context, async () => undefined)
      if (!(file instanceof Response)) throw noFile()
      file.headers.set('Cache-Control', cacheControl)
      file.headers.set('Vary', 'Accept-Encoding')
      return file
    },
  })
  return [
    built('/assets/:name', forever),
    built('/favicon.svg', 'public, max-age=3600'),
    built('/manifest.webmanifest', 'public, max-age=3600'),
    {
      method: 'GET',
      path: '/media/:name',
      kind: 'document',
      handle: ({ params, request }) => mediaAnswer(media, params['name'] ?? '', request.headers),
    },
  ]
}

const noFile = () => new ServiceError('not_found', 'No such file.')

/** One media file: immutable, revalidated by its name, in parts where a player asks for them. */
async function mediaAnswer(find: FindMedia, name: string, asked: Headers): Promise<Response> {
  const tag = `"${name}"`
  // A name never stands for other bytes: whoever holds them need not ask what they were.
  if (asked.get('if-none-match')?.includes(tag))
    return new Response(null, { status: 304, headers: { 'Cache-Control': forever, ETag: tag } })
  const file = /^[\w.-]{1,128}$/.test(name) ? await find(name) : undefined
  if (file === undefined) throw noFile()
  const headers: Record<string, string> = {
    'Content-Type': file.type,
    'Cache-Control': forever,
    ETag: tag,
    'Accept-Ranges': 'bytes',
    // Even a file that lied about its type can do nothing; and views in other origins' sandboxes may show it.
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  }
  // A page or a package of a host is for their own disk: at this address it would be one of ours.
  if (/\.(?:html|zip)$/.test(name)) headers['Content-Disposition'] = 'attachment'
  const bytes = new Uint8Array(file.bytes)
  const range = asked.get('range')
  const part = range === null ? undefined : partOf(range, bytes.length)
  if (part === undefined) return new Response(bytes, { headers })
  if (part === 'none') return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${bytes.length}` } })
  headers['Content-Range'] = `bytes ${part.start}-${part.end}/${bytes.length}`
  return new Response(bytes.subarray(part.start, part.end + 1), { status: 206, headers })
}

/** One range of bytes (RFC 9110 section 14.1.2); several, or another unit, count as none asked. */
function partOf(range: string, size: number): { start: number; end: number } | 'none' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range.trim())
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  const start = match[1] === '' ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const end = match[1] === '' || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  return start > end ? 'none' : { start, end }
}

// A document that is the same for everybody, readable from every page: made when it is first asked for, and revalidated by its tag
// (RFC 9110 section 13.1.2).

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
