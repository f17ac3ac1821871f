// `rostrum model list|install|try` against a mirror on loopback: what is not what it should be is never installed, and what is
// installed writes. How a download breaks off and goes on is tested with the voices, which are fetched alike.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import tables from '../../server/cli/known.json' with { type: 'json' }
import { runCommandLine } from '../../server/cli/run.ts'
import type { FileServer } from '../support/file-server.ts'
import { startFileServer } from '../support/file-server.ts'
import { writeTinyModel } from '../support/tiny-model.ts'

const root = mkdtempSync(join(tmpdir(), 'rostrum-model-commands-'))
const dataDir = join(root, 'data')
const variables = { ROSTRUM_DATA_DIR: dataDir, ROSTRUM_LLAMA: join(import.meta.dirname, '../.engines/engines/llama') }
const before_ = Object.keys(variables).map((name) => [name, process.env[name]] as const)
let server: FileServer
before(async () => {
  server = await startFileServer()
  mkdirSync(dataDir)
  Object.assign(process.env, variables)
})
after(async () => {
  for (const [name, value] of before_)
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  await server.close()
  rmSync(root, { recursive: true, force: true })
})

async function rostrum(...words: string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runCommandLine(words, { out: (text) => void out.push(text), err: (text) => void err.push(text) })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const sum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const models = join(dataDir, 'models')
const here = () => (existsSync(models) ? readdirSync(models) : [])

test('a model is fetched, checked, its licence said, and then it writes', async () => {
  const bytes = readFileSync(writeTinyModel(join(root, 'tiny.gguf'), 'A presenter gives a talk.'))
  server.files.set('/tiny.gguf', bytes)
  const from = ['--url', `${server.origin}/tiny.gguf`, '--sha256', sum(bytes)]
  const made = await rostrum('model', 'install', 'tiny', ...from)
  assert.equal(made.code, 0, made.err)
  assert.match(made.err, /Licence: /)
  assert.match(made.out, /ROSTRUM_LLM=llama:tiny/)
  assert.deepEqual(here(), ['tiny'])
  const tried = await rostrum('model', 'try', 'tiny')
  assert.equal(tried.code, 0, tried.err)
  assert.match(tried.out, /^A presenter gives a talk\.\n\nloaded in \d+ ms, first word after \d+ ms/)
  assert.match((await rostrum('model', 'list')).out, /^tiny .*installed$/m)
})

test('a model that measures meaning is told as one, tried as one, and checked by the doctor', async () => {
  const bytes = readFileSync(writeTinyModel(join(root, 'meaning.gguf'), 'Unused.', { measures: true }))
  server.files.set('/meaning.gguf', bytes)
  const made = await rostrum('model', 'install', 'meaning', '--url', `${server.origin}/meaning.gguf`, '--sha256', sum(bytes))
  assert.match(made.out, /ROSTRUM_EMBED=llama:meaning/)
  assert.match((await rostrum('model', 'list')).out, /^meaning +measures meaning .*installed$/m)
  assert.match((await rostrum('model', 'try', 'meaning')).out, /^It measures what texts mean, in \d+ numbers\./)
  process.env['ROSTRUM_EMBED'] = 'llama:meaning'
  try {
    assert.match((await rostrum('model', 'list')).out, /^meaning .*in use$/m)
    assert.match((await rostrum('doctor')).out, /^ok +meaning +llama in .*meaning.* measures a text in \d+ numbers/m)
    process.env['ROSTRUM_EMBED'] = 'llama:none'
    assert.match((await rostrum('doctor')).out, /^BROKEN +meaning +There is no file/m)
  } finally {
    delete process.env['ROSTRUM_EMBED']
  }
  assert.match((await rostrum('doctor')).out, /^off +meaning +words alone/m)
  rmSync(join(models, 'meaning'), { recursive: true })
})

test('another checksum, or a file that is no model, is not installed, and the words say so', async () => {
  const page = Buffer.from('<html>Not here</html>')
  server.files.set('/page.gguf', page)
  const address = `${server.origin}/page.gguf`
  const other = await rostrum('model', 'install', 'page', '--url', address, '--sha256', 'a'.repeat(64))
  assert.notEqual(other.code, 0)
  assert.match(other.err, /checksum|sha256/iu)
  const none = await rostrum('model', 'install', 'page', '--url', address, '--sha256', sum(page))
  assert.notEqual(none.code, 0)
  assert.match(none.err, /no model in GGUF/)
  assert.match((await rostrum('model', 'try', 'page')).err, /There is no file/)
  assert.ok(!here().includes('page'))
})

test('every known model has one address, a licence, a size and a checksum', () => {
  for (const { url, licence, sizeBytes, sha256 } of tables.models) {
    assert.match(url, /^https:\/\/[\w./-]+\/resolve\/[\da-f]{40}\/[\w.-]+\.gguf$/)
    assert.ok(licence !== '' && sizeBytes > 1e8)
    assert.match(sha256, /^[\da-f]{64}$/)
  }
})
