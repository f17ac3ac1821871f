// The direction of imports (docs/architecture.md). Every import is counted, type-only ones included, so
// that the order in which the source can be read is the order in which it depends.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** What each folder of `src` may import beside itself, as the picture of docs/architecture.md draws it: an arrow leads to what is needed. */
const picture = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const arrows = [...picture.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from = '', to = '']) => ({ from, to }))
const folders = [...picture.matchAll(/^\| `(\w+)\/` \|/gm)].map(([, name = '']) => name)
/** Every folder but these may import them: shapes, what is no product, and how settings read. */
const ground = ['contract', 'platform', 'config']
const mayImport: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  folders.map((folder) => [
    folder,
    folder === 'contract' || folder === 'config'
      ? []
      : folder === 'platform'
        ? ['contract', 'config']
        : [...ground, ...arrows.filter(({ from }) => from === folder).map(({ to }) => to)],
  ]),
)

/** The composition root and the command line see everything. */
const joins = new Set(['roots', 'cli'])

interface Import {
  from: string
  to: string
  /** Types alone: gone when the code runs. */
  isType: boolean
}

const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
const imports: Import[] = files.flatMap((file) => importsOf(file))

function importsOf(file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8')
  const statements = source.matchAll(/(?:^(?:import|export)\s+(type\s)?[^'"]*?\bfrom\s*|\bimport\s*\(\s*|^import\s+)'(\.{1,2}\/[^']+)'/gm)
  return [...statements].map(([, type, specifier = '']) => ({
    from: file,
    to: normalize(join(dirname(file), specifier)),
    isType: type !== undefined,
  }))
}

function folderOf(file: string): string {
  const parts = file.split('/')
  if (parts[0] !== 'src') return `${parts[0] ?? ''} (outside src)`
  return parts.length === 2 ? 'roots' : (parts[1] ?? '')
}

test('imports are found at all', () => {
  assert.ok(files.length > 50, `only ${files.length} files`)
  assert.ok(imports.length > files.length)
})

test('every folder of src is in the table', () => {
  const folders = new Set(files.map(folderOf))
  const unknown = [...folders].filter((folder) => !joins.has(folder) && mayImport[folder] === undefined)
  assert.deepEqual(unknown, [])
})

test('every arrow of the picture is an import', () => {
  const drawn = arrows.filter(({ from, to }) => !imports.some((each) => folderOf(each.from) === from && folderOf(each.to) === to))
  assert.deepEqual(drawn, [])
})

test('imports point one way', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [source, target] = [folderOf(from), folderOf(to)]
    return source !== target && !joins.has(source) && !mayImport[source]?.includes(target)
  })
  assert.deepEqual(
    wrong.map(({ from, to }) => `${from} -> ${to}`),
    [],
  )
})

test('no file needs itself to run, by way of others', () => {
  const targets = Map.groupBy(
    imports.filter(({ isType }) => !isType),
    ({ from }) => from,
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]) => {
    const at = path.indexOf(file)
    if (at !== -1) cycles.push([...path.slice(at), file].join(' -> '))
    if (at !== -1 || done.has(file)) return
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  assert.deepEqual(cycles, [])
})
