// What the sources import, types included: the order in which they can be read. For the tests that hold the house together.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export interface Import {
  from: string
  /** A file of the project, from its root; of a library its name as it is written. */
  to: string
  /** Types alone: gone when the code runs. */
  isType: boolean
  /** As it is written. */
  specifier: string
}

export const sourcesIn = (...patterns: readonly string[]): string[] =>
  globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()

const packagesFile = /^@rostrum\/([a-z]+)\/(.+)$/

function placeOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier))
  const [, name, path] = packagesFile.exec(specifier) ?? []
  return name === undefined ? specifier : `packages/${name}/${path}${specifier.endsWith('.json') ? '' : '.ts'}`
}

/** Comments that name a file are no imports: a statement begins its line. */
export function importsOf(file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8')
  const statements = source.matchAll(/(?:^(?:import|export)\s+(type\s)?[^'"]*?\bfrom\s*|\bimport\s*\(\s*|^import\s+)'([^'\n]+)'/gm)
  return [...statements].map(([, type, specifier = '']) => ({
    from: file,
    to: placeOf(file, specifier),
    isType: type !== undefined,
    specifier,
  }))
}

/** The cycles of a graph, each once, as lists of its nodes in order; those of one node left out. */
export function cyclesOf(edges: readonly { from: string; to: string }[]): string[][] {
  const targets = Map.groupBy(edges, ({ from }) => from)
  const order = new Map<string, { at: number; low: number; isOpen: boolean }>()
  const open: string[] = []
  const found: string[][] = []
  const visit = (node: string) => {
    const own = { at: order.size, low: order.size, isOpen: true }
    order.set(node, own)
    open.push(node)
    for (const { to } of targets.get(node) ?? []) {
      const known = order.get(to)
      if (known === undefined) own.low = Math.min(own.low, visit(to).low)
      else if (known.isOpen) own.low = Math.min(own.low, known.at)
    }
    if (own.low !== own.at) return own
    const ring = open.splice(open.indexOf(node))
    for (const member of ring) Object.assign(order.get(member) ?? {}, { isOpen: false })
    if (ring.length > 1) found.push(ring)
    return own
  }
  for (const node of targets.keys()) if (!order.has(node)) visit(node)
  return found
}
