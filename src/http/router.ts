// Finds what answers an address: a tree of path segments, built once. At every level a literal is tried before a parameter and a
// parameter before `*`, and an address whose more literal pattern does not take the method falls through to the next.

export interface Found<T> {
  value: T
  /** The parts of the path that the pattern names, decoded. */
  params: Readonly<Record<string, string>>
}

export interface Router<T> {
  /** `/join/:slug`, `/dashboard/*`; the method `ALL` takes every method. The first of two equal patterns answers. */
  add(method: string, pattern: string, value: T): void
  /** HEAD is answered by what takes GET. */
  find(method: string, path: string): Found<T> | undefined
  /** The methods of every pattern that matches, sorted, with HEAD and OPTIONS; empty where nothing lives. */
  methodsOf(path: string): readonly string[]
}

interface Leaf<T> {
  value: T
  names: readonly string[]
}

interface Node<T> {
  literals: Map<string, Node<T>>
  parameter: Node<T> | undefined
  /** By method: of the pattern that ends here, and of one that goes on with `*`. */
  ends: Map<string, Leaf<T>>
  rest: Map<string, Leaf<T>>
}

const node = <T>(): Node<T> => ({ literals: new Map(), parameter: undefined, ends: new Map(), rest: new Map() })
const noParams: Readonly<Record<string, string>> = {}

export function createRouter<T>(): Router<T> {
  const root = node<T>()

  /** Calls `take` with the leaves of every pattern that matches, the most literal first, until it returns true. */
  function walk(at: Node<T>, parts: readonly string[], depth: number, values: string[], take: Take<T>): boolean {
    const part = parts[depth]
    if (part === undefined) return at.ends.size > 0 && take(at.ends, values)
    const literal = at.literals.get(part)
    if (literal !== undefined && walk(literal, parts, depth + 1, values, take)) return true
    if (at.parameter !== undefined && part !== '') {
      values.push(part)
      if (walk(at.parameter, parts, depth + 1, values, take)) return true
      values.pop()
    }
    return at.rest.size > 0 && take(at.rest, values)
  }

  return {
    add(method, pattern, value) {
      const names: string[] = []
      let at = root
      for (const part of partsOf(pattern)) {
        if (part === '*') {
          keep(at.rest, method, { value, names })
          return
        }
        if (part.startsWith(':')) {
          names.push(part.slice(1))
          at = at.parameter ??= node()
        } else {
          const next = at.literals.get(part) ?? node<T>()
          at.literals.set(part, next)
          at = next
        }
      }
      keep(at.ends, method, { value, names })
    },
    find(method, path) {
      let found: Found<T> | undefined
      walk(root, decodedParts(path), 0, [], (leaves, values) => {
        const leaf = leaves.get(method) ?? (method === 'HEAD' ? leaves.get('GET') : undefined) ?? leaves.get('ALL')
        if (leaf === undefined) return false
        found = { value: leaf.value, params: paramsOf(leaf.names, values) }
        return true
      })
      return found
    },
    methodsOf(path) {
      const methods = new Set<string>()
      walk(root, decodedParts(path), 0, [], (leaves) => {
        for (const method of leaves.keys()) if (method !== 'ALL') methods.add(method)
        return false
      })
      if (methods.has('GET')) methods.add('HEAD')
      if (methods.size > 0) methods.add('OPTIONS')
      return [...methods].toSorted()
    },
  }
}

type Take<T> = (leaves: ReadonlyMap<string, Leaf<T>>, values: readonly string[]) => boolean

function keep<T>(leaves: Map<string, Leaf<T>>, method: string, leaf: Leaf<T>): void {
  if (!leaves.has(method)) leaves.set(method, leaf)
}

const partsOf = (path: string): string[] => path.slice(1).split('/')

/** Decoded after the split, so that `%2F` never makes a part of its own. */
function decodedParts(path: string): readonly string[] {
  const parts = partsOf(path)
  return path.includes('%') ? parts.map(decoded) : parts
}

/** What is no valid encoding, or holds U+0000, which no store takes, stays as it came: no pattern and no id looks like that. */
function decoded(part: string): string {
  try {
    const text = decodeURIComponent(part)
    return text.includes('\0') ? part : text
  } catch {
    return part
  }
}

function paramsOf(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return noParams
  const params: Record<string, string> = {}
  names.forEach((name, at) => void (params[name] = values[at] ?? ''))
  return params
}

/** `/sessions/{sessionId}` as a pattern. */
export function patternOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}
