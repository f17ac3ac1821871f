// A small server that speaks the documented HTTP shapes from memory, so that a screen can be looked at and driven without
// the whole service. `node web/test/fake-api.ts [port]` serves the built dashboard on it.
import { systemIds } from '@rostrum/base/clock'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import {
  fakeAnalytics,
  fakeDeck,
  fakeKeys,
  fakeKnowledge,
  fakeQuestions,
  fakeRehearsal,
  fakeRuns,
  fakeScript,
  fakeSessions,
  fakeTried,
  runId,
  sessionId,
} from './fake-data.ts'
import { fakeAttendees, fakeLeads } from './fake-people.ts'
import { fakeDocument, fakeWritten } from './fake-script.ts'
import { fakeMatches, fakeTranscript } from './fake-transcript.ts'
import { openFakeRun } from './fake-run.ts'
import { accountRoutes } from './fake-account.ts'
import { serveFile, serveMedia } from './fake-files.ts'
import { fakeDeliveries, fakeDelivery, fakeEndpoints } from './fake-webhooks.ts'
import type { Lead, Recording } from '../src/dashboard/data/wire.ts'

type Body = Record<string, unknown>
/** A string is sent as CSV, anything else as JSON. */
/** What a change of the language does: null leaves it to the slides. */
const languageOf = (language: unknown) =>
  language === null ? { language: 'en', languageFrom: 'deck' } : language === undefined ? {} : { languageFrom: 'host' }

const recordingOf = (change: Partial<Recording>): Recording => ({
  recordingId: '0198c1d2-7a53-7c1e-9a40-00000000f11a',
  format: 'mp4',
  state: 'ready',
  progress: 100,
  runId: null,
  url: '/media/film.mp4',
  sizeBytes: 7_340_032,
  durationMs: 412_000,
  error: null,
  replayUrl: null,
  isListed: false,
  createdAt: '2026-11-20T09:00:00.000Z',
  ...change,
})
const noFile = { url: null, sizeBytes: null, durationMs: null }
const fakeRecordings = [
  recordingOf({}),
  recordingOf({ ...noFile, recordingId: '0198c1d2-7a53-7c1e-9a40-00000000f11b', state: 'making', progress: 40 }),
  recordingOf({
    ...noFile,
    recordingId: '0198c1d2-7a53-7c1e-9a40-00000000f11c',
    format: 'mp3',
    state: 'failed',
    error: 'There is nothing to hear: this server has no voice, or has not said the sentences yet.',
  }),
]

type Handler = (call: { id: string; sub: string; body: Body; accept: string; query: URLSearchParams }) => unknown

class Refusal extends Error {
  readonly status: number
  readonly body: Body
  constructor(status: number, body: Body) {
    super(String(body['detail']))
    this.status = status
    this.body = body
  }
}

const csvOf = (leads: readonly Lead[]): string =>
  ['id,name,email', ...leads.map(({ id, name, email }) => `"${id}","${name}","${email}"`)].map((record) => `${record}\r\n`).join('')

