// The HTTP surface over a handful of sample operations: what it guarantees is tested apart from the features it carries.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { z } from 'zod'
import { errorCodes, ServiceError } from '@rostrum/base/errors'
import {
  anyCredential,
  changes,
  creates,
  type EventFeed,
  open,
  type Operation,
  operation,
  reads,
  scoped,
} from '../../server/platform/operation.ts'
import type { Principal } from '../../server/platform/principal.ts'
import { createHttp, type Http, type HttpOptions } from '../../server/platform/http/server.ts'
import { keptAnswers } from '../../server/platform/http/idempotency.ts'
import type { Store } from '../../server/platform/db/store.ts'
import type { ManualClock } from './clock.ts'
import { manualClock } from './clock.ts'
import { seededIds } from './ids.ts'
import { openTestStore } from './stores.ts'

export const baseUrl = 'https://talks.example.com'
export const bearer = { Authorization: 'Bearer good' }

interface Samples {
  /** How often the handler of `create_thing` ran. */
  created: number
  feed: EventFeed
}

const common = { limit: 'api', errors: [] } as const

const createThing = operation({
  ...common,
  name: 'create_thing',
  summary: 'Create a thing',
  access: scoped('sessions:write'),
  effects: creates,
  errors: ['conflict'],
  input: z.object({ title: z.string().min(1).max(20), size: z.int().optional() }),
  async run({ title }, _call, samples: Samples) {
    if (title === 'bug') throw new Error('secret detail')
    if (title === 'taken') throw new ServiceError('conflict', 'That title is taken.')
    samples.created++
    return { id: samples.created, title }
  },
  http: { method: 'POST', path: '/api/v1/things', output: z.object({ id: z.int(), title: z.string() }) },
})

const listThings = operation({
  ...common,
  name: 'list_things',
  summary: 'List things',
  access: scoped('sessions:read'),
  effects: reads,
  input: z.object({
    limit: z.int().min(1).max(50).default(10),
    live: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
    query: z.string().optional(),
  }),
  run: async (input, _call, _samples: Samples) => input,
  http: {
    method: 'GET',
    path: '/api/v1/things',
    output: z.looseObject({}),
    formats: { 'text/csv': (input) => `limit\r\n${String(input.limit)}\r\n` },
  },
})

const getThing = operation({
  ...common,
  name: 'get_thing',
  summary: 'Get a thing',
  access: anyCredential,
  effects: reads,
  input: z.object({ thingId: z.uuid() }),
  run: async (input, call, _samples: Samples) => ({ ...input, address: call.address, kind: call.principal.kind }),
  http: { method: 'GET', path: '/api/v1/things/{thingId}', output: z.looseObject({}) },
})

export const deleteThing = operation({
  ...common,
  deprecated: { since: '2027-01-01', sunset: '2028-01-02', use: 'Send `DELETE /api/v1/things/{id}`.' },
  name: 'delete_thing',
  summary: 'Delete a thing',
  access: anyCredential,
  effects: changes,
  input: z.object({ id: z.string() }),
  run: async (input, _call, _samples: Samples) => input,
  http: { method: 'DELETE', path: '/api/v1/things' },
})

const makeSecret = operation({
  ...common,
  name: 'make_secret',
  summary: 'Make a secret',
  access: anyCredential,
  effects: creates,
  secret: true,
  input: z.object({}),
  run: async (_input, _call, samples: Samples) => ({ secret: `s${String(++samples.created)}` }),
  http: { method: 'POST', path: '/api/v1/secrets', output: z.object({ secret: z.string() }) },
})

const badHeader = operation({
  ...common,
  name: 'bad_header',
  summary: 'Answer with a header that cannot be sent',
  access: open,
  effects: reads,
  input: z.object({}),
  run: async (_input, _call, _samples: Samples) => null,
  http: { method: 'GET', path: '/api/v1/things/bad-header', headers: () => ({ 'X-Title': 'a\r\nInjected: yes' }) },
})

const upload = operation({
  ...common,
  name: 'upload',
  summary: 'Upload a file',
  access: anyCredential,
  effects: changes,
  input: z.object({ thingId: z.string(), size: z.int(), name: z.string().optional() }),
  run: async (input, _call, _samples: Samples) => input,
  http: {
    method: 'PUT',
    path: '/api/v1/things/{thingId}/file',
    bodyTypes: ['application/pdf'],
    bodyMax: 64,
    readBody: async ({ file }) => ({ size: file.sizeBytes }),
    output: z.looseObject({}),
  },
})

