// The description of the HTTP API, worth generating from: valid by an outside judge, every object named, every member with words and an
// example that fits, every answer with its headers.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { holdsObjects, type JsonSchema } from '@rostrum/contract/members'
import { openApi } from '../../server/docs/openapi.ts'
import { areaWords } from '../../server/docs/site.ts'
import { allOperations } from '../support/operations.ts'

interface Media {
  schema: JsonSchema
  example?: unknown
}
interface Described {
  operationId: string
  security: readonly object[]
  requestBody?: { content: Record<string, Media> }
  parameters?: readonly { name: string; description?: string; example?: unknown; schema: JsonSchema }[]
  responses: Readonly<Record<string, { headers?: Record<string, object>; content?: Record<string, Media> }>>
}
interface Description {
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, Record<string, Described>>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, { type: string }>; headers: Record<string, Media> }
}

const options = { operations: allOperations, baseUrl: 'https://talks.example.com', title: 'Rostrum', areas: areaWords }
// As it is sent.
const whole = JSON.parse(JSON.stringify(openApi(options))) as Description
const api = { paths: Object.fromEntries(Object.entries(whole.paths).filter(([path]) => path.startsWith('/api/'))) }
const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods))
const everyOperation = [...Object.values(whole.paths), ...Object.values(whole.webhooks)].flatMap((methods) => Object.values(methods))
const bodiesOf = ({ requestBody, responses }: Described): readonly Media[] => [
  ...Object.values(requestBody?.content ?? {}),
  ...Object.values(responses).flatMap(({ content = {} }) => Object.values(content)),
]

/** Every member below, with the place where it stands. */
function* membersIn(schema: JsonSchema, at: string): Generator<[place: string, member: JsonSchema]> {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], additionalProperties } = schema
  for (const [name, member] of Object.entries(properties)) {
    yield [`${at}.${name}`, member]
    yield* membersIn(member, `${at}.${name}`)
  }
  const parts = [
    ...anyOf,
    ...oneOf,
    ...allOf,
    ...(items ? [items] : []),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]
  for (const part of parts) yield* membersIn(part, at)
}

const hint = 'describe it where it is declared, or name it in packages/contract/members.json'

test('every member has a description and an example that fits; an object is shown by its members', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: [{ $id: 'all', components: whole.components }] })
  const resolved = (schema: JsonSchema) => JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"all#/components')) as JsonSchema
  const schemas = Object.entries(whole.components.schemas)
  const bodies = everyOperation.flatMap((operation) => bodiesOf(operation).map((body) => [operation.operationId, body.schema] as const))
  for (const [name, schema] of [...schemas, ...bodies]) {
    for (const [place, member] of membersIn(schema, name)) {
      assert.ok(member.description, `${place} has no description: ${hint}`)
      if (holdsObjects(member)) continue
      assert.equal(member.examples?.length, 1, `${place} has no example: ${hint}`)
      const { examples, ...shape } = member
      assert.ok(ajv.validate(resolved(shape), examples?.[0]), `${place}: ${JSON.stringify(examples)} ${ajv.errorsText()}`)
    }
  }
  for (const { operationId, parameters = [], ...operation } of everyOperation) {
    for (const { name, description, example, schema } of parameters) {
      assert.ok(description, `${operationId} ${name}: ${hint}`)
      assert.ok(ajv.validate(resolved(schema), example), `${operationId} ${name}: ${JSON.stringify(example)} ${ajv.errorsText()}`)
    }
    for (const { schema, example } of bodiesOf({ operationId, ...operation }))
      if (example !== undefined) assert.ok(ajv.validate(resolved(schema), example), `${operationId}: ${ajv.errorsText()}`)
  }
})

test('every object has a name: a generator writes a type for each, once', () => {
  for (const operation of operations)
    for (const { schema } of bodiesOf(operation))
      for (const part of [schema, ...(schema.allOf ?? [])])
        assert.ok(part.type !== 'object' || part.properties === undefined || 'file' in part.properties, operation.operationId)
  const isInline = (schema: JsonSchema): boolean => schema.$ref === undefined && schema.properties !== undefined
  for (const [name, schema] of Object.entries(whole.components.schemas)) {
    if (name === 'Problem') continue
    for (const [place, member] of membersIn(schema, name)) assert.ok(!isInline(member) && !isInline(member.items ?? {}), place)
  }
  for (const name of ['Session', 'Deck', 'Script', 'Webhook', 'Lead', 'Transcript', 'SessionAnalytics', 'SnapshotEvent', 'BeatEvent'])
    assert.ok(whole.components.schemas[name], name)
})

