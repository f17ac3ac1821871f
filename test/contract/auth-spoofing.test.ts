// Threat class "spoofing": what a caller writes into `Host`, `Forwarded` and `X-Forwarded-*` changes no address that is handed out and
// no limit that is counted.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer({ env: { ROSTRUM_RATE_REGISTER: '4/1h' } })
})
after(() => server.stop())

const forged = (n: number) => ({
  Host: 'evil.example',
  Forwarded: `for=198.51.100.${n};host=evil.example;proto=https`,
  'X-Forwarded-For': `198.51.100.${n}, 203.0.113.${n}`,
  'X-Forwarded-Host': 'evil.example',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Prefix': '/evil',
  'X-Original-Host': 'evil.example',
  'X-Real-IP': `198.51.100.${n}`,
})

/** With the plain client of Node: `fetch` would not send a Host of ours. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<{ status: number; head: string; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(server.baseUrl + path, { method, headers: { 'Content-Type': 'application/json', ...headers } }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, head: JSON.stringify(answer.headers), text }))
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

test('no address that is handed out follows a forged one', async () => {
  const documents = [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server',
    '/auth.md',
    '/.well-known/mcp.json',
    '/llms.txt',
  ]
  for (const path of [
    ...documents,
    '/openapi.json',
    '/docs/mcp',
    '/dashboard/sign-in',
    '/api/v1/agent/sessions',
    '/oauth2/authorize?client_id=x',
  ]) {
    const { head, text } = await send('GET', path, forged(1))
    assert.ok(!`${head}${text}`.includes('evil'), `${path}: ${head} ${text.slice(0, 500)}`)
  }
})

test('registrations count by the address of the connection, whatever addresses are named', async () => {
  const bodies = [
    ['/api/v1/auth/register', { client_name: 'Copilot', identity_type: 'anonymous' }],
    ['/agent/identity', { type: 'anonymous' }],
  ] as const
  const seen: number[] = []
  for (let n = 0; n < 8; n++) {
    const [path, body] = bodies[n % 2] ?? bodies[0]
    const { status, text } = await send('POST', path, forged(n), body)
    seen.push(status)
    if (status === 200) assert.ok(!text.includes('evil'), text)
    else assert.match(text, /"code":"rate_limited"/)
  }
  assert.deepEqual(seen, [200, 200, 200, 200, 429, 429, 429, 429])
})
