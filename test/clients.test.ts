// The clients as they are handed on: built, and used by programs that have nothing of this repository, against a real service.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, cpSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createClient, RostrumError } from '../client/index.ts'
import { buildPdf } from './support/documents.ts'
import { startServer, type TestServer } from './support/server.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)

const program = `
import { createClient, followRun, RostrumError, verifyWebhook, type OutputOf, type RunMessage } from '@rostrum/client'
import { readFileSync } from 'node:fs'

const [baseUrl = '', token = ''] = process.argv.slice(2)
const api = createClient({ baseUrl, token })
const say = (...words: unknown[]) => console.log(...words)

const created: OutputOf<'create_session'> = await api.call('create_session', { title: 'Built', isLive: true, slides: [{ textContent: 'Built\\n- One' }] })
await api.call('create_session', { title: 'Second' })
const titles: string[] = []
for await (const { sessions } of api.pages('list_sessions', { limit: 1 })) titles.push(...sessions.map(({ title }) => title))
say('titles', titles.join())

const shares: number[] = []
const deck = await api.upload('put_deck', { sessionId: created.sessionId }, [new File([readFileSync('deck.pdf')], 'deck.pdf')], { onProgress: (share) => void shares.push(share) })
say('deck', typeof deck.state, shares.at(-1))
for (let { state } = deck; state !== 'ready'; { state } = await api.call('get_deck', { sessionId: created.sessionId })) await new Promise((done) => setTimeout(done, 300))

const seat = await api.call('join_room', { key: created.slug, kind: 'agent', name: 'Follower' })
const attendee = createClient({ baseUrl, token: seat.attendeeToken })
await attendee.call('control_run', { runId: seat.runId, id: crypto.randomUUID(), action: 'start' })
// The connection breaks after each fourth message; the stream goes on where it was.
let connections = 0
const breaking: typeof fetch = async (url, init) => {
  connections++
  const cut = new AbortController()
  const response = await fetch(url, { ...init, signal: cut.signal })
  let seen = 0
  const body = response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ transform(chunk, to) { if (++seen > 4) throw new TypeError('cut'); to.enqueue(chunk) } }))
  return new Response(body ?? null, response)
}
const seqs: number[] = []
const isSpoken = (message: RunMessage): boolean => message.event === 'beat' && message.data.phase === 'start'
let spoken = 0
for await (const message of followRun({ url: seat.stream, token: seat.attendeeToken, fetch: breaking })) {
  if ('seq' in message.data && message.event !== 'snapshot') seqs.push(message.data.seq)
  if (isSpoken(message) && ++spoken === 2) await attendee.call('control_run', { runId: seat.runId, id: crypto.randomUUID(), action: 'stop' as never }).catch((error: unknown) => say('refused', error instanceof RostrumError && error.code))
  if (isSpoken(message) && spoken === 2) await attendee.call('leave_room', { runId: seat.runId })
}
say('in order', seqs.length > 3 && seqs.every((seq, at) => at === 0 || seq > (seqs[at - 1] ?? 0)), connections > 1)

const missing = await api.call('get_session', { sessionId: '0198c1d2-7a53-4c1e-9a40-5f6d2b8e4c11' }).catch((error: unknown) => error)
say('missing', missing instanceof RostrumError && missing.code)
const headers = { 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': '1614265330', 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' }
say('webhook', (await verifyWebhook('{"test": 2432232314}', headers, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { now: 1614265330 })).ok)
`

const script = `
import sys, uuid, time
from rostrum_client import Rostrum, RostrumError, verify_webhook

api = Rostrum(sys.argv[1], sys.argv[2])
made = api.create_session(title="From Python", isLive=True, slides=[{"textContent": "From Python\\n- One"}], knowledgeBase=[{"content": "The warranty is eleven years."}])
again = [api.duplicate_session(sessionId=made["sessionId"], idempotency_key="same")["id"] for _ in range(2)]
print("same", again[0] == again[1])
print("titles", sum(len(page["sessions"]) for page in api.pages(api.list_sessions, limit=2)) >= 2)
deck = api.put_deck(sessionId=made["sessionId"], files=[("deck.pdf", open("deck.pdf", "rb").read())])
while deck["state"] in ("pending", "processing"):
    time.sleep(0.3)
    deck = api.get_deck(sessionId=made["sessionId"])
print("deck", deck["state"], len(deck["slides"]))
print("reply", api.pap_query_presenter(sessionId=made["sessionId"], message="How long is the warranty?")["reply"])
seat = api.join_room(key=made["slug"], kind="agent")
me = Rostrum(sys.argv[1], seat["attendeeToken"])
me.control_run(runId=seat["runId"], id=str(uuid.uuid4()), action="start")
for message in me.follow_run(seat["stream"]):
    if message["event"] == "beat" and message["data"]["phase"] == "start":
        me.leave_room(runId=seat["runId"])
print("last", message["event"], message["data"]["reason"])
try:
    api.get_session(sessionId=str(uuid.uuid4()))
except RostrumError as error:
    print("missing", error.code)
headers = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330", "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}
print("webhook", *(verify_webhook(body, headers, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now=1614265330) for body in (b'{"test": 2432232314}', b"{}")))
`

