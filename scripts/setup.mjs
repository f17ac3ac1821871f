// Prepares a clone for `npm start`, `npm test` and `npm run check`: packages, the web build and, for the tests, a browser.
// It has no dependencies and runs on Node.js 20, because it is what fetches the pinned one. Nothing is done twice.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const node = join(root, 'node_modules/.bin/node')
const oldestNode = [24, 7]
const [mode = 'start'] = process.argv.slice(2)

await installPackages()
linkNode()
await ensureNodeRuns()
if (mode !== 'check') await buildWeb()
if (mode !== 'check') await bundleServer()
if (mode === 'test') await ensureChromium()
if (mode === 'test') await addModelEngine()

async function installPackages() {
  const stamp = join(root, 'node_modules/.rostrum-lock')
  const lock = join(root, 'package-lock.json')
  const hash = hashOf([lock])
  const had = readIfThere(stamp)
  // Who only serves needs no tools of the tests; who has them keeps them.
  const isWhole = mode !== 'start' || (had !== undefined && !had.endsWith(' production'))
  if (had === hash || (had === `${hash} production` && !isWhole)) return
  // Installed by hand since the lock was written: that is as good.
  const installed = join(root, 'node_modules/.package-lock.json')
  const isFresh = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs
  // Not `npm ci`: it refuses a lock that lacks optional packages of other platforms, which is what a mirror without them
  // writes. What the lock names is installed at its version and checked by its hash all the same.
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...(isWhole ? [] : ['--omit=dev'])]
  const words = isWhole
    ? 'Installing packages and the tools of the tests (once; 900 MB on the disk, and 243 MB for the program that draws presentations)'
    : 'Installing packages (once; 530 MB on the disk) and the program that draws presentations (80 MB to fetch, 243 MB on the disk)'
  if (!isFresh || had !== undefined) await step(words, 'npm', ['install', ...options])
  writeFileSync(stamp, isWhole || (isFresh && had === undefined) ? hash : `${hash} production`)
}

/** Where no package carries Node.js for this platform, the one that runs this is used, if it is young enough. */
function linkNode() {
  if (existsSync(node)) return
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    stop(
      `This platform (${process.platform}-${process.arch}) needs Node.js ${oldestNode.join('.')} or later on the PATH; this is ${process.version}.`,
    )
  }
  mkdirSync(dirname(node), { recursive: true })
  symlinkSync(process.execPath, node)
}

/** The pinned Node.js needs a library that a slim image of Debian or Ubuntu leaves out. */
async function ensureNodeRuns() {
  const { status, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  if (status === 0) return
  if (!stderr?.includes('libatomic.so.1')) stop(`Node.js of this project does not run: ${stderr?.trim() || 'it ended without a word'}`)
  if (!isDebianRoot())
    stop(
      'Node.js needs the library libatomic.so.1. Install it (Debian, Ubuntu: apt-get install libatomic1; Fedora: dnf install libatomic).',
    )
  await installPackage('libatomic1', 'the library libatomic, which Node.js needs')
}

async function buildWeb() {
  const script = join(root, 'web/build.mjs')
  if (!existsSync(script)) return
  const stamp = join(root, 'web/dist/.sources')
  const hash = hashOf([
    join(root, 'package-lock.json'),
    ...filesIn(join(root, 'client')).filter((file) => file.endsWith('.ts')),
    ...['packages', 'web/src', 'web/public', 'web/build.mjs'].flatMap((name) => filesIn(join(root, name))),
  ])
  if (readIfThere(stamp) === hash) return
  await step('Building the web pages', node, [script], join(root, 'web'))
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, hash)
}

/** `bin/rostrum` takes the bundle while no source is younger than it, so one that still holds is made young again. */
async function bundleServer() {
  const bundle = join(root, 'dist/server/main.mjs')
  const stamp = join(root, 'dist/.sources')
  const parts = ['package.json', 'package-lock.json', 'scripts/bundle.mjs', 'scripts/talk-page.ts', 'server', 'packages', 'web/src']
  const hash = hashOf(parts.flatMap((name) => filesIn(join(root, name))))
  if (readIfThere(stamp) === hash && existsSync(bundle) && existsSync(join(root, 'dist/talk.html'))) {
    const now = new Date()
    utimesSync(bundle, now, now)
    return
  }
  await step('Bundling the server', node, [join(root, 'scripts/bundle.mjs')])
  writeFileSync(stamp, hash)
}

async function ensureChromium() {
  if (findChromium() !== undefined) return
  if (!isDebianRoot()) {
    stop(
      'The browser suites need Chromium or Chrome: install one (Debian: apt-get install chromium; macOS: brew install --cask chromium), or name it in ROSTRUM_TEST_CHROMIUM.',
    )
  }
  await installPackage('chromium', 'Chromium for the browser suites')
  if (findChromium() === undefined) stop('Chromium was installed but cannot be found on the PATH: name it in ROSTRUM_TEST_CHROMIUM.')
}

/** Beside the packages, as an operator has it: nobody who only serves needs it. */
async function addModelEngine() {
  const dir = join(root, 'test/.engines')
  if (existsSync(join(dir, 'engines/llama/node_modules/node-llama-cpp/package.json'))) return
  const env = { ROSTRUM_DATA_DIR: dir }
  await step(
    'Adding the engine of language models for the tests (85 MB on the disk)',
    node,
    ['server/main.ts', 'model', 'install'],
    root,
    env,
  )
}

function isDebianRoot() {
  return existsSync('/etc/debian_version') && spawnSync('apt-get', ['--version']).status === 0 && process.getuid?.() === 0
}

async function installPackage(name, words) {
  await step('Fetching the list of packages', 'apt-get', ['update', '-qq'])
  await step(`Installing ${words}`, 'apt-get', ['install', '-y', '-qq', '--no-install-recommends', name])
}

/** Runs a command, says what it is for and that it goes on; its output is shown only when it fails. */
function step(words, command, args, cwd = root, more = {}) {
  const started = Date.now()
  const seconds = () => Math.round((Date.now() - started) / 1000)
  console.log(`${words} ...`)
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', ...more },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const timer = setInterval(() => console.log(`  still at it after ${seconds()} s`), 15_000)
  return new Promise((resolve) => {
    child.once('error', (error) => stop(`${command} cannot be run: ${error.message}`))
    child.once('close', (code) => {
      clearInterval(timer)
      if (code !== 0) stop(`${output.trim()}\n\n\`${[command, ...args].join(' ')}\` failed (${code}).`)
      console.log(`  done in ${seconds()} s`)
      resolve()
    })
  })
}

function filesIn(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)))
}

function hashOf(files) {
  const digest = createHash('sha256')
  for (const file of files) digest.update(file.slice(root.length)).update('\0').update(readFileSync(file))
  return digest.digest('hex')
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function stop(words) {
  console.error(words)
  process.exit(1)
}
