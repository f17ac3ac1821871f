// A small server that speaks the room wire with a scripted talk, so that the room can be driven in a real browser without the
// service. Loopback only.
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { PageContext, WebBundle } from '../src/server/types.ts'
import type { FakeRun } from './scripted-run.ts'
import { fakeRun } from './scripted-run.ts'
import { roomView } from './scripted-talk.ts'

export interface FakeRoom {
  url: string
  run: FakeRun
  server: Server
  /** Ends every open stream; new ones are refused while `down`. */
  fault(kind: 'cut' | 'down' | 'up'): void
  posts: { kind: string; body: Record<string, unknown> }[]
  /** Characters written to the newest stream; null where it is not open. */
  written(): number | null
  close(): Promise<void>
}

const dist = join(import.meta.dirname, '../dist')
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  webmanifest: 'application/manifest+json',
}

export interface FakeRoomOptions {
  mode?: 'isolated' | 'broadcast'
  pace?: number
  port?: number
  /** Changes the words of every page. */
  reworded?: (html: string) => string
  /** How words are said. */
  pronunciations?: Record<string, string>
}

export async function startFakeRoom(options: FakeRoomOptions = {}): Promise<FakeRoom> {
  const mode = options.mode ?? 'isolated'
  const said = options.pronunciations && { pronunciations: options.pronunciations }
  const bundle = (await import(join(dist, 'server/render.js'))) as WebBundle
  const run = fakeRun({ mode, pace: options.pace ?? 1, now: () => Date.now() })
  const streams = new Set<ServerResponse>()
  const posts: FakeRoom['posts'] = []
  const names = new Map<string, string | null>()
  let newest: { written: number } | null = null
  let down = false
  let attendees = 0

  const html = (request: IncomingMessage, response: ServerResponse, make: (page: PageContext) => string) => {
    const url = new URL(request.url ?? '/', 'http://x')
    const nonce = 'bm9uY2UtZm9yLXRlc3Rz'
    const theme = /theme=(light|dark)/.exec(request.headers.cookie ?? '')?.[1] ?? url.searchParams.get('theme')
    const language = bundle.pickLanguage({
      query: url.searchParams.get('lang'),
      acceptLanguage: request.headers['accept-language'] ?? null,
    })
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; media-src 'self' blob:; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    })
    const themed = theme === 'light' || theme === 'dark' ? ({ theme } as const) : {}
    const made = make({ nonce, baseUrl: address(), siteTitle: 'Rostrum', language, ...themed })
    response.end(options.reworded?.(made) ?? made)
  }
  const json = (response: ServerResponse, body: unknown, status = 200) => {
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const address = () => {
    const found = server.address()
    return `http://127.0.0.1:${typeof found === 'object' && found !== null ? found.port : 0}`
  }
  const attendeeOf = (request: IncomingMessage) => (request.headers.authorization ?? '').replace('Bearer token-', '')

  const stream = (request: IncomingMessage, response: ServerResponse) => {
    if (down) return json(response, {}, 503)
    const attendeeId = attendeeOf(request)
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    const mine = { written: 0 }
    newest = mine
    const write = (event: string, data: unknown, id?: string) => {
      const text = `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      mine.written += text.length
      response.write(text)
    }
    const cursor = request.headers['last-event-id']
    let sent = typeof cursor === 'string' ? Number(cursor.split('-')[1]) : run.log.length
    if (typeof cursor === 'string') write('snapshot', { ...run.presentTo(attendeeId), resumed: true })
    else write('snapshot', run.snapshot(attendeeId), `1-${sent}`)
    const pump = () => {
      for (const each of run.log.slice(sent)) {
        sent = each.seq
        if (each.audience === 'room' || each.audience === attendeeId) write(each.event, each.data, `1-${each.seq}`)
      }
    }
    pump()
    streams.add(response)
    const stop = run.listen(pump)
    response.on('close', () => {
      stop()
      streams.delete(response)
      if (newest === mine) newest = null
    })
  }

  const post = async (request: IncomingMessage, response: ServerResponse, kind: string) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>
    posts.push({ kind, body })
    if (down) return json(response, { detail: 'down' }, 503)
    if (kind === 'attendees') {
      const attendeeId = `at-${++attendees}`
      names.set(attendeeId, typeof body.name === 'string' ? body.name : null)
      if (mode === 'broadcast') run.start()
      return json(response, {
        attendeeId,
        attendeeToken: `token-${attendeeId}`,
        runId: 'run',
        stream: `${address()}/api/v1/runs/run/stream`,
        mode,
        kind: 'human',
      })
    }
    const attendeeId = attendeeOf(request)
    if (kind === 'acks') run.ack(body.acks as { beatId: string; phase: string }[])
    if (kind === 'control') run.control(String(body.action), body)
    if (kind === 'questions') {
      const question = run.ask(
        String(body.id),
        String(body.text),
        { attendeeId, name: names.get(attendeeId) ?? null },
        body.interrupt === true,
      )
      return json(response, { questionId: question.questionId, status: question.status, ahead: 0 })
    }
    if (kind === 'lead') return json(response, { success: true, leadId: 'lead-1', message: 'ok' })
    return json(response, { ok: true })
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    const key = /^\/join\/([^/]+)$/.exec(path)?.[1]
    if (key !== undefined) {
      const embed = (request.url ?? '').includes('embed=1')
      return html(request, response, (page) =>
        bundle.renderRoom({ ...roomView(mode, key), ...said }, { ...page, key, embed, follows: ['yes', 'i see'] }),
      )
    }
    if (path === '/') {
      const talks = [
        {
          title: 'Grid storage in twelve minutes',
          description: 'What batteries change, what they cost, and where they fail.',
          joinUrl: '/join/welcome',
        },
      ]
      return html(request, response, (page) =>
        bundle.renderPage('home', { demo: { url: '/join/welcome', slides: [], captions: [] }, mcpUrl: `${page.baseUrl}/mcp`, talks }, page),
      )
    }
    if (path === '/closed') return html(request, response, (page) => bundle.renderPage('join-closed', {}, page))
    if (path === '/error')
      return html(request, response, (page) =>
        bundle.renderPage('error', { status: 404, requestId: '2b1c0d5e-7f21-4f39-8a57-3f6f2f1f7c11' }, page),
      )
    if (path.endsWith('/stream')) return stream(request, response)
    if (path.startsWith('/api/v1/rooms/') && request.method === 'GET') return json(response, { ...roomView(mode, 'welcome'), ...said })
    if (request.method === 'POST') return void post(request, response, path.slice(path.lastIndexOf('/') + 1))
    readFile(join(dist, 'client', path)).then(
      (body) => {
        response.writeHead(200, { 'Content-Type': types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream' })
        response.end(body)
      },
      () => json(response, { detail: 'not found' }, 404),
    )
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const cut = () => {
    for (const open of streams) open.destroy()
  }
  return {
    url: address(),
    run,
    server,
    posts,
    written: () => newest?.written ?? null,
    fault(kind) {
      down = kind === 'down' || (kind === 'cut' && down)
      if (kind !== 'up') cut()
    },
    close() {
      cut()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
