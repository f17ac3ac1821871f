// JSON Schema of what an operation takes and gives, from the same Zod schemas that parse and answer.
import { z } from 'zod'
import { examplesOf } from '../contract/event-examples.ts'
import { eventSchema, type EventType, eventTypes, eventWords } from '../contract/events.ts'
import { type ErrorCode, errorTable } from '../platform/errors.ts'
import { type HttpView, type Operation, shownBefore } from '../platform/operation.ts'
import { passedOverShape } from '../platform/parse.ts'

/** The part of JSON Schema 2020-12 that our schemas come out as. */
export interface JsonSchema {
  type?: string
  format?: string
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  items?: JsonSchema
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  allOf?: readonly JsonSchema[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  additionalProperties?: boolean | JsonSchema
  propertyNames?: JsonSchema
}

/** Checks that zod cannot express (a refinement, a transform) are left out; their words are in the descriptions. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline', override: open })
  // zod writes plain JSON Schema; the interface above names the keywords that are read here.
  return rest as JsonSchema
}

/** A later version may send more. */
function open({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

export interface Member {
  name: string
  schema: JsonSchema
  required: boolean
}

/** The members of an object schema, those of every alternative included. */
export function membersOf(schema: JsonSchema): readonly Member[] {
  const shapes = [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const found = new Map<string, Member>()
  for (const shape of shapes) {
    for (const [name, property] of Object.entries(shape.properties ?? {})) {
      const required = (schema.required ?? shape.required)?.includes(name) ?? false
      if (!found.has(name)) found.set(name, { name, schema: property, required })
    }
  }
  return [...found.values()]
}

/** Where each member of the input travels. */
export interface InputShape {
  path: readonly Member[]
  query: readonly Member[]
  header: readonly (Member & { header: string })[]
  /** The JSON body; undefined where there is none. */
  body: JsonSchema | undefined
}

export function inputShape(operation: Operation, view: HttpView<unknown>): InputShape {
  const schema = jsonSchemaOf(operation.input, 'input')
  const members = membersOf(schema)
  const inPath = new Set([...view.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
  const headers = Object.entries(view.headerMembers ?? {})
  const inHeader = new Set(headers.map(([, member]) => member))
  const elsewhere = (member: Member) => inPath.has(member.name) || inHeader.has(member.name)
  const hasJson = view.method !== 'GET' && view.method !== 'DELETE' && view.readBody === undefined
  const others = members.filter((member) => !elsewhere(member))
  return {
    path: members.filter((member) => inPath.has(member.name)),
    header: headers.flatMap(([header, name]) => members.filter((member) => member.name === name).map((member) => ({ ...member, header }))),
    query: view.method === 'GET' || view.method === 'DELETE' ? others : [],
    body: hasJson && others.length > 0 ? without(schema, new Set([...inPath, ...inHeader])) : undefined,
  }
}

function without(schema: JsonSchema, names: ReadonlySet<string>): JsonSchema {
  if (names.size === 0) return schema
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !names.has(name)))
  const required = schema.required?.filter((name) => !names.has(name)) ?? []
  const { required: _, ...rest } = schema
  const inner = (list: readonly JsonSchema[] | undefined) => list?.map((each) => without(each, names))
  return {
    ...rest,
    ...(schema.properties && { properties }),
    ...(required.length > 0 && { required }),
    ...(schema.anyOf && { anyOf: inner(schema.anyOf) ?? [] }),
    ...(schema.allOf && { allOf: inner(schema.allOf) ?? [] }),
  }
}

// The OpenAPI 3.1 description at /openapi.json (Spec 9: version 1.0.0), generated from the operations.

export const apiVersion = '1.0.0'

export interface OpenApiOptions {
  operations: readonly Operation[]
  baseUrl: string
  title: string
  /** One line for each area that has operations. */
  areas: Readonly<Record<string, string>>
}

/** Every operation with an HTTP view, once. */
export function openApi({ operations, baseUrl, title, areas }: OpenApiOptions): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    if (operation.http === undefined) continue
    const path = (paths[operation.http.path] ??= {})
    path[operation.http.method.toLowerCase()] = operationObject(operation, operation.http, operations)
  }
  const used = [...new Set([...operations.filter(({ http }) => http !== undefined).map(({ area }) => area), 'webhooks'])]
  return {
    openapi: '3.1.0',
    info: {
      title: `${title} API`,
      version: apiVersion,
      description: `Sessions that an automated presenter gives. Guides: ${baseUrl}/docs`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: used.map((name) => ({ name, description: areas[name] ?? name })),
    paths,
    webhooks: Object.fromEntries(eventTypes.map(webhookObject)),
    components: { schemas: { Problem: problem }, securitySchemes, headers: { RequestId: requestId } },
    externalDocs: { url: `${baseUrl}/docs`, description: 'Guides and every error' },
  }
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, an agent token, or an OAuth access token.' },
  attendee: { type: 'http', scheme: 'bearer', description: 'The token of an attendee, from joining a room.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'rostrum',
    description: 'A person signed in to the dashboard; changes also send `X-CSRF-Token`.',
  },
}

const requestId = { description: 'Names this call in logs and in `instance` of a problem.', schema: { type: 'string', format: 'uuid' } }

const problem: JsonSchema = {
  type: 'object',
  description: 'RFC 9457, with the OAuth pair of RFC 6749 beside it.',
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was wrong, and what to send instead.' },
    instance: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorTable) },
    error: { type: 'string' },
    error_description: { type: 'string' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { pointer: { type: 'string' }, detail: { type: 'string' } }, required: ['pointer', 'detail'] },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'error', 'error_description'],
}

