// The command line as people and scripts meet it: words, exit codes, and what stands alone on standard output.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { freePort } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'rostrum-cli-'))
after(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  code: number | null
  out: string
  err: string
}

function start(args: readonly string[], env: Record<string, string> = {}) {
  const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ROSTRUM_') && name !== 'DATABASE_URL'))
  return spawn(join(root, 'bin/rostrum'), args, { cwd: folder, env: { ...plain, ROSTRUM_DATA_DIR: join(folder, 'data'), ...env } })
}

async function rostrum(args: readonly string[], env?: Record<string, string>): Promise<Ended> {
  const child = start(args, env)
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => void (err += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err }
}

describe('calls that are wrong', () => {
  test('an unknown command, a missing option and one argument too many end with 2 and the help', async () => {
    for (const args of [['dance'], ['key', 'create'], ['key', 'revoke'], ['version', 'extra'], ['key', 'create', '--nme', 'x']]) {
      const { code, err, out } = await rostrum(args)
      assert.equal(code, 2, args.join(' '))
      assert.match(`${out}${err}`, /Usage: rostrum/)
    }
  })

  test('a file is presented without a command, and one that is not there is named', async () => {
    const { code, err } = await rostrum(['talk.pdf'])
    assert.deepEqual([code, err], [1, 'There is no file talk.pdf.\n'])
  })

  test('a key is neither made nor listed for an account that does not exist: it was printed, and every use was 401', async () => {
    for (const words of [['create', '--name', 'x'], ['list'], ['revoke', 'x'], ['rotate', 'x']]) {
      const { code, out, err } = await rostrum(['key', ...words, '--account', 'TYPO'])
      assert.deepEqual([code, out, err], [1, '', '--account: there is no account TYPO.\n'])
    }
  })

  test('a bad configuration ends with 1 and every problem', async () => {
    const { code, err } = await rostrum(['serve'], { ROSTRUM_PORT: 'http', ROSTRUM_ROLE: 'boss', ROSTRUM_PROT: '1' })
    assert.equal(code, 1)
    assert.match(err, /ROSTRUM_PORT: .*\n.*ROSTRUM_ROLE: /)
    assert.match(err, /warning: ROSTRUM_PROT/)
    assert.doesNotMatch(err, /at .*\.ts:/)
  })
})

