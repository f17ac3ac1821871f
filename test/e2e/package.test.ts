// The package that `npm pack` makes, as a newcomer has it: installed into an empty directory, nothing of this repository beside it.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../support/clock.ts'
import { buildPdf } from '../support/documents.ts'
import { freePort } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
/** Of whoever installs it: without the programs of this repository. */
const path = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((place) => !place.includes('node_modules'))
  .join(delimiter)

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-package-'))
  const home = join(folder, 'empty')
  // The cache of npm is the user's; nothing else of this process is handed on.
  const env = { PATH: path, HOME: process.env['HOME'] ?? folder, ROSTRUM_LOG: 'warn', ROSTRUM_RATE_API: '100000/1m', ROSTRUM_PORT: '' }
  let files: string[] = []

  before(async () => {
    mkdirSync(home)
    // What set-up made for these suites is what is packed.
    const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root, env })
    // npm's own words; a list, or from npm 12 on an object by the name of the package.
    const [told] = Object.values(JSON.parse(packed.stdout) as Record<string, { filename: string; size: number; files: { path: string }[] }>)
    assert.ok(told)
    assert.ok(told.size < 5_000_000, `${told.size} bytes`)
    files = told.files.map((file) => file.path)
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...options, join(folder, told.filename)], { cwd: home, env })
    env.ROSTRUM_PORT = String(await freePort())
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('holds what runs, and neither sources nor tests', () => {
    for (const needed of [
      'bin/rostrum',
      'dist/server/main.mjs',
      'dist/server/reader.mjs',
      'web/dist/server/render.js',
      'packages/languages/words/en.json',
    ])
      assert.ok(files.includes(needed), needed)
    assert.deepEqual(
      files.filter((file) => /\.tsx?$|^(test|bench|docs|scripts)\/|(^|\/)\.|\.map$/.test(file)),
      ['server/docs/text/follow-talk.ts', 'server/docs/text/verify-webhook.ts'],
    )
    for (const tool of ['typescript', 'vite', 'playwright-core']) assert.ok(!readdirSync(join(home, 'node_modules')).includes(tool), tool)
  })

  test('presents a PDF by `npx rostrum deck.pdf`, and answers from it', async () => {
    const lines = ['Quiet pumps', 'The housing has two shells that do not touch.', 'The warranty of a pump is eleven years.']
    writeFileSync(join(home, 'quiet-pumps.pdf'), buildPdf([{ lines }, { lines: ['What it costs', 'A small pump costs 900 EUR.'] }]))
    // npx starts a shell that starts the service: the whole group is told to end.
    const started = spawn('npx', ['rostrum', 'quiet-pumps.pdf', '--json'], {
      cwd: home,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise<void>((resolve) => started.once('close', () => resolve()))
    let said = ''
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    try {
      const base = `http://localhost:${env.ROSTRUM_PORT}`
      await eventually(async () => (await fetch(`${base}/readyz`).catch(() => undefined))?.ok === true || started.exitCode !== null)
      assert.equal(started.exitCode, null, said)
      const { stdout: key } = await run('npx', ['rostrum', 'key', 'create', '--name', 'newcomer'], { cwd: home, env })
      const call = async (address: string, body?: object) => {
        const headers = { Authorization: `Bearer ${key.trim()}`, 'Content-Type': 'application/json' }
        const response = await fetch(`${base}/api/v1/${address}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
        assert.ok(response.ok, said)
        // Each member is checked where it is used.
        return (await response.json()) as Record<string, unknown>
      }
      const { sessions } = await call('agent/sessions')
      const [talk, welcome] = sessions as { sessionId: string; shareLink: string }[]
      assert.match(welcome?.shareLink ?? '', /\/join\/welcome$/)
      await eventually(
        async () => !['pending', 'processing'].includes((await call(`agent/sessions/${talk?.sessionId}/deck`))['state'] as string),
      )
      const deck = await call(`agent/sessions/${talk?.sessionId}/deck`)
      assert.deepEqual([deck['state'], (deck['slides'] as object[]).length], ['ready', 2], JSON.stringify(deck['warnings']))
      const { reply } = await call('pap/query', { sessionId: talk?.sessionId, message: 'How long is the warranty of a pump?' })
      assert.match(reply as string, /eleven years/)
      const room = await fetch(talk?.shareLink ?? '')
      assert.match(await room.text(), /<script[^>]+src="\/assets\//, 'the room is drawn by the web that comes along')
    } finally {
      if (started.pid !== undefined && started.exitCode === null) process.kill(-started.pid, 'SIGTERM')
      await ended
    }
  })
})

test('before its first answer the service loads no library but these', () => {
  const bundle = join(root, 'dist/server')
  const imports = (file: string, pattern: RegExp) =>
    [...readFileSync(join(bundle, file), 'utf8').matchAll(pattern)].map(([, id = '']) => id)
  const chunk = (id: string) => (id.startsWith('./') ? [id.slice(2)] : [])
  // What is loaded as it goes: the command line, its command, the log, the service and its surfaces.
  const [commandLine] = imports('main.mjs', /import\("(.+?)"\)/g).flatMap(chunk)
  assert.ok(commandLine)
  const onTheWay = readdirSync(bundle).filter((name) => /^(serve|tools|app|surfaces)-/.test(name))
  const loaded = new Set(['main.mjs', commandLine, ...onTheWay])
  const libraries = new Set<string>()
  for (const file of loaded) {
    for (const id of imports(file, /^import (?:.+ from )?"(.+)";$/gm))
      if (id.startsWith('./')) loaded.add(id.slice(2))
      else libraries.add(id)
  }
  assert.deepEqual([...libraries].sort(), ['franc-min', 'stemmer'], 'beside those that are bundled')
  assert.ok(loaded.size <= 50, `${loaded.size} files`)
})

test('where no Node.js fits, the command says which is needed and how to have it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-launcher-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['bin', 'tools']) mkdirSync(join(folder, name))
  copyFileSync(join(root, 'bin/rostrum'), join(folder, 'bin/rostrum'))
  const wordsWith = async (node: string): Promise<string> => {
    writeFileSync(join(folder, 'tools/node'), `#!/bin/sh\n${node}\n`)
    chmodSync(join(folder, 'tools/node'), 0o755)
    const refusal: unknown = await run(join(folder, 'bin/rostrum'), ['version'], {
      env: { PATH: `${join(folder, 'tools')}:${path}` },
    }).catch((error: unknown) => error)
    return refusal instanceof Error && 'stderr' in refusal ? String(refusal.stderr) : 'it went on'
  }
  assert.match(await wordsWith('echo v20.20.2'), /needs Node\.js 24\.7 or later; here is v20\.20\.2\.\n.+--omit=optional/)
  assert.match(await wordsWith('echo "libatomic.so.1: cannot open shared object file" >&2; exit 127'), /apt-get install libatomic1/)
  assert.equal(await wordsWith('if [ "$1" = --version ]; then echo v24.7.0; fi'), 'it went on')
})
