// The kit against the product by its address, as anybody would run it; and the document's list of requirements is the kit's.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { slides } from '../../mcp/rpc.ts'
import type { TestServer } from '../../support/server.ts'
import { freePort, startServer } from '../../support/server.ts'
import { runPapKit } from './kit.ts'
import { createPeer, registerAnonymous } from './peer.ts'

let server: TestServer
let sessionId: string
before(async () => {
  server = await startServer()
  const key = await server.command('key', 'create', '--name', 'pap')
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ title: 'Grid storage', isLive: true, slides })
  const made = await fetch(`${server.baseUrl}/api/v1/agent/sessions`, { method: 'POST', headers, body })
  ;({ sessionId } = (await made.json()) as { sessionId: string })
})
after(() => server.stop())

const question = 'What does a kilowatt hour cost?'

test('the product meets every requirement, with an anonymous credential', async () => {
  const url = `${server.baseUrl}/mcp`
  const findings = await runPapKit({ peer: createPeer(url, await registerAnonymous(url)), sessionId, question })
  assert.deepEqual(
    findings.filter(({ passed, skipped }) => !passed || skipped === true),
    [],
  )
})

test('the kit checks exactly what the document marks', async () => {
  const text = readFileSync(new URL('../../../server/pap/protocol.md', import.meta.url), 'utf8')
  const marked = [...text.matchAll(/\*\*(PAP-\d+) K\*\*/g)].map(([, id = '']) => id)
  const url = `${server.baseUrl}/mcp`
  const checked = (await runPapKit({ peer: createPeer(url, await registerAnonymous(url)) })).map(({ id }) => id)
  assert.deepEqual(checked, marked)
})

/** Runs the kit as anybody would. */
async function run(address: string): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), address], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (out += chunk.toString()))
  return { code: await new Promise<number | null>((resolve) => child.once('close', resolve)), out }
}

test('it runs by address alone, of the server or of its site: one line for each requirement', async () => {
  for (const address of [`${server.baseUrl}/mcp`, server.baseUrl]) {
    const { code, out } = await run(address)
    assert.equal(code, 0, out)
    assert.match(out, /^ok {4}PAP-1$/m)
    assert.match(out, /^skip {2}PAP-18 .+\n[\s\S]*\d+ of 14 met, \d+ not checked$/m)
  }
})

test('what cannot be checked is said in words', async () => {
  const site = createServer((_, response) => void response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Nothing</h1>'))
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
  const at = site.address()
  const url = typeof at === 'object' && at !== null ? `http://127.0.0.1:${at.port}` : ''
  try {
    for (const [address, words] of [
      ['nonsense', /Give the address as https/],
      [`http://127.0.0.1:${await freePort()}/mcp`, /cannot be reached/],
      [url, /names no MCP server/],
      [`${url}/mcp`, /Set PAP_TOKEN/],
    ] as const) {
      const { code, out } = await run(address)
      assert.equal(code, 1)
      assert.match(out, words)
      assert.doesNotMatch(out, /\n\s+at /)
    }
  } finally {
    site.close()
  }
})

test('a server that is none fails each requirement, with a reason, and breaks nothing', async () => {
  const site = createServer((_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Hello</h1>'))
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
  const at = site.address()
  try {
    const peer = createPeer(typeof at === 'object' && at !== null ? `http://127.0.0.1:${at.port}/mcp` : '', 'token')
    const findings = await runPapKit({ peer, sessionId, question })
    assert.deepEqual(
      findings.filter(({ id, passed }) => passed && id !== 'PAP-3'),
      [],
    )
    for (const { passed, words } of findings) assert.ok(passed || words !== '')
  } finally {
    site.close()
  }
})