test('every answer names its headers: whose call it was, what is left of the limit, where to get a credential, when to come again', () => {
  for (const { operationId, responses } of operations) {
    for (const [status, { headers = {} }] of Object.entries(responses)) {
      const needed = ['X-Request-Id', ...(status.startsWith('2') || status === '429' ? ['RateLimit', 'RateLimit-Policy'] : [])]
      if (status === '401' || status === '403') needed.push('WWW-Authenticate')
      if (status === '429' || status === '503') needed.push('Retry-After')
      for (const name of needed) assert.ok(headers[name], `${operationId} ${status} ${name}`)
    }
  }
})

test('who may call is told as OAuth too, and the addresses of OAuth and of agents are described', () => {
  assert.equal(whole.components.securitySchemes['oauth2']?.type, 'oauth2')
  const create = whole.paths['/api/v1/agent/sessions']?.['post']
  assert.deepEqual(create?.security[1], { oauth2: ['sessions:write'] })
  for (const path of [
    '/oauth2/authorize',
    '/oauth2/token',
    '/oauth2/revoke',
    '/oauth2/register',
    '/.well-known/jwks.json',
    '/api/v1/auth/register',
  ])
    assert.ok(whole.paths[path], path)
})

test('[4.3-1] the OpenAPI description has every HTTP operation once; redocly finds no fault and nothing to warn of', () => {
  const listed = operations.map(({ operationId }) => operationId)
  const declared = allOperations.filter(({ http }) => http !== undefined).map(({ name }) => name)
  assert.deepEqual(listed.toSorted(), declared.toSorted())
  // Of two addresses that a template could both be, the one without a template is meant; some documents cannot be refused.
  const rules = ['no-server-example.com', 'operation-2xx-response', 'operation-4xx-response', 'no-ambiguous-paths']
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-openapi-'))
  try {
    writeFileSync(join(folder, 'redocly.yaml'), `extends: [recommended]\nrules:\n${rules.map((rule) => `  ${rule}: off\n`).join('')}`)
    const cli = join(import.meta.dirname, '../../node_modules/.bin/redocly')
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    for (const version of ['3.1.0', '3.2.0'] as const) {
      writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApi({ ...options, version })))
      const { stdout, stderr } = spawnSync(cli, ['lint', 'openapi.json', '--format=json'], { cwd: folder, encoding: 'utf8', env })
      // Redocly's own words: a place for each fault and each warning.
      const { problems } = JSON.parse(stdout) as { problems: { message: string; location: { pointer?: string }[] }[] }
      const told = problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)
      assert.deepEqual(told, [], stderr)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the description names 413 and 415 of each body and 409 of each `Idempotency-Key`: they were answered and not described', () => {
  const paths = api.paths
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { requestBody, parameters = [], responses }] of Object.entries(methods)) {
      const hasKey = parameters.some(({ name }) => name === 'Idempotency-Key')
      for (const status of [...(requestBody === undefined ? [] : ['413', '415']), ...(hasKey ? ['409'] : [])])
        assert.ok(responses[status], `${method} ${path} ${status}`)
    }
  }
})

test('the description names the 202 of a file that is read in the background: it named 200 alone', () => {
  const put = api.paths['/api/v1/agent/sessions/{sessionId}/deck']?.['put']
  assert.deepEqual(Object.keys(put?.responses ?? {}).slice(0, 2), ['200', '202'])
  assert.deepEqual(put?.responses['202'], put?.responses['200'])
})

test('the description names the 401 of a dead credential where none is asked for, and the 404 of leads of no session: both were left out', () => {
  const paths = api.paths
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(methods)) assert.ok(responses['401'], `${method} ${path}`)
  assert.ok(paths['/api/v1/agent/leads']?.['get']?.responses['404'])
})