/** The state is made anew for each server, so that one test cannot see another's changes. */
function routesOf(): [method: string, pattern: RegExp, handler: Handler][] {
  const sessions = fakeSessions()
  const decks = new Map(sessions.map(({ id }) => [id, fakeDeck(id)]))
  let script = fakeScript()
  let passages = fakeKnowledge()
  let leads = fakeLeads()
  let brand: object = { notes: [] }
  let keys = fakeKeys()
  let endpoints = fakeEndpoints()
  const kept: Body = {}
  const questions = fakeQuestions()
  const find = (id: string) => {
    const session = sessions.find((one) => one.id === id)
    if (session === undefined) throw new Refusal(404, { code: 'not_found', detail: 'There is no such session.' })
    return session
  }
  const own = <T>(id: string, value: T[]): T[] => (find(id).id === sessionId ? value : [])
  const api = '/api/v1/agent/sessions'
  const route = (method: string, path: string, handler: Handler): [string, RegExp, Handler] => [
    method,
    new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    handler,
  ]
  return [
    route('GET', '/api/v1/account/keys', () => ({ keys, count: keys.length })),
    route('POST', '/api/v1/account/keys', ({ body }) => {
      const key = {
        id: systemIds.uuid(),
        name: String(body['name']),
        last4: '9fKz',
        kind: 'live' as const,
        scopes: (body['scopes'] as (typeof keys)[number]['scopes']) ?? [],
        createdAt: new Date().toISOString(),
        lastUsedAt: null,
        expiresAt: null,
        replacedBy: null,
      }
      keys = [key, ...keys]
      return { ...key, key: `rst_live_${'k7Qd'.repeat(8)}9fKz00` }
    }),
    route('POST', '/api/v1/account/keys/{id}/rotate', ({ id, body }) => {
      const old = keys.find((key) => key.id === id) ?? fakeKeys()[0]
      const made = {
        ...old,
        id: systemIds.uuid(),
        last4: 'Nw00',
        createdAt: new Date().toISOString(),
        lastUsedAt: null,
      } as (typeof keys)[number]
      const endsAt = new Date(Date.now() + Number(body['graceSeconds']) * 1_000).toISOString()
      keys = [made, ...keys.map((key) => (key.id === id ? { ...key, replacedBy: made.id, expiresAt: endsAt } : key))]
      return { ...made, key: `rst_live_${'w3Ez'.repeat(8)}9fNw00`, previous: { id, endsAt } }
    }),
    route('DELETE', '/api/v1/account/keys/{id}', ({ id }) => {
      keys = keys.filter((key) => key.id !== id)
      return { id, revoked: true }
    }),
    ...accountRoutes.map(([method, path, answer]) =>
      route(method, path, () => (path === '/api/v1/account' ? { ...Object(answer), ...kept } : answer)),
    ),
    route('PATCH', '/api/v1/account', ({ body }) => Object.assign(kept, body)),
    route('GET', '/api/v1/webhooks', () => ({ webhooks: endpoints, count: endpoints.length })),
    route('POST', '/api/v1/webhooks', ({ body }) => {
      const made = {
        ...fakeEndpoints()[0],
        ...body,
        id: `wh_${endpoints.length + 1}`,
        status: 'enabled' as const,
      } as (typeof endpoints)[number]
      endpoints = [made, ...endpoints]
      return { ...made, secret: 'whsec_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6' }
    }),
    route('GET', '/api/v1/webhooks/deliveries/{id}', ({ id }) => fakeDelivery(id)),
    route('POST', '/api/v1/webhooks/deliveries/{id}/redeliver', ({ id }) => fakeDelivery(id)),
    route('GET', '/api/v1/webhooks/{id}/deliveries', () => ({ deliveries: fakeDeliveries() })),
    route('POST', '/api/v1/webhooks/{id}/rotate', () => ({ secret: 'whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0' })),
    route('POST', '/api/v1/webhooks/{id}/test', () => ({ delivery_id: 'msg_1' })),
    route('POST', '/api/v1/webhooks/{id}/recover', () => ({ queued: 3 })),
    route('GET', '/api/v1/webhooks/{id}', ({ id }) => endpoints.find((one) => one.id === id)),
    route('PATCH', '/api/v1/webhooks/{id}', ({ id, body }) => Object.assign(endpoints.find((one) => one.id === id) ?? {}, body)),
    route('DELETE', '/api/v1/webhooks/{id}', ({ id }) => {
      endpoints = endpoints.filter((one) => one.id !== id)
      return { id, deleted: true }
    }),
    route('GET', '/api/v1/agent/usage', () => ({
      period: '2026-11',
      sessions: { limit: 1000, used: 3 },
      minutes: { limit: null, used: 41 },
      storedBytes: { limit: 5_368_709_120, used: 1_288_490_189 },
      today: {
        resetsAt: '2026-11-26T00:00:00.000Z',
        modelCalls: { limit: 2000, used: 140 },
        spokenCharacters: { limit: 500_000, used: 12_400 },
        recognisedSeconds: { limit: 7200, used: 0 },
      },
    })),
    route('GET', api, () => ({ sessions, count: sessions.length })),
    route('POST', api, ({ body }) => {
      if (body['title'] === 'Over quota')
        throw new Refusal(402, {
          code: 'quota_exceeded',
          detail: 'Quota',
          quota: { limit: 1000, used: 1000, resetsAt: '2026-12-01T00:00:00Z' },
        })
      const session = {
        ...find(sessions[1]?.id ?? ''),
        ...body,
        id: systemIds.uuid(),
        status: 'draft' as const,
        createdAt: new Date().toISOString(),
        title: String(body['title']),
      }
      sessions.unshift(session)
      decks.set(session.id, fakeDeck(session.id))
      return { sessionId: session.id, slug: session.slug, shareLink: session.shareLink }
    }),
    route('GET', `${api}/{id}`, ({ id }) => find(id)),
    route('PATCH', `${api}/{id}`, ({ id, body }) => {
      const { guests } = body
      return Object.assign(find(id), body, languageOf(body['language']), Array.isArray(guests) && { guestsCount: guests.length })
    }),
    route('PUT', `${api}/{id}/portrait`, ({ id }) => Object.assign(find(id), { presenterImageUrl: '/favicon.svg' })),
    route('GET', '/api/v1/agent/brand', () => brand),
    route('PUT', '/api/v1/agent/brand', ({ body }) => (brand = { ...body, notes: [] })),
    route('POST', '/api/v1/agent/logos', () => ({ logoUrl: '/favicon.svg', logo: { width: 32, height: 32, ink: '#0f6b4f' } })),
    route('DELETE', `${api}/{id}/portrait`, ({ id }) => ({ deleted: delete find(id).presenterImageUrl })),
    route('DELETE', `${api}/{id}`, ({ id }) => ({ id: sessions.splice(sessions.indexOf(find(id)), 1)[0]?.id, deleted: true })),
    route('POST', `${api}/{id}/publish`, ({ id }) => Object.assign(find(id), { status: 'published', isLive: true })),
    route('POST', `${api}/{id}/unpublish`, ({ id }) => Object.assign(find(id), { status: 'draft', isLive: false })),
    route('POST', `${api}/{id}/duplicate`, ({ id }) => {
      const copy = { ...find(id), id: systemIds.uuid(), title: `${find(id).title} (copy)`, status: 'draft' as const }
      sessions.unshift(copy)
      decks.set(copy.id, fakeDeck(id))
      return copy
    }),
    route('POST', `${api}/{id}/rehearsal-link`, ({ id }) =>
      Object.assign(find(id), { rehearsalUrl: '/rehearse/zyxwvutsrqponmlkjihgfedcba' }),
    ),
    route('DELETE', `${api}/{id}/rehearsal-link`, ({ id }) => Object.assign(find(id), { rehearsalUrl: null })),
    route('GET', `${api}/{id}/registrations`, ({ id }) => {
      const pageUrl = `/register/${String(find(id)['slug'])}`
      return { registrations: [], going: 0, waiting: 0, cancelled: 0, pageUrl, canMail: true }
    }),
    route('GET', '/api/v1/account/mails', () => ({ leads: true, questions: true, canMail: true })),
    route('GET', `${api}/{id}/recordings`, ({ id }) => ({ recordings: own(id, [...fakeRecordings]), canFilm: true })),
    route('POST', `${api}/{id}/recordings`, ({ body }) => ({ ...fakeRecordings[1], ...body, recordingId: systemIds.uuid() })),
    route('GET', `${api}/{id}/deck`, ({ id }) => decks.get(id)),
    route('PUT', `${api}/{id}/deck`, ({ id }) => {
      decks.set(id, { ...fakeDeck(sessionId), deckId: id })
      return decks.get(id)
    }),
    route('PATCH', `${api}/{id}/deck`, ({ id, body }) => Object.assign(decks.get(id) ?? {}, body)),
    route('PATCH', `${api}/{id}/deck/slides/{sub}`, ({ id, sub, body }) => {
      const deck = decks.get(id)
      const slide = deck?.slides.find((one) => one.id === sub)
      if (deck === undefined || slide === undefined) throw new Refusal(404, { code: 'not_found', detail: 'There is no such slide.' })
      const rest = deck.slides.filter((one) => one !== slide)
      if (typeof body['index'] === 'number') rest.splice(body['index'], 0, slide)
      Object.assign(slide, body)
      deck.version++
      if (typeof body['index'] === 'number') deck.slides = rest.map((one, index) => Object.assign(one, { index }))
      return slide
    }),
    route('DELETE', `${api}/{id}/deck/slides/{sub}`, ({ id, sub }) => {
      const deck = decks.get(id)
      if (deck !== undefined) deck.slides = deck.slides.filter((slide) => slide.id !== sub).map((slide, index) => ({ ...slide, index }))
      return { id: sub, deleted: true }
    }),
    route('GET', `${api}/{id}/script`, ({ id }) => fakeDocument(own(id, script), decks.get(id)?.slides ?? [])),
    route('PUT', `${api}/{id}/script`, ({ id, body }) => {
      script = fakeWritten(script, body['slides'] as { slideId: string; sentences?: { text: string }[] }[])
      return fakeDocument(own(id, script), decks.get(id)?.slides ?? [])
    }),
    route('POST', `${api}/{id}/script/lint`, ({ id }) => ({
      findings: fakeDocument(own(id, script), decks.get(id)?.slides ?? []).findings,
    })),
    route('GET', `${api}/{id}/voices`, () => ({ voice: null, voices: [] })),
    route('GET', `${api}/{id}/script/versions`, () => ({
      versions: [
        { version: 2, reason: 'saved', changedSlides: 1, savedAt: new Date().toISOString() },
        { version: 1, reason: 'before', changedSlides: 0, savedAt: new Date().toISOString() },
      ],
    })),
    // One sentence has a clip of the server, 400 ms long; the others are the browser's.
    route('POST', `${api}/{id}/script/{sub}/clip`, ({ sub }) =>
      sub === script[0]?.beatId
        ? { audioUrl: '/media/clip.wav', audioMs: 400, voice: 'nova' }
        : { audioUrl: null, audioMs: null, voice: null },
    ),
    route('GET', `${api}/{id}/knowledge`, ({ id }) => ({ passages: own(id, passages) })),
    route('PUT', `${api}/{id}/knowledge`, ({ body }) => {
      passages = (body['passages'] as typeof passages).map((passage, index) => ({ ...passage, index, id: passage.id ?? systemIds.uuid() }))
      return { passages }
    }),
    route('POST', `${api}/{id}/knowledge/files`, () => {
      passages = [
        ...passages,
        { id: systemIds.uuid(), index: passages.length, title: 'Data sheet, page 1', content: 'The unit makes 48 dB.' },
      ]
      return { passages, count: passages.length, added: 1 }
    }),
    route('GET', `${api}/{id}/questions`, ({ id }) => ({ questions: own(id, questions), count: own(id, questions).length })),
    route('GET', `${api}/{id}/runs`, ({ id }) => ({ runs: own(id, fakeRuns()), count: own(id, fakeRuns()).length })),
    route('GET', `${api}/{id}/runs/{sub}/transcript`, ({ sub }) => fakeTranscript(sub)),
    route('GET', `${api}/{id}/transcripts`, ({ query }) => fakeMatches(runId, query.get('q') ?? '')),
    route('POST', `${api}/{id}/try`, ({ body }) => fakeTried(body['questions'] as string[] | undefined)),
    route('POST', `${api}/{id}/rehearsals`, () => ({ rehearsalId: 'r1', runId: 'r1' })),
    route('GET', `${api}/{id}/rehearsals/{sub}`, () => fakeRehearsal),
    route('GET', '/api/v1/agent/analytics', () => ({
      sessions: sessions.map(({ id }) => {
        const { unanswered, ...figures } = fakeAnalytics(id)
        return { ...figures, unanswered: unanswered?.length ?? 0 }
      }),
    })),
    route('GET', `${api}/{id}/analytics`, ({ id }) => fakeAnalytics(find(id).id)),
    route('GET', '/api/v1/agent/leads', ({ accept }) => (accept === 'text/csv' ? csvOf(leads) : { leads, total: leads.length })),
    route('GET', `${api}/{id}/leads`, ({ id, accept }) =>
      accept === 'text/csv' ? csvOf(own(id, leads)) : { sessionId: id, leads: own(id, leads) },
    ),
    route('GET', `${api}/{id}/attendees`, ({ id }) => ({ sessionId: id, slidesCount: 7, attendees: own(id, fakeAttendees()) })),
    route('PATCH', `${api}/{id}/leads/{sub}`, ({ sub, body }) => Object.assign(leads.find((lead) => lead.id === sub) ?? {}, body)),
    route('DELETE', `${api}/{id}/leads/{sub}`, ({ sub, query }) => {
      const address = query.get('only') === 'true' ? undefined : leads.find((lead) => lead.id === sub)?.email.toLowerCase()
      leads = leads.filter((lead) => lead.id !== sub && lead.email.toLowerCase() !== address)
      return { id: sub, deleted: true }
    }),
  ]
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const isJson = request.headers['content-type']?.startsWith('application/json') === true
  return isJson ? (JSON.parse(Buffer.concat(chunks).toString()) as Body) : {}
}

