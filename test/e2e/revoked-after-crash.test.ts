// Spec 5.7 over a crash: what was revoked a moment before kill -9 is dead when the process is back, whatever kind it was.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

async function post(path: string, body: object | URLSearchParams): Promise<Record<string, string>> {
  const isForm = body instanceof URLSearchParams
  const headers = { 'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' }
  const answer = await fetch(server.baseUrl + path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) })
  assert.equal(answer.status, 200)
  return (await answer.json()) as Record<string, string>
}

const statusOf = async (token = '') =>
  (await fetch(`${server.baseUrl}/api/v1/agent/sessions`, { headers: { Authorization: `Bearer ${token}` } })).status

test('a key, an agent and an identity that were revoked stay so after kill -9, and the others live', async () => {
  const make = () => post('/api/v1/auth/register', { client_name: 'Copilot', identity_type: 'anonymous' })
  const [dead, alive] = [await make(), await make()]
  const key = await server.command('key', 'create', '--name', 'CI')
  const { identity } = (await post('/agent/identity', { type: 'anonymous' })) as unknown as { identity: { assertion: string } }
  const exchange = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: identity.assertion })
  const exchanged = await post('/oauth2/token', exchange)
  const revoked = [dead['access_token'], key, exchanged['access_token']]
  for (const token of revoked) assert.equal(await statusOf(token), 200)
  for (const token of revoked) await post('/api/v1/auth/revoke', { token: token ?? '' })
  await server.kill()
  await server.restart()
  for (const token of revoked) assert.equal(await statusOf(token), 401)
  assert.equal(await statusOf(alive['access_token']), 200)
  const again = await fetch(`${server.baseUrl}/oauth2/token`, { method: 'POST', body: exchange })
  assert.equal(again.status, 400)
})
