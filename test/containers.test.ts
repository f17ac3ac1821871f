// The container files name only what there is: settings, files, commands. Nothing here builds an image.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../server/cli/run.ts'
import { showConfig } from '../server/config/config.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

test('every setting that the container files name exists', () => {
  const known = new Set(showConfig({}).map(({ name }) => name))
  for (const file of ['Dockerfile', 'compose.yaml']) {
    const named = [...new Set(read(file).match(/\b(?:ROSTRUM_[A-Z_]+|DATABASE_URL)\b/g) ?? [])]
    assert.ok(named.length > 1, file)
    for (const name of named) assert.ok(known.has(name), `${file}: ${name}`)
  }
})

test('the image could not start: its base has no libatomic, which Node.js names', () => {
  const isNamed = readFileSync(process.execPath).includes('libatomic.so.1')
  const [, last = ''] = read('Dockerfile').split(/^FROM \$\{RUN_IMAGE\}/m)
  assert.equal(/apt-get install .*\blibatomic1\b/.test(last), isNamed)
})

test('a tag that moves changes nothing: every image is named by its digest, and by a setting', () => {
  const dockerfile = read('Dockerfile')
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name)
  assert.deepEqual(bases, ['${BUILD_IMAGE}', '${RUN_IMAGE}'])
  const defaults = [...dockerfile.matchAll(/^ARG [A-Z]+_IMAGE=(\S+)$/gm)].map(([, name = '']) => name)
  assert.equal(defaults.length, 2)
  for (const name of defaults) assert.match(name, /^[a-z]+:[a-z\d-]+@sha256:[\da-f]{64}$/)
  const images = [...read('compose.yaml').matchAll(/^ +image: (\S+)$/gm)].map(([, name = '']) => name)
  assert.equal(images.length, 3)
  for (const name of images) assert.match(name, /^(?:rostrum|\$\{[A-Z]+_IMAGE:-[a-z]+:\d+@sha256:[\da-f]{64}\})$/)
})

test('every process of the compose file has a bound of memory, as the chart says it: none had', () => {
  const [, services = ''] = read('compose.yaml').split(/^services:$/m)
  const [, ...each] = services.split(/^volumes:$/m)[0]?.split(/^ {2}(?=[a-z]+:$)/m) ?? []
  const bounds = each.map((service) => [
    /^[a-z]+/.exec(service)?.[0],
    /^ {4}mem_limit: \$\{[A-Z]+_MEMORY:-(\d+[mg])\}$/m.exec(service)?.[1],
  ])
  assert.deepEqual(Object.fromEntries(bounds), { postgres: '2g', web: '1g', worker: '4g', balancer: '512m' })
  assert.deepEqual(
    [...read('deploy/helm/rostrum/values.yaml').matchAll(/^ {4}limits: \{ memory: (\d)Gi \}$/gm)].map(([, gib]) => gib),
    ['1', '4'],
  )
})

test('the image is made of what the lock names, which holds the packages of every platform: npm ci refuses one that does not', () => {
  assert.match(read('Dockerfile'), /^RUN npm ci /m)
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  const named = Object.values(packages).flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
  assert.ok(named.length > 100, `only ${named.length}`)
  const held = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)))
  assert.deepEqual(
    named.filter((name) => !held.has(name)),
    [],
  )
})

test('every file that the image copies from the project exists', () => {
  const copies = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+)$/gm)].map(([, words = '']) => words.split(' ').slice(0, -1))
  assert.ok(copies.length > 2)
  for (const path of copies.flat()) assert.ok(existsSync(join(root, path)), path)
})

test('the processes of the compose file are started with options that `serve` has', () => {
  const serve = commands.find(({ name }) => name === 'serve')
  const lines = [...read('compose.yaml').matchAll(/command: \[serve, (.+)\]/g)].map(([, words = '']) => words.split(', '))
  assert.equal(lines.length, 2)
  for (const [option = '', role = ''] of lines) {
    assert.ok(serve?.options?.[option.replace('--', '')], option)
    assert.ok(['web', 'worker'].includes(role), role)
  }
})