export interface FakeApi {
  url: string
  close(): Promise<void>
}

/** Serves `dist` (the built web) with `page` as the HTML of every dashboard address. */
export async function startFakeApi({ dist, page, port = 0 }: { dist: string; page: () => string; port?: number }): Promise<FakeApi> {
  const routes = routesOf()
  const run = openFakeRun()
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      if (serveMedia(response, url.pathname)) return
      if (run.serve(request, response, url)) return
      if (url.pathname.startsWith('/assets/')) return serveFile(response, join(dist, normalize(url.pathname)))
      if (!url.pathname.startsWith('/api/')) return void response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page())
      const found = routes.find(([method, pattern]) => method === request.method && pattern.test(url.pathname))
      const groups = found?.[1].exec(url.pathname)?.groups ?? {}
      try {
        if (found === undefined)
          throw new Refusal(404, { code: 'not_found', detail: `No fake answer for ${request.method} ${url.pathname}.` })
        const result = found[2]({
          id: groups['id'] ?? '',
          sub: groups['sub'] ?? '',
          body: await bodyOf(request),
          accept: request.headers.accept ?? '',
          query: url.searchParams,
        })
        if (typeof result === 'string') response.writeHead(200, { 'Content-Type': 'text/csv; charset=utf-8' }).end(result)
        else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result))
      } catch (error) {
        const refusal = error instanceof Refusal ? error : new Refusal(500, { code: 'internal_error', detail: String(error) })
        response
          .writeHead(refusal.status, { 'Content-Type': 'application/problem+json' })
          .end(JSON.stringify({ status: refusal.status, ...refusal.body }))
      }
    })()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      run.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
