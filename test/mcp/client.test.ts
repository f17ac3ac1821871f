// The official client, in each of its negotiation modes, over HTTP and over standard input and output (a service of its own, and
// the bridge to a running one), through all eight tools. The client itself holds every result to the tool's output schema.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { patienceMs } from '../support/patience.ts'
import type { TestServer } from '../support/server.ts'
import { freePort, startServer } from '../support/server.ts'
import { envelope, slides, toolNames } from './rpc.ts'

const rostrum = join(import.meta.dirname, '../../bin/rostrum')
const modes = ['auto', 'legacy', { pin: '2026-07-28' }] as const
const nameOf = (mode: (typeof modes)[number]) => (typeof mode === 'string' ? mode : 'pinned')
const folder = mkdtempSync(join(tmpdir(), 'rostrum-mcp-'))
const plain = { PATH: process.env['PATH'] ?? '', HOME: folder, ROSTRUM_LOG: 'warn' }

let server: TestServer
let key: string
before(async () => {
  server = await startServer()
  key = await server.command('key', 'create', '--name', 'client')
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const http = () =>
  new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } })
const stdio = (env: Record<string, string>, args: readonly string[] = []) =>
  new StdioClientTransport({ command: rostrum, args: ['mcp', ...args], env: { ...plain, ...env }, stderr: 'inherit' })

const ways: readonly [string, () => StdioClientTransport | StreamableHTTPClientTransport][] = [
  ['HTTP', http],
  ['stdio', () => stdio({ ROSTRUM_DATA_DIR: mkdtempSync(join(folder, 'own-')) })],
  ['the bridge', () => stdio({ ROSTRUM_DATA_DIR: server.dataDir, ROSTRUM_BASE_URL: server.baseUrl })],
  ['the bridge to an address', () => stdio({ ROSTRUM_API_KEY: key, ROSTRUM_DATA_DIR: folder }, ['--url', server.baseUrl])],
]

for (const [way, transport] of ways) {
  describe(`over ${way}`, () => {
    for (const mode of modes) {
      test(`the ${nameOf(mode)} client calls all eight tools`, async () => {
        const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
        // A process has to start; the client's own minute would be a limit on the machine.
        await client.connect(transport(), { timeout: patienceMs })
        try {
          await useEverything(client)
        } finally {
          await client.close()
        }
      })
    }
  })
}

async function useEverything(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    toolNames,
  )
  assert.equal((await client.listPrompts()).prompts.length, 3)
  const { resources } = await client.listResources()
  assert.equal(resources.length, 7)
  const { contents } = await client.readResource({ uri: 'service://docs/pap' })
  assert.equal(contents.length, 1)
  const used = new Set<string>()
  const call = async (name: (typeof toolNames)[number], args: Record<string, unknown>) => {
    used.add(name)
    // The client may drop progress that comes in one piece with the result; the raw lines below are held to it.
    const result = await client.callTool({ name, arguments: args }, { onprogress: () => undefined })
    assert.notEqual(result.isError, true, JSON.stringify(result.content))
    // oxlint-disable-next-line typescript/no-explicit-any
    return result.structuredContent as any
  }
  const { id: sessionId } = await call('create_session', { title: 'Grid storage', isLive: true, slides })
  assert.ok((await call('list_sessions', {})).count >= 1)
  assert.equal((await call('get_session', { sessionId })).slidesCount, 2)
  assert.ok((await call('discover_sessions', { query: 'grid' })).total >= 1)
  const { reply } = await call('pap_query_presenter', { sessionId, message: 'What does a kilowatt hour cost?' })
  assert.match(reply, /90 euros/)
  assert.equal((await call('submit_attendee_lead', { sessionId, email: 'maya@example.com' })).success, true)
  assert.equal((await call('export_leads', { sessionId })).leads.length, 1)
  assert.equal((await call('get_session_analytics', { sessionId })).totalAttendees, 0)
  assert.deepEqual([...used].toSorted(), [...toolNames].toSorted())
  const prompt = await client.getPrompt({ name: 'rehearse_presentation', arguments: { sessionId } })
  assert.match(JSON.stringify(prompt.messages), /Grid storage/)
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'rehearse_presentation' },
    argument: { name: 'sessionId', value: sessionId.slice(0, 8) },
  })
  assert.ok(completion.values.includes(sessionId))
}

interface Spoken {
  code: number | null
  lines: string[]
  errors: string
}

/** Speaks raw lines, waits for so many answers, and ends the input. */
async function speak(
  lines: readonly object[],
  answers: number,
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Spoken> {
  const child = spawn(rostrum, ['mcp', ...args], { env: { ...plain, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  let [out, errors] = ['', '']
  child.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()))
  const enough = new Promise<void>((resolve) =>
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      if (out.split('\n').length > answers) resolve()
    }),
  )
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  for (const line of lines) child.stdin.write(`${JSON.stringify(line)}\n`)
  await Promise.race([enough, ended])
  child.stdin.end()
  return { code: await ended, lines: out.trim().split('\n'), errors }
}

