// Spec 5: an agent that was given nothing but the base address finds its way by what the answers say, on a listening server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'

const requestsMax = 5

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const resourceDocument = z.object({ authorization_servers: z.array(z.url()).min(1) })
const serverDocument = z.object({ agent_auth: z.object({ register_uri: z.url() }) })
const registered = z.object({ access_token: z.string() })
const created = z.object({ sessionId: z.string() })

test(`from a 401 to the first session in at most ${requestsMax} requests, with the base address alone`, async () => {
  let requests = 0
  const send = async (address: string, body?: unknown, token?: string) => {
    requests++
    const headers = { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) }
    return fetch(address, body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const sessions = `${server.baseUrl}/api/v1/agent/sessions`
  const session = { title: 'Grid storage in 12 minutes', isLive: true }

  const refused = await send(sessions, session)
  assert.equal(refused.status, 401)
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? []
  const { authorization_servers } = resourceDocument.parse(await (await send(metadata)).json())
  const issuer = authorization_servers[0] ?? ''
  const { agent_auth } = serverDocument.parse(await (await send(`${issuer}/.well-known/oauth-authorization-server`)).json())
  const agent = await send(agent_auth.register_uri, { client_name: 'Sales Copilot', identity_type: 'anonymous' })
  const { access_token } = registered.parse(await agent.json())
  const made = await send(sessions, session, access_token)
  assert.equal(made.status, 200)
  created.parse(await made.json())
  assert.ok(requests <= requestsMax, `it took ${requests}`)
})

test('the page at the base address names what agents read, in its head alone', async () => {
  const page = await fetch(server.baseUrl, { method: 'HEAD' })
  const links = [...(page.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g)]
  assert.deepEqual(
    links.map(([, path, relation]) => [path, relation]),
    [
      ['/llms.txt', 'alternate'],
      ['/auth.md', 'help'],
      ['/docs', 'service-doc'],
      ['/openapi.json', 'service-desc'],
    ],
  )
  for (const [, path = ''] of links) {
    const answer = await fetch(new URL(path, server.baseUrl))
    assert.equal(answer.status, 200, path)
    await answer.body?.cancel()
  }
})

test('[4.3-4] the four discovery documents answer GET to anybody', async () => {
  const documents = [
    ['/.well-known/oauth-protected-resource', 'application/json'],
    ['/.well-known/oauth-authorization-server', 'application/json'],
    ['/.well-known/mcp.json', 'application/json'],
    ['/docs/mcp', 'text/html'],
  ] as const
  for (const [path, type] of documents) {
    const answer = await fetch(server.baseUrl + path, { headers: { Accept: type } })
    assert.equal(answer.status, 200, path)
    assert.ok(answer.headers.get('content-type')?.startsWith(type), path)
    await answer.body?.cancel()
  }
})