const watch = operation({
  ...common,
  name: 'watch',
  summary: 'Watch things',
  access: open,
  effects: reads,
  input: z.object({ token: z.string().optional() }),
  run: async (_input, call, samples: Samples) => ({ feed: samples.feed, kind: call.principal.kind }),
  http: {
    method: 'GET',
    path: '/api/v1/watch',
    tokenInQuery: true,
    feed: ({ feed }) => feed,
    view: ({ kind }) => ({ kind }),
    output: z.looseObject({}),
  },
})

const everyError = operation({
  ...common,
  name: 'fail',
  summary: 'Fail',
  access: open,
  effects: reads,
  errors: errorCodes,
  input: z.object({ code: z.enum(errorCodes) }),
  async run({ code }, _call, _samples: Samples): Promise<null> {
    throw new ServiceError(code, 'As asked.')
  },
  http: { method: 'GET', path: '/api/v1/fail/{code}' },
})

const person: Principal = {
  kind: 'api_key',
  accountId: 'account',
  credentialId: 'credential',
  scopes: ['sessions:read', 'sessions:write'],
  label: 'test',
}

export interface TestHttp {
  http: Http
  store: Store
  clock: ManualClock
  samples: Samples
  logged: { level: string; fields: object; message: string }[]
  request(path: string, init?: RequestInit): Promise<Response>
}

export interface TestHttpOptions {
  feed?: EventFeed
  options?: Partial<HttpOptions>
}

/** Listens on a port of its own only if `http.listen` is called; `request` goes straight to the app. */
export async function openHttp({ feed, options }: TestHttpOptions = {}): Promise<TestHttp> {
  const store = await openTestStore()
  const clock = manualClock()
  const samples: Samples = { created: 0, feed: feed ?? { open: () => ({ stop: () => undefined }) } }
  const logged: TestHttp['logged'] = []
  const log = (level: string) => (fields: object, message: string) => void logged.push({ level, fields, message })
  const declared = [createThing, listThings, getThing, deleteThing, badHeader, makeSecret, upload, watch, everyError]
  const operations: Operation[] = declared.map((each) => each.bind(samples))
  const http = createHttp({
    config: {
      host: '127.0.0.1',
      port: 0,
      baseUrl,
      corsOrigins: ['https://app.example.com'],
      assetOrigin: null,
      metricsToken: 'metrics',
      trustProxy: [],
      otlpEndpoint: null,
    },
    operations,
    routes: [],
    async authenticate({ authorization, queryToken }) {
      const [value] = authorization
      if (value === 'Bearer good') return person
      if (value === 'Bearer narrow') return { ...person, credentialId: 'narrow', scopes: ['analytics:read'] }
      if (queryToken === 'attendee') return { kind: 'attendee', attendeeId: 'a', runId: 'r', sessionId: 's' }
      if (value !== undefined || queryToken !== undefined) throw new ServiceError('invalid_token', 'The credential is not valid.')
      return { kind: 'nobody' }
    },
    challenge: (error) => (error.code === 'invalid_token' ? 'Bearer resource_metadata="here"' : undefined),
    limiter: {
      consume: async () => ({ allowed: true, headers: { 'RateLimit-Policy': '"api";q=120;w=60', RateLimit: '"api";r=119;t=1' } }),
    },
    idempotency: keptAnswers(store),
    media: async (name) => {
      const bytes = Buffer.from('0123456789')
      const read = async (start: number, into: Uint8Array) => bytes.copy(into, 0, start)
      if (name === 'gone.png') return 'gone'
      return name === 'abc.png' ? { type: 'image/png', sizeBytes: bytes.length, isAskedFor: false, read } : undefined
    },
    networkOf: (address) => address,
    spoolDirectory: tmpdir(),
    webRoot: '/nowhere',
    errorPage: ({ status, title }) => `<h1>${status} ${title}</h1>`,
    ready: async () => true,
    log: { info: log('info'), warn: log('warn'), error: log('error'), debug: log('debug') },
    clock,
    ids: seededIds(),
    ...options,
  })
  return { http, store, clock, samples, logged, request: async (path, init) => http.app.request(`${baseUrl}${path}`, init) }
}

export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json', ...bearer, ...headers }, body: JSON.stringify(body) }
}

/** Asserts the whole problem document (RFC 9457) and gives it. */
export async function problem(response: Response, status: number, code: string): Promise<Record<string, unknown>> {
  const body: unknown = await response.json()
  assert.equal(response.status, status, JSON.stringify(body))
  assert.equal(response.headers.get('content-type'), 'application/problem+json')
  assert.ok(typeof body === 'object' && body !== null)
  const document = body as Record<string, unknown>
  assert.equal(document['code'], code)
  assert.equal(document['status'], status)
  assert.equal(document['type'], `${baseUrl}/docs/errors#${code}`)
  assert.equal(document['instance'], `urn:uuid:${response.headers.get('x-request-id')}`)
  assert.equal(document['error_description'], document['detail'])
  return document
}
