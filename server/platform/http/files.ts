// Files that the web build has made, and content-addressed media. What a name with a hash stands for never changes: a file of the build is
// cached for a year, media for as long as its owner may be unable to take it back. The build has compressed its files, so nothing is
// compressed here.
import { createHash } from 'node:crypto'
import { serveStatic } from '@hono/node-server/serve-static'
import { ServiceError } from '@rostrum/base/errors'
import { lazily } from '@rostrum/base/work'
import { matches } from './exchange.ts'
import { type FileAnswer, PieceMissing, type PieceServer, type Span } from './pieces.ts'
import type { FindMedia, Route, RouteCall } from './ports.ts'
import type { OwnRoute } from './others.ts'

const forever = 'public, max-age=31536000, immutable'

export interface FileParts {
  /** Where the built web files are: `assets/`, `favicon.svg`, ... */
  webRoot: string
  media: FindMedia
  /** Of an address: what counts as one caller. */
  networkOf(address: string): string
  pieces: PieceServer
}

/** `/assets/*`, the few files of the web build beside them, and `/media/*`. */
export function fileRoutes(parts: FileParts): readonly OwnRoute[] {
  const { webRoot } = parts
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
      handle: (call) => mediaAnswer(call, parts),
    },
  ]
}

const noFile = () => new ServiceError('not_found', 'No such file.')

/**
 * Pictures and voice, which a room shows again and again, are kept for an hour without a question. A recording is asked for each time,
 * which costs a 304 where it is still there: one that was deleted is played by nobody from a cache.
 */
const keptAnHour = 'public, max-age=3600, immutable'
const askedFor = 'public, no-cache'

/** One media file, revalidated by its name, in parts where a player asks for them (RFC 9110 section 14). */
async function mediaAnswer(
  { params, request, address }: RouteCall,
  { media, networkOf, pieces }: FileParts,
): Promise<Response | FileAnswer> {
  const name = params['name'] ?? ''
  const asked = request.headers
  const file = /^[\w.-]{1,128}$/.test(name) ? await media(name) : undefined
  if (file === 'gone') throw new ServiceError('gone', 'It was deleted by its owner, and is here no longer.')
  if (file === undefined) throw noFile()
  const { sizeBytes } = file
  const tag = `"${name}"`
  const headers: Record<string, string> = { 'Cache-Control': file.isAskedFor ? askedFor : keptAnHour, ETag: tag }
  // A name never stands for other bytes.
  if (matches(asked.get('if-none-match') ?? '', tag)) return new Response(null, { status: 304, headers })
  Object.assign(headers, {
    'Content-Type': file.type,
    'Accept-Ranges': 'bytes',
    // Even a file that lied about its type can do nothing; and views in other origins' sandboxes may show it.
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  })
  // A page or a package of a host is for their own disk: at this address it would be one of ours.
  if (/\.(?:html|zip)$/.test(name)) headers['Content-Disposition'] = 'attachment'
  const part = request.method === 'GET' ? partOf(asked, tag, sizeBytes) : undefined
  if (part === 'none') return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${sizeBytes}` } })
  const { start, end } = part ?? { start: 0, end: sizeBytes }
  headers['Content-Length'] = String(end - start)
  if (part !== undefined) headers['Content-Range'] = `bytes ${start}-${end - 1}/${sizeBytes}`
  const response = new Response(null, { status: part === undefined ? 200 : 206, headers })
  if (request.method === 'HEAD') return response
  try {
    return { response, pieces: await pieces.open({ name, read: file.read }, { start, end }, networkOf(address)) }
  } catch (error) {
    throw error instanceof PieceMissing ? noFile() : error
  }
}

/** One range of bytes; several, another unit, or a part of other bytes than these (`If-Range`) count as none asked. */
function partOf(asked: Headers, tag: string, size: number): Span | 'none' | undefined {
  const match = /^bytes=\s*(\d*)-(\d*)$/i.exec(asked.get('range')?.trim() ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  // Nothing here has a date.
  const isOf = asked.get('if-range')
  if (isOf !== null && isOf.trim() !== tag) return undefined
  const start = match[1] === '' ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const end = match[1] === '' || match[2] === '' ? size : Math.min(Number(match[2]) + 1, size)
  return start >= end ? 'none' : { start, end }
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
