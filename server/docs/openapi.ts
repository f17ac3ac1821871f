// The OpenAPI 3.1 description at /openapi.json (Spec 9: version 1.0.0), generated from the operations: a named schema for every object,
// words and an example for every member, the headers of every answer.
import { z } from 'zod'
import { eventSchema, examplesOf } from '@rostrum/contract/event-examples'
import { type EventType, eventTypes, eventWords } from '@rostrum/contract/events'
import { type JsonSchema, jsonSchemaOf, sampleOf } from '@rostrum/contract/members'
import { type ErrorCode, errorCodes, errorTable } from '@rostrum/base/errors'
import { type HttpView, type Operation, shownBefore } from '../platform/operation.ts'
import { passedOverShape } from '../platform/parse.ts'
import { scopes, scopeWords } from '../platform/principal.ts'
import { type Components, createComponents, pascal } from './components.ts'
import { inputShape, type Member, parameter, shown } from './input-shape.ts'
import { oauthPaths } from './oauth-paths.ts'

export const apiVersion = '1.0.0'

export interface OpenApiOptions {
  operations: readonly Operation[]
  baseUrl: string
  title: string
  /** One line for each area that has operations. */
  areas: Readonly<Record<string, string>>
  /** 3.2 alone has `itemSchema` for the messages of a stream; 3.1 carries it as `x-itemSchema`. */
  version?: '3.1.0' | '3.2.0'
}

/** Every operation with an HTTP view, once. */
export function openApi({ operations, baseUrl, title, areas, version = '3.1.0' }: OpenApiOptions): Record<string, unknown> {
  const shown = operations.filter(({ http }) => http !== undefined)
  const reserved = new Set(shown.map(({ name }) => resultName(name)))
  const components = createComponents({ Problem: problem }, reserved)
  components.named(withWarnings(), 'WithWarnings')
  // What is read first: a shape is called after the read that shows it.
  for (const kind of ['get_', 'list_'])
    for (const { name, http } of shown) if (http?.output !== undefined && name.startsWith(kind)) outputOf(name, http.output, components)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of shown) {
    if (operation.http === undefined) continue
    const path = (paths[operation.http.path] ??= {})
    path[operation.http.method.toLowerCase()] = operationObject(operation, operation.http, { operations, components, version })
  }
  Object.assign(paths, oauthPaths())
  const used = [...new Set([...shown.map(({ area }) => area), 'auth', 'webhooks'])]
  const webhooks = Object.fromEntries(eventTypes.map((type) => webhookObject(type, components)))
  return {
    openapi: version,
    info: {
      title: `${title} API`,
      version: apiVersion,
      description: `Sessions that an automated presenter gives. Guides: ${baseUrl}/docs`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: used.map((name) => ({ name, description: areas[name] ?? name })),
    paths,
    webhooks,
    components: { schemas: components.schemas, securitySchemes: securitySchemes(baseUrl), headers },
    externalDocs: { url: `${baseUrl}/docs`, description: 'Guides and every error' },
  }
}

interface Parts {
  version: '3.1.0' | '3.2.0'
  operations: readonly Operation[]
  components: Components
}

/** `get_session` answers a `Session`. */
const resultName = (operation: string) => (operation.startsWith('get_') ? pascal(operation.slice(4)) : `${pascal(operation)}Result`)

const outputOf = (operation: string, output: z.ZodType, components: Components): JsonSchema =>
  components.named(jsonSchemaOf(output, 'output', operation), resultName(operation))

