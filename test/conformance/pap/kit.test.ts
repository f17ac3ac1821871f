// The kit against the product by its address, as anybody would run it; and the document's list of requirements is the kit's.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { slides } from '../../mcp/rpc.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer } from '../../support/server.ts'
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
  const text = readFileSync(new URL('../../../src/pap/protocol.md', import.meta.url), 'utf8')
  const marked = [...text.matchAll(/\*\*(PAP-\d+) K\*\*/g)].map(([, id = '']) => id)
  const url = `${server.baseUrl}/mcp`
  const checked = (await runPapKit({ peer: createPeer(url, await registerAnonymous(url)) })).map(({ id }) => id)
  assert.deepEqual(checked, marked)
})

test('it runs by address alone, one line for each requirement', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), `${server.baseUrl}/mcp`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(code, 0, out)
  assert.match(out, /^ok {4}PAP-1/m)
})