const discover = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope } }

test('standard output carries protocol lines alone, discovery equals that of HTTP, and the end of the input ends it', async () => {
  for (const env of [{ ROSTRUM_DATA_DIR: mkdtempSync(join(folder, 'raw-')) }, { ROSTRUM_DATA_DIR: server.dataDir }] as const) {
    const base = { ROSTRUM_BASE_URL: server.baseUrl }
    const { code, lines } = await speak([discover], 1, { ...env, ...base })
    const answers = lines.map((line) => JSON.parse(line))
    const card = await fetch(`${server.baseUrl}/.well-known/mcp.json`).then(
      (response) => response.json() as Promise<Record<string, unknown>>,
    )
    assert.deepEqual(answers[0].result.tools, card['tools'])
    assert.deepEqual(answers[0].result.capabilities, card['capabilities'])
    assert.equal(code, 0)
  }
})

test('a bad key ends the process before its first line, with words on standard error', async () => {
  const env = { ROSTRUM_DATA_DIR: mkdtempSync(join(folder, 'bad-')), ROSTRUM_API_KEY: 'rst_live_wrong' }
  const { code, lines, errors } = await speak([discover], 1, env)
  assert.deepEqual([code, lines], [1, ['']])
  assert.match(errors, /ROSTRUM_API_KEY/)
})

test('a missing scope is told to the model, on its own and over the bridge', async () => {
  const narrow = await server.command('key', 'create', '--name', 'narrow', '--scopes', 'sessions:read')
  const params = { name: 'create_session', arguments: { title: 'No' }, _meta: envelope }
  const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params }
  const { lines } = await speak([call], 1, { ROSTRUM_DATA_DIR: server.dataDir, ROSTRUM_BASE_URL: server.baseUrl, ROSTRUM_API_KEY: narrow })
  const { id, result } = JSON.parse(lines[0] ?? '{}')
  assert.deepEqual([id, result.isError, result._meta['x-rostrum/error'].code], [5, true, 'insufficient_scope'])
  assert.match(result.content[0].text, /needs sessions:write/)
})

test('the bridge passes on the refusals of its service with their code and its own id, and names a service it cannot reach', async () => {
  const call = { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'list_sessions', arguments: {}, _meta: envelope } }
  const { lines } = await speak([discover, call], 2, { ROSTRUM_DATA_DIR: folder }, ['--url', server.baseUrl])
  const answers = lines.map((line) => JSON.parse(line))
  assert.equal(answers.find(({ id }) => id === 1).result.serverInfo.name, 'service-mcp-server')
  const { error } = answers.find(({ id }) => id === 'a')
  assert.deepEqual([error.code, error.data.code, error.data.status], [401, 'invalid_token', 401])
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const { lines: alone, code } = await speak([call], 1, { ROSTRUM_DATA_DIR: folder }, ['--url', nowhere])
  assert.match(JSON.parse(alone[0] ?? '{}').error.message, /cannot be reached/)
  assert.equal(code, 0)
})

test('parameters of another type are told in words over lines too', async () => {
  for (const args of [[], ['--url', server.baseUrl]]) {
    const dataDir = args.length === 0 ? mkdtempSync(join(folder, 'lines-')) : folder
    const { lines } = await speak([discover], 1, { ROSTRUM_DATA_DIR: dataDir }, args)
    assert.equal(JSON.parse(lines[0] ?? '{}').id, 1)
    const misshapen = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 5, _meta: envelope } }
    const { lines: told } = await speak([misshapen], 1, { ROSTRUM_DATA_DIR: dataDir }, args)
    const { id, error } = JSON.parse(told[0] ?? '{}')
    assert.deepEqual([id, error.code], [2, -32_602])
    assert.match(error.message, /`params\.name`/)
  }
})

test('progress comes as lines before the result, on its own and over the bridge', async () => {
  const params = { name: 'pap_query_presenter', arguments: { message: 'Hello' }, _meta: { ...envelope, progressToken: 'p' } }
  const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params }
  for (const dataDir of [mkdtempSync(join(folder, 'progress-')), server.dataDir]) {
    const { lines } = await speak([call], 2, { ROSTRUM_DATA_DIR: dataDir, ROSTRUM_BASE_URL: server.baseUrl })
    const [told, answered] = lines.map((line) => JSON.parse(line))
    assert.deepEqual([told.method, told.params.progressToken, answered.id], ['notifications/progress', 'p', 5])
  }
})

test('the key of the bridge is private to the owner of the data directory and listed as any other', async () => {
  const file = join(server.dataDir, 'mcp-key')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.match(readFileSync(file, 'utf8'), /^\S{20,}$/)
  assert.match(await server.command('key', 'list'), /rostrum mcp on this machine/)
})
