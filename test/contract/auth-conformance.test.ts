// The official conformance suite's scenarios for authorization servers, offline against the product. The suite names an address
// for a person to open; a browser without scripts is that person.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { formBrowser, signIn } from '../auth/form-browser.ts'
import { freePort, startServer } from '../support/server.ts'

const patient = join(import.meta.dirname, '../conformance/patient.ts')
const program = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
const owner = { email: 'maya@example.com', password: 'a quiet lake at dusk' }

const checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }))

test('every scenario for authorization servers of the official conformance suite passes', async (context) => {
  const server = await startServer({ env: { ROSTRUM_OWNER_EMAIL: owner.email, ROSTRUM_OWNER_PASSWORD: owner.password } })
  context.after(() => server.stop())
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-conformance-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const port = String(await freePort())
  const registered = await fetch(`${server.baseUrl}/oauth2/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
  })
  const { client_id: clientId } = z.object({ client_id: z.string() }).parse(await registered.json())

  const options = ['--url', server.baseUrl, '--client-id', clientId, '--resource', `${server.baseUrl}/mcp`, '--port', port, '-o', folder]
  // Without a PATH it cannot open a browser of this machine.
  const bounds = { signal: context.signal, killSignal: 'SIGKILL' } as const
  const child = spawn(process.execPath, [`--import=${patient}`, program, 'authorization', ...options], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
    ...bounds,
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  let said = ''
  let visited: Promise<unknown> | undefined
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    const [address] = /^http\S+\/oauth2\/authorize\?\S+(?=\s)/m.exec(said) ?? []
    if (address !== undefined && said.includes('Callback server started')) visited ??= allow(server.baseUrl, address)
  })
  await ended
  assert.ok(visited !== undefined, `the suite named no address to open:\n${said}`)
  await visited

  const found = readdirSync(folder).map((name) => ({
    name,
    checks: checks.parse(JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'))),
  }))
  for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant']) {
    const run = found.find(({ name }) => name.includes(scenario))
    assert.ok(run !== undefined && run.checks.length > 0, `${scenario} was not run:\n${said}`)
  }
  const failed = found.flatMap((run) => run.checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO'))
  assert.deepEqual(failed, [])
})

/** Signs in, allows, and brings the answer to the client. */
async function allow(baseUrl: string, address: string): Promise<void> {
  const browser = formBrowser(baseUrl)
  await signIn(browser, owner)
  const { url } = await browser.submit(await browser.open(address), { decision: 'allow' })
  await (await fetch(url)).text()
}