const securitySchemes = (baseUrl: string) => ({
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, an agent token, or an OAuth access token.' },
  attendee: { type: 'http', scheme: 'bearer', description: 'The token of an attendee, from joining a room.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'rostrum',
    description: 'A person signed in to the dashboard; changes also send `X-CSRF-Token`.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'An application that a person allows, with PKCE (RFC 7636) and without a secret; it registers itself at `/oauth2/register`.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth2/authorize`,
        tokenUrl: `${baseUrl}/oauth2/token`,
        refreshUrl: `${baseUrl}/oauth2/token`,
        scopes: Object.fromEntries(scopes.map((scope) => [scope, scopeWords[scope]])),
      },
    },
  },
})

const integer: JsonSchema = { type: 'integer', minimum: 0 }
const headerNames = [
  'X-Request-Id',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'Idempotency-Replayed',
] as const
const headers = Object.fromEntries(headerNames.map((name) => [name, shown(name, name === 'Retry-After' ? integer : { type: 'string' })]))
const headersOf = (...names: (typeof headerNames)[number][]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const text = z.string()
const problemShape = z.object({
  type: z.url(),
  title: text,
  status: z.int(),
  detail: text,
  instance: text,
  code: z.enum(errorCodes),
  error: text,
  error_description: text,
  errors: z.array(z.object({ pointer: text, detail: text })).optional(),
  quota: z.object({ limit: z.int(), used: z.int(), resetsAt: text.nullable() }).partial().optional(),
  scopes_required: z.array(text).optional(),
})
const problem: JsonSchema = {
  ...jsonSchemaOf(problemShape, 'output', 'problem'),
  description: 'RFC 9457, with the OAuth pair of RFC 6749 beside it.',
}

function operationObject(operation: Operation, view: HttpView<unknown>, parts: Parts): Record<string, unknown> {
  const { operations } = parts
  const shape = inputShape(operation, view)
  const parameters = [
    ...shape.path.map((member) => parameter('path', member.name, { ...member, required: true })),
    ...shape.query.map((member) => parameter('query', member.name, member)),
    ...shape.header.map((member) => parameter('header', member.header, member)),
    ...(view.tokenInQuery && !shape.query.some(({ name }) => name === 'token') ? [parameter('query', 'token', tokenMember)] : []),
    ...(takesIdempotencyKey(operation, view) ? [parameter('header', 'Idempotency-Key', optional(255))] : []),
    ...(shownBefore(operation, operations) ? [parameter('header', 'If-Match', optional(1_000))] : []),
  ]
  return {
    operationId: operation.name,
    tags: [operation.area],
    summary: operation.summary,
    ...(operation.deprecated && { deprecated: true }),
    ...(wordsOf(operation) !== '' && { description: wordsOf(operation) }),
    security: securityOf(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(operation, shape.body, parts.components),
    responses: responsesOf(operation, view, parts),
  }
}

/** What a caller must know, and how long it works. */
export function wordsOf({ description = '', deprecated }: Operation): string {
  if (deprecated === undefined) return description
  const last = deprecated.sunset === undefined ? '' : ` It works until ${deprecated.sunset}.`
  return `Deprecated since ${deprecated.since}: ${deprecated.use}${last} ${description}`.trim()
}

const tokenMember: Member = { name: 'token', required: false, schema: { type: 'string', description: 'The token of the attendee.' } }
const optional = (maxLength: number) => ({ required: false, schema: { type: 'string', maxLength } })

const takesIdempotencyKey = ({ secret, access }: Operation, { method }: HttpView<unknown>): boolean =>
  method === 'POST' && !secret && access.type !== 'open'

function securityOf({ access }: Operation): readonly Record<string, readonly string[]>[] {
  switch (access.type) {
    case 'open':
      return []
    case 'credential':
    case 'scopes':
      return [{ bearer: access.scopes }, { oauth2: access.scopes }, { cookie: [] }]
    case 'attendee':
      return [{ attendee: [] }]
    case 'attendee_or_scopes':
      return [{ attendee: [] }, { bearer: access.scopes }, { oauth2: access.scopes }, { cookie: [] }]
    case 'sign_in':
      return [{ cookie: [] }]
  }
}

function requestBody({ name, http }: Operation, body: JsonSchema | undefined, components: Components): Record<string, unknown> {
  const json = body && { schema: components.named(body, `${pascal(name)}Request`), example: sampleOf(body) }
  const types = http?.readBody === undefined ? (json ? ['application/json'] : []) : (http.bodyTypes ?? ['application/octet-stream'])
  if (types.length === 0) return {}
  const content = types.map((type): [string, unknown] => [type, json ?? { schema: uploaded(type) }])
  return { requestBody: { required: json === undefined || (body?.required ?? []).length > 0, content: Object.fromEntries(content) } }
}

function uploaded(type: string): Record<string, unknown> {
  if (type === 'application/json') return { type: 'object' }
  if (type !== 'multipart/form-data') return { type: 'string', contentMediaType: type }
  const file = { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file; several may follow each other.' }
  return { type: 'object', properties: { file: { ...file, examples: ['(the bytes of deck.pdf)'] } } }
}

function responsesOf(operation: Operation, view: HttpView<unknown>, parts: Parts): Record<string, unknown> {
  const content = contentOf(operation, view, parts)
  const isTagged = view.method === 'GET' && !operation.secret && view.feed === undefined && Object.keys(content).length > 0
  const own = headersOf(
    'X-Request-Id',
    'RateLimit',
    'RateLimit-Policy',
    ...(isTagged ? (['ETag'] as const) : []),
    ...(takesIdempotencyKey(operation, view) ? (['Idempotency-Replayed'] as const) : []),
  )
  const successes = statusesOf(view).map((status): [number, unknown] => [
    status,
    {
      description: status === 204 ? 'Done.' : 'Success.',
      headers: own,
      ...(Object.keys(content).length === 0 ? {} : { content }),
    },
  ])
  return { ...Object.fromEntries(successes), ...Object.fromEntries(errorResponses(operation, parts.operations)) }
}

function statusesOf({ status, output, view, formats, feed }: HttpView<unknown>): readonly number[] {
  if (status !== undefined) return typeof status === 'number' ? [status] : status.choices
  return [output !== undefined || view !== undefined || formats || feed ? 200 : 204]
}

/** What any answer to a JSON body may carry beside what its operation declares. */
const withWarnings = (): JsonSchema => ({
  type: 'object',
  properties: {
    warnings: {
      ...jsonSchemaOf(z.array(passedOverShape), 'output'),
      description:
        'What was passed over of the body: members that are not known here, with what was probably meant. Absent where nothing was.',
    },
  },
})

function contentOf(operation: Operation, view: HttpView<unknown>, parts: Parts): Record<string, unknown> {
  const others = Object.keys(view.formats ?? {}).map((type): [string, unknown] => [type, { schema: { type: 'string' } }])
  if (view.output === undefined) return Object.fromEntries(others)
  const plain = jsonSchemaOf(view.output, 'output', operation.name)
  const named = outputOf(operation.name, view.output, parts.components)
  const mayWarn = takesBody(operation, view) && plain.type === 'object' && plain.properties?.['warnings'] === undefined
  const schema = mayWarn ? { allOf: [named, { $ref: '#/components/schemas/WithWarnings' }] } : named
  const feed = view.feed === undefined ? {} : { 'text/event-stream': feedContent(plain, parts) }
  return { 'application/json': { schema, example: sampleOf(plain) }, ...Object.fromEntries(others), ...feed }
}

/** A stream: `itemSchema`, as OpenAPI 3.2 has it, is one message of it, of the shape in which the JSON answer lists them. */
function feedContent(listed: JsonSchema, { components, version }: Parts): Record<string, unknown> {
  const message = listed.properties?.['events']?.items ?? {}
  return {
    schema: { type: 'string', description: 'Server-sent events, each as `itemSchema` says: `id`, `event`, and `data` as JSON.' },
    [version === '3.2.0' ? 'itemSchema' : 'x-itemSchema']: components.named(message, 'Event'),
  }
}

const takesBody = (operation: Operation, view: HttpView<unknown>): boolean =>
  view.readBody !== undefined || inputShape(operation, view).body !== undefined

/** The codes that an operation may answer, by status; those that its surface gives for it included. */
export function codesOf(operation: Operation, operations: readonly Operation[]): readonly ErrorCode[] {
  const { http } = operation
  const { type } = operation.access
  // A credential that is sent along must be alive, also where none is asked for.
  const ofCaller: ErrorCode[] = ['invalid_token']
  if (type !== 'open') ofCaller.push(type === 'sign_in' ? 'sign_in_required' : 'insufficient_scope')
  const ofBody: ErrorCode[] =
    http !== undefined && takesBody(operation, http) ? ['payload_too_large', 'unsupported_media_type', 'request_timeout'] : []
  const ofRepeat: ErrorCode[] = http !== undefined && takesIdempotencyKey(operation, http) ? ['conflict', 'idempotency_conflict'] : []
  const ofMatch: ErrorCode[] = shownBefore(operation, operations) ? ['precondition_failed', 'conflict'] : []
  return [...new Set<ErrorCode>(['invalid_request', ...ofCaller, 'rate_limited', ...operation.errors, ...ofBody, ...ofRepeat, ...ofMatch])]
}

function errorResponses(operation: Operation, operations: readonly Operation[]): [string, unknown][] {
  const byStatus = Map.groupBy(codesOf(operation, operations), (code) => errorTable[code].status)
  const entries = [...byStatus].toSorted(([a], [b]) => a - b)
  return entries.map(([status, codes]) => [
    String(status),
    {
      description: codes.map((code) => `\`${code}\`: ${errorTable[code].title}.`).join(' '),
      headers: headersOf(
        'X-Request-Id',
        ...(status === 401 || status === 403 ? (['WWW-Authenticate'] as const) : []),
        ...(status === 429 ? (['RateLimit', 'RateLimit-Policy'] as const) : []),
        ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
      ),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ])
}

function webhookObject(type: EventType, components: Components): [string, unknown] {
  const schema = components.named(eventSchema(type), `${pascal(type)}Event`)
  const examples = Object.fromEntries(examplesOf(type).map(({ name, summary, body }) => [name, { summary, value: body }]))
  const post = {
    operationId: `on_${type.replaceAll('.', '_')}`,
    summary: eventWords[type],
    tags: ['webhooks'],
    security: [],
    requestBody: { content: { 'application/json': { schema, examples } } },
    responses: { '2XX': { description: 'Received.' }, '4XX': { description: 'Refused: it is sent again after 2 and after 30 minutes.' } },
  }
  return [type, { post }]
}