describe('commands', () => {
  test('an empty store is set up by any command, and `migrate` leaves one of this version as it is', async () => {
    const env = { ROSTRUM_DATA_DIR: join(folder, 'empty') }
    assert.equal((await rostrum(['key', 'create', '--name', 'first'], env)).code, 0)
    assert.equal((await rostrum(['migrate'], env)).code, 0)
    assert.equal((await rostrum(['key', 'create', '--name', 'second'], env)).code, 0)
  })

  test('help and version answer with 0', async () => {
    assert.match((await rostrum(['--help'])).out, /serve \[deck\].*\n/)
    const ofKeys = await rostrum(['key', '--help'])
    assert.equal(ofKeys.code, 0, ofKeys.err)
    assert.match(ofKeys.out, /key create .*\n.*key list .*\n.*key rotate .*\n.*key revoke /)
    assert.doesNotMatch(ofKeys.out, /session create/)
    const { code, out } = await rostrum(['version', '--json'])
    assert.equal(code, 0)
    assert.match(out, /^\{"version":"\d+\.\d+\.\d+","node":"v\d+\.[^"]*"\}\n$/)
  })

  test('a key stands alone on standard output, is listed without its secret, and is revoked', async () => {
    const made = await rostrum(['key', 'create', '--name', 'ci', '--scopes', 'sessions:read', '--expires', '1d'])
    assert.equal(made.code, 0, made.err)
    assert.match(made.out, /^rst_live_[0-9A-Za-z]{38}\n$/)
    const listed = await rostrum(['key', 'list', '--json'])
    const { keys } = JSON.parse(listed.out) as { keys: { id: string; scopes: string[] }[] }
    assert.deepEqual(keys[0]?.scopes, ['sessions:read'])
    assert.ok(!listed.out.includes(made.out.trim()))
    const id = keys[0]?.id ?? ''
    const next = await rostrum(['key', 'rotate', id, '--grace', '1h'])
    assert.match(next.out, /^rst_live_[0-9A-Za-z]{38}\n$/, next.err)
    assert.match(next.err, /works until/)
    assert.equal((await rostrum(['key', 'rotate', id, '--grace', '31d'])).code, 2)
    assert.equal((await rostrum(['key', 'rotate', id])).code, 1)
    assert.equal((await rostrum(['key', 'revoke', id])).code, 0)
    const again = await rostrum(['key', 'revoke', id])
    assert.equal(again.code, 1)
    assert.match(again.err, /no such key/)
  })

  test('a person is added once, and gets a link for a new password', async () => {
    const person = ['user', 'create', '--email', 'Maya@Example.com', '--password', 'correct horse battery staple']
    const added = await rostrum([...person, '--json'])
    assert.equal(added.code, 0, added.err)
    assert.match(added.out, /"email":"maya@example\.com","role":"owner"/)
    assert.equal((await rostrum(person)).code, 1)
    const link = await rostrum(['user', 'reset-link', '--email', 'maya@example.com'])
    assert.match(link.out, /^http:\/\/localhost:4400\/reset\/[0-9A-Za-z]{22}\n$/)
    assert.equal((await rostrum(['user', 'create', '--email', 'b@example.com', '--password', 'short'])).code, 2)
  })

  test('a backup restores into an empty directory', async () => {
    await rostrum(['key', 'create', '--name', 'kept'])
    const file = join(folder, 'backup.tar')
    const made = await rostrum(['backup', file])
    assert.equal(made.code, 0, made.err)
    const elsewhere = { ROSTRUM_DATA_DIR: join(folder, 'restored') }
    const restored = await rostrum(['restore', file], elsewhere)
    assert.equal(restored.code, 0, restored.err)
    assert.match((await rostrum(['key', 'list'], elsewhere)).out, /kept/)
  })

  test('a session is created through the public operations, and the command ends', async () => {
    const { code, out, err } = await rostrum(['session', 'create', '--title', 'Quarterly review', '--publish', '--json'])
    assert.equal(code, 0, err)
    const made = JSON.parse(out) as { status: string; shareLink: string }
    assert.equal(made.status, 'published')
    assert.match(made.shareLink, /^http:\/\/localhost:4400\/join\/quarterly-review-[a-z2-7]{6}$/)
    assert.equal((await rostrum(['session', 'create'])).code, 2)
    assert.equal((await rostrum(['session', 'create', '--title', 'X', '--deck', 'deck.docx'])).code, 2)
    assert.equal((await rostrum(['session', 'create', '--title', 'X', '--deck', 'missing.pdf'])).code, 1)
  })

  test('the configuration is printed with secrets masked', async () => {
    const { code, out } = await rostrum(['config'], { ROSTRUM_SECRET: 's'.repeat(40) })
    assert.equal(code, 0)
    assert.match(out, /\* ROSTRUM_SECRET +\*{8} /)
    assert.doesNotMatch(out, /ssss/)
  })
})

describe('serve', () => {
  test('--role stands above ROSTRUM_ROLE and is checked like it', async () => {
    const { code, err } = await rostrum(['serve', '--role', 'boss'], { ROSTRUM_ROLE: 'web' })
    assert.equal(code, 1)
    assert.match(err, /ROSTRUM_ROLE: write all, web, worker/)
  })

  test('it says where everything is, answers, and stops when told, with 0', async () => {
    const port = String(await freePort())
    const child = start(['serve'], { ROSTRUM_PORT: port, ROSTRUM_DATA_DIR: join(folder, 'served') })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()))
    while (!out.includes('/docs\n')) await once(child.stdout, 'data')
    assert.match(out, /Set-up +http:\/\/localhost:\d+\/setup\/[0-9A-Za-z]{22} /)
    assert.match(out, /MCP +http:\/\/localhost:\d+\/mcp\n/)
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200)
    const second = await rostrum(['serve'], { ROSTRUM_PORT: String(await freePort()), ROSTRUM_DATA_DIR: join(folder, 'served') })
    assert.equal(second.code, 1)
    assert.doesNotMatch(second.err, /at .*\.ts:/)
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number | null]
    assert.equal(code, 0)
  })
})
