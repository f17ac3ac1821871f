// The bridge against the published schema of MCP Apps: what a view sends is valid by it, what it is sent is valid by it and does what
// it says, and a host that can do little, refuses or says nonsense does no harm.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { Bridge } from './bridge.ts'
import { connect } from './bridge.ts'
import type { ViewFrame } from './frame.ts'

const schemaFile = new URL('../../../node_modules/@modelcontextprotocol/ext-apps/dist/src/generated/schema.json', import.meta.url)
// Each definition of that file is a document of its own, with references into itself.
const { $defs: kinds } = JSON.parse(readFileSync(schemaFile, 'utf8')) as { $defs: Record<string, object> }
const ajv = new Ajv2020({ strict: false, validateFormats: false })

function mustBe(kind: string, value: unknown): void {
  const validate = ajv.compile(kinds[`McpUi${kind}`] ?? assert.fail(`${kind} is not in the schema`))
  assert.ok(validate(value), `${kind}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(value)}`)
}

interface Sent {
  jsonrpc: string
  id?: number
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: { code: number }
}

/** A frame whose host is the test. */
function openFrame() {
  const sent: Sent[] = []
  const timers = new Set<() => void>()
  let receive: (data: unknown) => void = () => undefined
  let measured: (size: { width: number; height: number }) => void = () => undefined
  const frame: ViewFrame = {
    post: (message) => void sent.push(message as Sent),
    listen: (fn) => void (receive = fn),
    measure: (fn) => void (measured = fn),
    after(_ms, fn) {
      timers.add(fn)
      return () => void timers.delete(fn)
    },
  }
  const bridge = connect(frame)
  const last = (method: string) => sent.findLast((message) => message.method === method)
  const methodsAndParams = ({ method, params }: Sent) => ({ method, params })
  return {
    bridge,
    sent,
    timers,
    say: (data: unknown) => receive(data),
    resize: (width: number, height: number) => measured({ width, height }),
    last: (method: string) => methodsAndParams(last(method) ?? assert.fail(`nothing was sent as ${method}`)),
    answer: (method: string, rest: { result: unknown } | { error: object }) => receive({ jsonrpc: '2.0', id: last(method)?.id, ...rest }),
    async turn() {
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const all = { serverTools: {}, openLinks: {}, downloadFile: {}, updateModelContext: {} }
const context = {
  theme: 'dark',
  locale: 'de-DE',
  timeZone: 'Europe/Berlin',
  displayMode: 'inline',
  platform: 'desktop',
  styles: { css: { fonts: '@font-face{}' } },
}

/** A frame that the host has greeted. */
async function greeted(hostCapabilities: object = all, hostContext: object = context) {
  const frame = openFrame()
  const result = { protocolVersion: '2026-01-26', hostInfo: { name: 'host', version: '1' }, hostCapabilities, hostContext }
  mustBe('InitializeResult', result)
  frame.answer('ui/initialize', { result })
  await frame.turn()
  return frame
}

test('the greeting is valid, and nothing else is said before the host has answered it', async () => {
  const { sent, last, answer, turn, bridge } = openFrame()
  assert.equal(sent.length, 1)
  assert.equal(sent[0]?.jsonrpc, '2.0')
  mustBe('InitializeRequest', last('ui/initialize'))
  answer('ui/initialize', { result: { protocolVersion: '2026-01-26', hostCapabilities: all, hostContext: context } })
  await turn()
  assert.equal(sent.length, 2)
  mustBe('InitializedNotification', { method: sent[1]?.method })
  assert.deepEqual(bridge.state().context, context)
})

test('a host that refuses the greeting, or answers it with nothing, is one that can do nothing', async () => {
  for (const reply of [{ error: { code: -32_601, message: 'No' } }, { result: null }, { result: 'yes' }, { result: {} }]) {
    const { answer, turn, bridge, last } = openFrame()
    answer('ui/initialize', reply)
    await turn()
    assert.deepEqual([bridge.state().isConnected, bridge.state().capabilities], [true, {}])
    last('ui/notifications/initialized')
  }
})

test('every request of a view is valid', async () => {
  const { bridge, last, resize } = await greeted()
  void bridge.callTool('get_session', { sessionId: 's' })
  assert.deepEqual(last('tools/call'), { method: 'tools/call', params: { name: 'get_session', arguments: { sessionId: 's' } } })
  bridge.openLink('https://example.com/')
  mustBe('OpenLinkRequest', last('ui/open-link'))
  bridge.tellModel('The person did something.', { id: '1' })
  mustBe('UpdateModelContextRequest', last('ui/update-model-context'))
  void bridge.download('leads.csv', 'text/csv', 'a,b')
  mustBe('DownloadFileRequest', last('ui/download-file'))
  resize(320, 200)
  mustBe('SizeChangedNotification', last('ui/notifications/size-changed'))
})

test('what the host cannot do is not asked of it', async () => {
  const { bridge, sent } = await greeted({})
  const before = sent.length
  bridge.tellModel('Something.', {})
  assert.equal(await bridge.download('a', 'text/csv', ''), false)
  assert.equal(sent.length, before)
})

const told: readonly [string, string, Record<string, unknown>, (bridge: Bridge) => unknown, unknown][] = [
  ['ToolInputNotification', 'tool-input', { arguments: { title: 'A' } }, (bridge) => bridge.state().input, { title: 'A' }],
  ['ToolInputPartialNotification', 'tool-input-partial', { arguments: { title: 'A' } }, (bridge) => bridge.state().input, { title: 'A' }],
  ['ToolCancelledNotification', 'tool-cancelled', { reason: 'user' }, (bridge) => bridge.state().isCancelled, true],
  [
    'ToolResultNotification',
    'tool-result',
    { content: [{ type: 'text', text: '{}' }], structuredContent: { id: '1' } },
    (bridge) => bridge.state().result?.structuredContent,
    { id: '1' },
  ],
  [
    'HostContextChangedNotification',
    'host-context-changed',
    { theme: 'light' },
    (bridge) => bridge.state().context,
    { ...context, theme: 'light' },
  ],
]

for (const [kind, name, params, read, expected] of told) {
  test(`${name} is heard, and told to whoever listens`, async () => {
    const { bridge, say } = await greeted()
    const message = { method: `ui/notifications/${name}`, params }
    mustBe(kind, message)
    let heard = 0
    const end = bridge.subscribe(() => heard++)
    say({ jsonrpc: '2.0', ...message })
    assert.deepEqual(read(bridge), expected)
    end()
    say({ jsonrpc: '2.0', ...message })
    assert.equal(heard, 1)
  })
}

test('every request of the host is answered', async () => {
  const { say, sent } = await greeted()
  for (const [id, method] of ['ping', 'ui/resource-teardown', 'tools/list', 'ui/unknown'].entries()) {
    say({ jsonrpc: '2.0', id, method, params: {} })
    const answer = sent.at(-1)
    assert.equal(answer?.id, id)
    if (id < 2) assert.deepEqual(answer.result, {})
    else assert.equal(answer.error?.code, -32_601)
  }
  mustBe('ResourceTeardownResult', {})
})

test('a call is answered once; a refusal, or none in a minute, is an error in words', async () => {
  const { bridge, answer, timers, say, last } = await greeted()
  const done = bridge.callTool('get_session', {})
  answer('tools/call', { result: { structuredContent: { id: '1' } } })
  assert.deepEqual((await done).structuredContent, { id: '1' })
  assert.equal(timers.size, 0)

  const refused = bridge.callTool('get_session', {})
  answer('tools/call', { error: { message: 'Not here.' } })
  await assert.rejects(refused, /Not here/)

  const silent = bridge.callTool('get_session', {})
  for (const fire of timers) fire()
  await assert.rejects(silent, /did not answer/)
  say({ jsonrpc: '2.0', id: last('tools/call'), result: {} })

  const file = bridge.download('a', 'text/csv', '')
  answer('ui/download-file', { result: { isError: true } })
  assert.equal(await file, false)
})

test('the variables that the views take from a host are those that hosts give', () => {
  const { anyOf: known } = kinds['McpUiStyleVariableKey'] as { anyOf: { const: string }[] }
  const names = new Set(known.map(({ const: name }) => name))
  const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')
  const own = new Set([...css.matchAll(/(--[\w-]+):/g)].map(([, name = '']) => name))
  const taken = [...css.matchAll(/var\((--[\w-]+)/g)].flatMap(([, name = '']) => (own.has(name) ? [] : [name]))
  assert.ok(taken.length >= 8)
  for (const name of taken) assert.ok(names.has(name), name)
})

test('nothing a host may say breaks a view, and what is no message changes nothing', async () => {
  const { bridge, say } = await greeted()
  const method = fc.constantFrom(...told.map(([, name]) => `ui/notifications/${name}`), 'connected', 'ping', 'toString', '__proto__')
  const nonsense = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { jsonrpc: fc.constantFrom('2.0', '1.0'), method: fc.oneof(method, fc.jsonValue()), id: fc.jsonValue(), params: fc.jsonValue() },
      { requiredKeys: [] },
    ),
    fc.record(
      { jsonrpc: fc.constant('2.0'), id: fc.integer({ min: 0, max: 3 }), result: fc.jsonValue(), error: fc.jsonValue() },
      { requiredKeys: ['jsonrpc'] },
    ),
  )
  fc.assert(
    fc.property(nonsense, (data) => {
      const before = bridge.state()
      say(data)
      const isMessage = typeof data === 'object' && data !== null && 'jsonrpc' in data && data.jsonrpc === '2.0'
      if (!isMessage) assert.equal(bridge.state(), before)
      assert.deepEqual([bridge.state().isConnected, bridge.state().capabilities], [true, all])
    }),
    { numRuns: 500 },
  )
})
