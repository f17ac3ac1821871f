// The direction of imports (docs/architecture.md). Every import is counted, type-only ones included, so that the order in which the source
// can be read is the order in which it depends.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cyclesOf, importsOf, root, sourcesIn } from './support/imports.ts'

const files = sourcesIn('packages/**/*.ts', 'server/**/*.ts')
const imports = files.flatMap(importsOf).filter(({ specifier }) => !specifier.startsWith('node:'))
const own = imports.filter(({ to }) => /^(?:packages|server|web|client|test|scripts|bench)\//.test(to))

/** `packages/deck`, `server/runs`; what stands in `server` itself and its command line join everything. */
const roomOf = (file: string): string => file.split('/').slice(0, 2).join('/')
const joins = (room: string) => room.endsWith('.ts') || room === 'server/cli'
const folderOf = (file: string): string => file.split('/').slice(0, -1).join('/')

interface Manifest {
  name: string
  exports: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
const manifestOf = (path: string) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest
const packages = [...new Set(files.filter((file) => file.startsWith('packages/')).map(roomOf))].map((path) => {
  const manifest = manifestOf(path)
  return { path, name: manifest.name, needs: { ...manifest.dependencies, ...manifest.optionalDependencies } }
})
const nameOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

/** What each area of the server may import beside itself, as the picture draws it: an arrow leads to what is needed. */
const picture = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const arrows = [...picture.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from = '', to = '']) => ({
  from: `server/${from}`,
  to: `server/${to}`,
}))
/** No product, and how settings read: every area may use them. */
const ground = new Set(['server/platform', 'server/config'])
const between = own.filter(({ from, to }) => roomOf(from) !== roomOf(to) && !joins(roomOf(from)))
const written = (wrong: readonly { from: string; specifier: string }[]) => wrong.map(({ from, specifier }) => `${from} -> ${specifier}`)

test('imports are found at all', () => {
  assert.ok(files.length > 300, `only ${files.length} files`)
  assert.ok(imports.length > files.length)
  assert.ok(packages.length >= 7)
})

test('a package imports what its manifest names, and names nothing else', () => {
  for (const { path, name, needs } of packages) {
    const inside = files.filter((file) => roomOf(file) === path)
    const used = new Set(inside.flatMap(importsOf).flatMap(({ specifier }) => (/^(?:\.|node:)/.test(specifier) ? [] : [nameOf(specifier)])))
    // What is found by its name while the program runs: data, and programs that are loaded as they are needed.
    const text = inside.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
    const unused = Object.keys(needs).filter((need) => !used.has(need) && !text.includes(need.replace(/(@tesseract\.js-data\/).+/, '$1')))
    assert.deepEqual(unused, [], `${name} names what it does not import`)
    assert.deepEqual(
      [...used].filter((need) => needs[need] === undefined),
      [],
      `${name} imports what it does not name`,
    )
  }
})

test('a library has one version in all manifests', () => {
  const product = manifestOf('.')
  const named = { ...product.dependencies, ...product.optionalDependencies }
  for (const { name, needs } of packages)
    for (const [need, version] of Object.entries(needs))
      if (!need.startsWith('@rostrum/')) assert.equal(version, named[need], `${need} of ${name}`)
})

test('a package is entered by what it exports, and reaches nothing but packages', () => {
  const wrong = own.filter(({ from, to, specifier }) => {
    const [source, target] = [roomOf(from), roomOf(to)]
    if (source === target) return false
    if (!target.startsWith('packages/')) return source.startsWith('packages/')
    return specifier.startsWith('.') || manifestOf(target).exports[`.${to.slice(target.length).replace(/\.ts$/, '')}`] === undefined
  })
  assert.deepEqual(written(wrong), [])
})

test('packages need each other one way', () => {
  const edges = packages.flatMap(({ name, needs }) =>
    Object.keys(needs).flatMap((to) => (to.startsWith('@rostrum/') ? [{ from: name, to }] : [])),
  )
  assert.ok(edges.length > 5)
  assert.deepEqual(cyclesOf(edges), [])
})

test('areas of the server import as the picture draws it', () => {
  const wrong = between.filter(({ from, to }) => {
    const [source, target] = [roomOf(from), roomOf(to)]
    if (!source.startsWith('server/') || target.startsWith('packages/')) return false
    if (ground.has(source)) return source === 'server/config' || target !== 'server/config'
    return !ground.has(target) && !arrows.some((arrow) => arrow.from === source && arrow.to === target)
  })
  assert.deepEqual(written(wrong), [])
})

test('every arrow of the picture is an import, and every room is in its table', () => {
  const drawn = arrows.filter((arrow) => !between.some(({ from, to }) => roomOf(from) === arrow.from && roomOf(to) === arrow.to))
  assert.deepEqual(drawn, [])
  const rows = new Set([...picture.matchAll(/^\| `((?:packages|server)\/\w+)\/` \|/gm)].map(([, name = '']) => name))
  const rooms = [...new Set(files.map(roomOf))].filter((room) => !room.endsWith('.ts'))
  assert.deepEqual(
    rooms.filter((room) => !rows.has(room)),
    [],
  )
})

test('no room needs itself, by way of others', () => {
  assert.deepEqual(cyclesOf(between.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))), [])
})

test('no folder needs itself, by way of others', () => {
  const edges = own.map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
  const outside = new Set(['server', 'server/cli'])
  assert.deepEqual(cyclesOf(edges.filter(({ from, to }) => from !== to && !outside.has(from))), [])
})

test('no file needs itself, by way of others, types counted', () => {
  assert.deepEqual(cyclesOf(own), [])
})
