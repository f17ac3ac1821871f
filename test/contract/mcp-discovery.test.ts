// The tool-protocol server says the same of itself everywhere (spec 4.5, 9): discovery, handshake, lists, cards, in both eras.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TestService } from '../support/service.ts'
import { openService } from '../support/service.ts'
import { addresses, eras, post, rpc, toolNames } from '../mcp/rpc.ts'

let app: TestService
// oxlint-disable-next-line typescript/no-explicit-any
let discovery: any
before(async () => {
  app = await openService()
  discovery = (await rpc(app, 'server/discover', {}, { token: null })).message.result
})
after(() => app.close())

const host = 'rostrum.test'
const uris = [
  'service://docs/spec',
  'service://docs/pap',
  `ui://${host}/sessions/create`,
  `ui://${host}/sessions/preview`,
  `ui://${host}/analytics`,
  `ui://${host}/sessions/list`,
  `ui://${host}/leads`,
]

test('discovery carries what the spec lists, to the letter', () => {
  assert.deepEqual(discovery.protocolVersions, ['2026-07-28', '2025-11-25', '2024-11-05'])
  assert.deepEqual(discovery.supportedVersions, discovery.protocolVersions)
  assert.deepEqual(discovery.capabilities, {
    tools: { listChanged: false },
    resources: { subscribe: false, listChanged: false },
    prompts: { listChanged: false },
    completions: {},
    apps: { uiResources: uris, a2ui: true, generativeUI: true },
    personalAgentProtocol: '0.1-draft',
    pap: true,
    extensions: {
      'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
      'x-rostrum/pap': { version: '0.1-draft' },
      'x-rostrum/a2ui': { versions: ['v0.9'], catalogs: ['https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'] },
    },
  })
  assert.deepEqual(discovery.serverInfo, { name: 'service-mcp-server', version: '2.1.0', title: 'Rostrum' })
  assert.deepEqual(discovery.metadata, { version: '2.0.0' })
  assert.ok(discovery.instructions.length <= 600)
  assert.deepEqual([discovery.ttlMs, discovery.cacheScope], [3_600_000, 'public'])
})

test('every address and both eras discover the same, with and without version header or envelope', async () => {
  for (const path of addresses) {
    for (const era of eras) {
      const { message, status } = await rpc(app, 'server/discover', {}, { era, path, token: null })
      assert.equal(status, 200)
      assert.deepEqual(message.result, discovery, `${path} ${era}`)
    }
  }
})

test('initialize answers the version asked for where it is spoken, else 2025-11-25, and says the same of the server', async () => {
  for (const [asked, given] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-10-07', '2024-10-07'],
    ['2026-07-28', '2025-11-25'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
  ]) {
    const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const { message } = await rpc(app, 'initialize', params, { era: 'legacy', token: null })
    assert.equal(message.result.protocolVersion, given)
    assert.deepEqual(message.result.capabilities, discovery.capabilities)
    assert.deepEqual(message.result.serverInfo, discovery.serverInfo)
    assert.equal(message.result.instructions, discovery.instructions)
  }
})

test('the lists equal discovery but for the media type of views, and never vary with the credential', async () => {
  const unquoted = discovery.resources.map((card: Record<string, string>) => ({ ...card, mimeType: card['mimeType']?.replaceAll('"', '') }))
  for (const era of eras) {
    for (const token of [null, app.key]) {
      const list = async (method: string) => (await rpc(app, method, {}, { era, token })).message.result
      assert.deepEqual((await list('tools/list')).tools, discovery.tools)
      assert.deepEqual((await list('prompts/list')).prompts, discovery.prompts)
      assert.deepEqual((await list('resources/list')).resources, unquoted)
    }
  }
  const quoted = discovery.resources.filter((card: { uri: string }) => card.uri.startsWith('ui:'))
  for (const { mimeType } of quoted) assert.equal(mimeType, 'text/html;profile="mcp-app"')
})

test('lists and discovery may be cached by anybody, results of tools may not', async () => {
  for (const method of ['tools/list', 'resources/list', 'prompts/list', 'resources/templates/list', 'server/discover']) {
    const { result } = (await rpc(app, method)).message
    assert.deepEqual([result.ttlMs, result.cacheScope], [3_600_000, 'public'], method)
  }
  const { result } = (await rpc(app, 'tools/call', { name: 'list_sessions', arguments: {} })).message
  assert.notEqual(result.cacheScope, 'public')
})

test('a list has one page: any cursor is refused by name', async () => {
  for (const era of eras) {
    for (const method of ['tools/list', 'resources/list', 'prompts/list', 'resources/templates/list']) {
      const { message } = await rpc(app, method, { cursor: 'x' }, { era })
      assert.equal(message.error.code, -32_602)
      assert.match(message.error.message, new RegExp(method))
    }
  }
})