function operationObject(operation: Operation, view: HttpView<unknown>, operations: readonly Operation[]): Record<string, unknown> {
  const shape = inputShape(operation, view)
  const parameters = [
    ...shape.path.map((member) => parameter('path', member.name, { ...member, required: true })),
    ...shape.query.map((member) => parameter('query', member.name, member)),
    ...shape.header.map((member) => parameter('header', member.header, member)),
    ...(view.tokenInQuery && !shape.query.some(({ name }) => name === 'token') ? [parameter('query', 'token', tokenMember)] : []),
    ...(takesIdempotencyKey(operation, view) ? [idempotencyKey] : []),
    ...(shownBefore(operation, operations) ? [ifMatch] : []),
  ]
  return {
    operationId: operation.name,
    tags: [operation.area],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: securityOf(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(view, shape.body),
    responses: responsesOf(operation, view, operations),
  }
}

const tokenMember: Member = { name: 'token', required: false, schema: { type: 'string', description: 'The token of the attendee.' } }
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeat with the same key and body within a day gets the same answer.',
  schema: { type: 'string', maxLength: 255 },
}

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of what was read at this address; 412 where it has changed since.',
  schema: { type: 'string', maxLength: 1_000 },
}

const takesIdempotencyKey = ({ secret, access }: Operation, { method }: HttpView<unknown>): boolean =>
  method === 'POST' && !secret && access.type !== 'open'

function parameter(place: 'path' | 'query' | 'header', name: string, { schema, required }: Member): Record<string, unknown> {
  const { description, ...rest } = schema
  return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: rest }
}

function securityOf({ access }: Operation): readonly Record<string, readonly string[]>[] {
  switch (access.type) {
    case 'open':
      return []
    case 'credential':
    case 'scopes':
      return [{ bearer: access.scopes }, { cookie: [] }]
    case 'attendee':
      return [{ attendee: [] }]
    case 'attendee_or_scopes':
      return [{ attendee: [] }, { bearer: access.scopes }, { cookie: [] }]
    case 'sign_in':
      return [{ cookie: [] }]
  }
}

function requestBody(view: HttpView<unknown>, body: JsonSchema | undefined): Record<string, unknown> {
  if (view.readBody !== undefined) {
    const types = view.bodyTypes ?? ['application/octet-stream']
    const content = Object.fromEntries(
      types.map((type) => [type, { schema: type === 'application/json' ? { type: 'object' } : uploaded(type) }]),
    )
    return { requestBody: { required: true, content } }
  }
  if (body === undefined) return {}
  return { requestBody: { required: (body.required ?? []).length > 0, content: { 'application/json': { schema: body } } } }
}

function uploaded(type: string): Record<string, unknown> {
  if (type !== 'multipart/form-data') return {}
  return { type: 'object', properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } } }
}

function responsesOf(operation: Operation, view: HttpView<unknown>, operations: readonly Operation[]): Record<string, unknown> {
  const content = contentOf(operation, view)
  const successes = statusesOf(view).map((status): [number, unknown] => [
    status,
    {
      description: status === 204 ? 'Done.' : 'Success.',
      headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
      ...(Object.keys(content).length === 0 ? {} : { content }),
    },
  ])
  return { ...Object.fromEntries(successes), ...Object.fromEntries(errorResponses(operation, operations)) }
}

function statusesOf({ status, output, view, formats, feed }: HttpView<unknown>): readonly number[] {
  if (status !== undefined) return typeof status === 'number' ? [status] : status.choices
  return [output !== undefined || view !== undefined || formats || feed ? 200 : 204]
}

const feedWords = 'Messages with `id`, `event` and `data` as in the events of the JSON answer.'

const warningsSchema = {
  ...jsonSchemaOf(z.array(passedOverShape), 'output'),
  description: 'What was passed over of the body: members that are not known here, with what was probably meant. Absent where nothing was.',
}

/** What any answer to a JSON body may carry beside what its operation declares. */
function withWarnings(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object' || schema.properties?.['warnings'] !== undefined) return schema
  return { ...schema, properties: { ...schema.properties, warnings: warningsSchema } }
}

function contentOf(operation: Operation, view: HttpView<unknown>): Record<string, unknown> {
  const shown = view.output === undefined ? undefined : jsonSchemaOf(view.output, 'output')
  const json = shown === undefined ? {} : { 'application/json': { schema: takesBody(operation, view) ? withWarnings(shown) : shown } }
  const others = Object.keys(view.formats ?? {}).map((type): [string, unknown] => [type, { schema: { type: 'string' } }])
  const feed = view.feed === undefined ? {} : { 'text/event-stream': { schema: { type: 'string', description: feedWords } } }
  return { ...json, ...Object.fromEntries(others), ...feed }
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
  const ofBody: ErrorCode[] = http !== undefined && takesBody(operation, http) ? ['payload_too_large', 'unsupported_media_type'] : []
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
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ])
}

function webhookObject(type: EventType): [string, unknown] {
  const examples = Object.fromEntries(examplesOf(type).map(({ name, summary, body }) => [name, { summary, value: body }]))
  const post = {
    operationId: `on_${type.replaceAll('.', '_')}`,
    summary: eventWords[type],
    tags: ['webhooks'],
    security: [],
    requestBody: { content: { 'application/json': { schema: eventSchema(type), examples } } },
    responses: { '2XX': { description: 'Received.' }, '4XX': { description: 'Refused: it is sent again after 2 and after 30 minutes.' } },
  }
  return [type, { post }]
}
