// What a stranger begins to send and never ends costs the service a connection each, not its memory; and what nobody wants is refused by
// its head. The real process, on both stores.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/server.ts'

const mebibyte = 1_048_576
/** What the service may hold while it is attacked. */
const residentMost = 300 * mebibyte
const sockets: Socket[] = []
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()))

const resident = ({ pid }: TestServer) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024

interface Begun {
  socket: Socket
  /** What was answered so far. */
  answer(): string
}

/** The head of a request, and so much of its body as the service takes. */
async function begin({ baseUrl }: TestServer, head: readonly string[], bodyBytes = 0): Promise<Begun> {
  const { port } = new URL(baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  sockets.push(socket)
  let text = ''
  socket.on('data', (chunk: Buffer) => void (text += chunk.toString('latin1'))).on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const piece = Buffer.alloc(mebibyte)
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  // One that nobody reads any more is not waited for.
  for (let sent = 0; sent < bodyBytes && !socket.destroyed; sent += piece.length)
    await Promise.race([new Promise<void>((resolve) => void socket.write(piece, () => resolve())), closed])
  return { socket, answer: () => text }
}

async function answered({ socket, answer }: Begun): Promise<string> {
  while (!answer().includes('\r\n\r\n') && !socket.destroyed) await new Promise((resolve) => setTimeout(resolve, 5))
  return answer()
}

async function stranger({ baseUrl }: TestServer): Promise<string> {
  const body = JSON.stringify({ client_name: 'Stranger', identity_type: 'anonymous' })
  const made = await fetch(`${baseUrl}/api/v1/auth/register`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  return ((await made.json()) as { access_token: string }).access_token
}

const put = (path: string, token: string, type: string, sizeBytes: number) => [
  `PUT ${path} HTTP/1.1`,
  'Host: localhost',
  `Authorization: Bearer ${token}`,
  `Content-Type: ${type}`,
  `Content-Length: ${sizeBytes}`,
]

const env = { ROSTRUM_RATE_UPLOAD: 'off', ROSTRUM_RATE_UNCLAIMED_UPLOAD: 'off' }

for (const store of ['sqlite', 'postgres'] as const)
  test(`${store}: 16 unfinished decks and films for invented ids stay under 300 MiB: they were all held`, async (t) => {
    const postgres = store === 'postgres' ? await startPostgres() : undefined
    if (postgres === null) return t.skip('no PostgreSQL for this platform')
    let server: TestServer | undefined
    try {
      const cluster = postgres && { DATABASE_URL: postgres.url, ROSTRUM_SECRET: 'tests-sign-with-this-0123456789-abcdefghijklmnop' }
      const it = await startServer({ env: { ...env, ...cluster } })
      server = it
      const token = await stranger(it)
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const made = await fetch(`${it.baseUrl}/api/v1/agent/sessions`, { method: 'POST', headers, body: '{"title":"Grid"}' })
      const { sessionId } = (await made.json()) as { sessionId: string }
      const deck = `/api/v1/agent/sessions/${sessionId}/deck`
      const decks = await Promise.all(
        Array.from({ length: 16 }, () => begin(it, put(deck, token, 'application/pdf', 40 * mebibyte), 24 * mebibyte)),
      )
      const invented = `/api/v1/agent/sessions/${crypto.randomUUID()}/recordings/${crypto.randomUUID()}/file`
      const films = await Promise.all(
        Array.from({ length: 8 }, () => begin(it, put(invented, token, 'video/webm', 200 * mebibyte), 32 * mebibyte)),
      )
      const held = resident(it)
      assert.ok(held < residentMost, `${Math.round(held / mebibyte)} MiB`)
      for (const film of films) assert.match(await answered(film), /^HTTP\/1\.1 404 [^]*There is no such session/)
      for (const { answer, socket } of decks) assert.deepEqual([answer(), socket.destroyed], ['', false])
      // One more of the same account is told to wait; somebody else is served.
      assert.match(
        await answered(await begin(it, put(deck, token, 'application/pdf', 40 * mebibyte))),
        /^HTTP\/1\.1 429 [^]*Retry-After: 5/,
      )
      assert.equal((await fetch(`${it.baseUrl}/api/v1/discover`)).status, 200)
    } finally {
      await server?.stop()
      await postgres?.stop()
    }
  })

test('what a killed service was receiving is gone with its next start', async () => {
  const server = await startServer({ env })
  const spools = () => readdirSync(server.dataDir).filter((name) => name.startsWith('rostrum-spool-'))
  try {
    const key = await server.command('key', 'create', '--name', 'test')
    const session = JSON.parse(await server.command('session', 'create', '--title', 'Grid', '--json')) as { sessionId: string }
    const path = `/api/v1/agent/sessions/${session.sessionId}/deck`
    await begin(server, put(path, key, 'application/pdf', 40 * mebibyte), 2 * mebibyte)
    while (spools().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await server.kill()
    assert.equal(spools().length, 1)
    await server.restart()
    assert.deepEqual(spools(), [])
  } finally {
    await server.stop()
  }
})