test('the eight tools stand in the order of the spec, with schemas that compile, hints and views', () => {
  assert.deepEqual(
    discovery.tools.map((tool: { name: string }) => tool.name),
    toolNames,
  )
  const hints: Record<string, string> = {}
  for (const { name, annotations, title, inputSchema, outputSchema, description } of discovery.tools) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.compile(inputSchema)
    ajv.compile(outputSchema)
    assert.equal(outputSchema.type, 'object')
    assert.equal(annotations.title, title)
    assert.ok(description.length <= 400, name)
    for (const [member, schema] of Object.entries<{ description?: string }>(inputSchema.properties)) {
      const words = schema.description ?? ''
      assert.ok(words !== '' && words.length <= 120, `${name}.${member}`)
    }
    const flags = [annotations.readOnlyHint, annotations.destructiveHint, annotations.idempotentHint, annotations.openWorldHint]
    hints[name] = flags.map((flag) => (flag === true ? 'T' : 'F')).join('')
  }
  assert.deepEqual(hints, {
    create_session: 'FFFT',
    list_sessions: 'TFTF',
    get_session: 'TFTF',
    get_session_analytics: 'TFTF',
    export_leads: 'TFTF',
    discover_sessions: 'TFTF',
    pap_query_presenter: 'TFFF',
    submit_attendee_lead: 'FFFF',
  })
  const views = discovery.tools.map((tool: { _meta?: { ui: { resourceUri: string } } }) => tool._meta?.ui.resourceUri)
  assert.deepEqual(views, [uris[2], uris[5], uris[3], uris[4], uris[6], undefined, undefined, undefined])
  for (const tool of discovery.tools) {
    if (tool._meta === undefined) continue
    assert.equal(tool._meta['ui/resourceUri'], tool._meta.ui.resourceUri)
    assert.equal(tool._meta['openai/outputTemplate'], tool._meta.ui.resourceUri)
  }
})

test('the list of tools stays small enough for a model to carry', async () => {
  const text = JSON.stringify((await rpc(app, 'tools/list', {}, { token: null })).message.result)
  assert.ok(gzipSync(text).length <= 8_192, `${gzipSync(text).length} bytes`)
  // Four bytes to a token: o200k_base and cl100k_base, which models count with, make 4 % and 8 % less of this list.
  assert.ok(text.length <= 4 * 4_000, `${text.length} bytes`)
  assert.ok(!text.includes('(?:\\d\\d'), 'the pattern of a format is spelled out')
})

test('prompts and their arguments are those of the spec', () => {
  const shape = discovery.prompts.map(({ name, arguments: args }: { name: string; arguments: { name: string; required: boolean }[] }) => [
    name,
    args.map((arg) => `${arg.name}${arg.required ? '' : '?'}`),
  ])
  assert.deepEqual(shape, [
    ['prepare_presentation_brief', ['topic', 'targetAudience?', 'ctaGoal?']],
    ['rehearse_presentation', ['sessionId']],
    ['pap_presenter_briefing', ['sessionId', 'userQuestion?']],
  ])
})