/** What programs print: a line each, its first word and the rest. */
const toldBy = (stdout: string) =>
  Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  )

describe('the clients that are built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-clients-'))
  const installed = join(folder, 'node_modules/@rostrum/client')
  let server: TestServer
  let key = ''

  before(async () => {
    await run(process.execPath, ['scripts/build-clients.ts'], { cwd: root })
    for (const name of ['dist', 'package.json']) cpSync(join(root, 'client', name), join(installed, name), { recursive: true })
    cpSync(join(root, 'client/dist/rostrum_client.py'), join(folder, 'rostrum_client.py'))
    writeFileSync(join(folder, 'deck.pdf'), buildPdf([{ lines: ['One', 'A pump makes a noise.'] }, { lines: ['Two', 'It is quiet now.'] }]))
    server = await startServer({ env: { ROSTRUM_RATE_API: 'off' } })
    key = await server.command('key', 'create', '--name', 'clients')
  })
  after(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('`@rostrum/client` names nothing outside of its folder', () => {
    for (const file of readdirSync(installed, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|d\.ts)$/.test(file)) continue
      for (const [, from = ''] of readFileSync(join(installed, file), 'utf8').matchAll(/^(?:import|export) .*from ['"]([^'"]+)['"];?$/gm))
        assert.match(from, /^\.\/[\w-]+\.(js|ts)$/, file)
    }
  })

  test('a strict program in TypeScript calls, reads pages, uploads, follows a run over broken connections, verifies', async () => {
    writeFileSync(join(folder, 'program.ts'), program)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    mkdirSync(join(folder, 'out'))
    const compilerOptions = {
      target: 'es2024',
      lib: ['es2025', 'dom', 'dom.iterable', 'dom.asynciterable'],
      module: 'nodenext',
      strict: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      outDir: 'out',
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const compiled = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder, encoding: 'utf8' })
    assert.equal(compiled.status, 0, compiled.stdout)
    const { stdout } = await run(process.execPath, ['out/program.js', server.baseUrl, key], { cwd: folder })
    assert.deepEqual(toldBy(stdout), {
      titles: 'Second,Built',
      deck: 'string 1',
      refused: 'invalid_request',
      in: 'order true true',
      missing: 'not_found',
      webhook: 'true',
    })
  })

  test('the one file for Python does the same on the Python of the system', async (t) => {
    const python = ['/usr/bin/python3', 'python3'].find((name) =>
      name.startsWith('/') ? existsSync(name) : spawnSync(name, ['--version']).status === 0,
    )
    if (python === undefined) return t.skip('there is no python3 on this machine')
    writeFileSync(join(folder, 'script.py'), script)
    const { stdout } = await run(python, ['-W', 'error', 'script.py', server.baseUrl, key], { cwd: folder })
    const { reply, ...told } = toldBy(stdout)
    assert.match(reply ?? '', /eleven years/)
    assert.deepEqual(told, {
      same: 'True',
      titles: 'True',
      deck: 'ready 2',
      last: 'closed left',
      missing: 'not_found',
      webhook: 'True False',
    })
  })
})

test('a call that is told to come later is sent again when it is due, and as often as is wished', async (t) => {
  let asked = 0
  const server = createServer((_, response) => {
    asked++
    const isBusy = asked < 3
    response.writeHead(isBusy ? (asked === 1 ? 429 : 503) : 200, {
      'Content-Type': 'application/json',
      ...(isBusy ? { 'Retry-After': '0' } : {}),
    })
    response.end(isBusy ? '{"code":"rate_limited","detail":"Too many calls."}' : '{"sessions":[],"count":0}')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  assert.deepEqual(await createClient({ baseUrl }).call('list_sessions', {}), { sessions: [], count: 0 })
  assert.equal(asked, 3)
  asked = 0
  await assert.rejects(
    createClient({ baseUrl, retries: 1 }).call('list_sessions', {}),
    (error) => error instanceof RostrumError && error.status === 503,
  )
  assert.equal(asked, 2)
})