test('every resource can be read, by anybody, as one text of the size that was listed', async () => {
  for (const era of eras) {
    for (const card of discovery.resources) {
      const { message } = await rpc(app, 'resources/read', { uri: card.uri }, { era, token: null })
      const [content, ...others] = message.result.contents
      assert.deepEqual(others, [])
      assert.equal(content.uri, card.uri)
      if (card.size !== undefined) assert.equal(Buffer.byteLength(content.text), card.size)
      if (!card.uri.startsWith('ui:')) {
        assert.equal(content.mimeType, 'text/markdown')
        assert.match(content.text, /^# /)
        continue
      }
      assert.equal(content.mimeType, 'text/html;profile=mcp-app')
      assert.match(content.text, new RegExp(`data-view="${card.uri.slice(`ui://${host}/`.length)}"`))
      assert.deepEqual(content._meta.ui.csp, { resourceDomains: ['https://rostrum.test'], connectDomains: [] })
    }
  }
})

test('the specification is an index of parts that a model can read one by one, and together they name everything', async () => {
  const read = async (uri: string) => (await rpc(app, 'resources/read', { uri }, { token: null })).message.result.contents[0].text as string
  const template = 'service://docs/spec/{part}'
  const index = await read('service://docs/spec')
  const { message } = await rpc(app, 'resources/templates/list', {}, { token: null })
  assert.deepEqual(
    message.result.resourceTemplates.map((each: { uriTemplate: string }) => each.uriTemplate),
    [template],
  )
  const names = [...index.matchAll(/^- `([\w-]+)`/gm)].map(([, name = '']) => name)
  assert.ok(names.length > 20 && Buffer.byteLength(index) <= 10_000, `${names.length} parts, ${Buffer.byteLength(index)} bytes`)
  const parts = await Promise.all(names.map((name) => read(template.replace('{part}', name))))
  for (const [at, part] of parts.entries()) {
    assert.ok(Buffer.byteLength(part) <= 10_000, `${names[at]}: ${Buffer.byteLength(part)} bytes`)
    assert.doesNotMatch(part, /\]\(\//, `${names[at]}: an address that is relative to nothing`)
  }
  for (const word of [...toolNames, 'session.created', 'cta.clicked', 'quota_exceeded', 'insufficient_scope'])
    assert.ok(
      parts.some((part) => part.includes(word)),
      word,
    )
  for (const tool of toolNames) assert.match(index, new RegExp(`\\b${tool}\\b`))
  const completed = await rpc(app, 'completion/complete', {
    ref: { type: 'ref/resource', uri: template },
    argument: { name: 'part', value: 'webh' },
  })
  assert.deepEqual(
    completed.message.result.completion.values,
    names.filter((name) => name.includes('webh')),
  )
  const unknown = await rpc(app, 'resources/read', { uri: 'service://docs/spec/nothing' })
  assert.equal(unknown.message.error.code, -32_602)
})

test('the cards repeat the same facts, may be cached, and answer 304', async () => {
  const card = await app.request('/.well-known/mcp.json')
  for (const member of ['capabilities', 'serverInfo', 'tools', 'resources', 'prompts', 'metadata', 'protocolVersions', 'instructions']) {
    assert.deepEqual(card.body[member], discovery[member], member)
  }
  assert.equal(card.body.endpoint, 'https://rostrum.test/mcp')
  const strict = await app.request('/mcp/server-card')
  assert.match(strict.body.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  assert.ok(strict.body.description.length <= 100)
  for (const path of ['/.well-known/mcp.json', '/mcp/server-card', '/.well-known/ai-catalog.json']) {
    const { headers } = await app.request(path)
    assert.equal(headers.get('cache-control'), 'public, max-age=3600')
    assert.equal(headers.get('access-control-allow-origin'), '*')
    const again = await app.request(path, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
    assert.deepEqual([again.status, again.text], [304, ''])
  }
})

test('each card has its own type and names the server where a registry looks for it', async () => {
  const [strict, catalog] = [await app.request('/mcp/server-card'), await app.request('/.well-known/ai-catalog.json')]
  assert.equal(strict.headers.get('content-type'), 'application/mcp-server-card+json')
  assert.deepEqual(strict.body.remotes, [
    { type: 'streamable-http', url: 'https://rostrum.test/mcp', supportedProtocolVersions: discovery.protocolVersions },
  ])
  assert.equal(catalog.headers.get('content-type'), 'application/ai-catalog+json')
  assert.deepEqual(catalog.body, {
    specVersion: '1.0',
    entries: [
      {
        identifier: 'urn:air:rostrum.test:mcp:rostrum',
        displayName: 'Rostrum',
        type: 'application/mcp-server-card+json',
        url: 'https://rostrum.test/mcp/server-card',
      },
    ],
  })
})

test('schemas stay open, self-contained and as the spec types them', () => {
  const text = JSON.stringify(discovery.tools)
  assert.doesNotMatch(text, /"additionalProperties":(\{\}|false)|"\$ref"|"\$schema"/)
  const limits = discovery.tools.flatMap(({ name, inputSchema }: { name: string; inputSchema: { properties: Record<string, unknown> } }) =>
    inputSchema.properties['limit'] === undefined ? [] : [[name, inputSchema.properties['limit']]],
  )
  const shape = limits.map(([name, { type, default: start, minimum, maximum }]: [string, Record<string, unknown>]) => [
    name,
    type,
    start,
    minimum,
    maximum,
  ])
  assert.deepEqual(shape, [
    ['list_sessions', 'number', 10, 1, 100],
    ['export_leads', 'number', 1_000, 1, 1_000],
    ['discover_sessions', 'number', 10, 1, 50],
  ])
  const required = discovery.tools.map(({ name, inputSchema, outputSchema }: Record<string, { required?: string[] }>) => [
    name,
    inputSchema?.required ?? [],
    outputSchema?.required ?? [],
  ])
  assert.deepEqual(required, [
    ['create_session', ['title'], ['id', 'title', 'status', 'roomUrl']],
    ['list_sessions', [], ['sessions']],
    ['get_session', ['sessionId'], ['id', 'title', 'status']],
    ['get_session_analytics', ['sessionId'], ['sessionId']],
    ['export_leads', ['sessionId'], ['sessionId', 'leads']],
    ['discover_sessions', [], ['sessions']],
    ['pap_query_presenter', ['message'], ['reply']],
    ['submit_attendee_lead', ['sessionId', 'email'], ['success']],
  ])
})

test('a view asks for a border, and for its registered origin where there is one', async () => {
  const ours = await openService({ env: { ROSTRUM_MCP_APP_DOMAIN: 'rostrum.views.example' } })
  try {
    for (const [service, domain] of [
      [app, undefined],
      [ours, 'rostrum.views.example'],
    ] as const) {
      const { ui } = (await rpc(service, 'resources/read', { uri: uris[4] })).message.result.contents[0]._meta
      assert.deepEqual([ui.prefersBorder, ui.domain], [true, domain])
    }
  } finally {
    await ours.close()
  }
})

test('no session id is ever issued, and one received is ignored', async () => {
  for (const era of eras) {
    const { headers, status } = await rpc(app, 'tools/list', {}, { era, headers: { 'Mcp-Session-Id': 'abc' } })
    assert.deepEqual([status, headers.get('mcp-session-id')], [200, null])
  }
  const notified = await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' })
  assert.deepEqual([notified.status, notified.text], [202, ''])
})
