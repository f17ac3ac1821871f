// Which methods an address takes, for what no route answers: 405 with `Allow`, preflights, and 404. Read only on that
// cold path, so a list of patterns serves.

export interface PathTable {
  add(method: string, honoPath: string): void
  /** The methods of every pattern that matches, sorted, with HEAD and OPTIONS; empty where nothing lives. */
  methodsOf(path: string): readonly string[]
}

export function pathTable(): PathTable {
  const entries = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  return {
    add(method, honoPath) {
      const entry = entries.get(honoPath) ?? { pattern: patternOf(honoPath), methods: new Set<string>() }
      entry.methods.add(method)
      if (method === 'GET') entry.methods.add('HEAD')
      entries.set(honoPath, entry)
    },
    methodsOf(path) {
      const methods = new Set<string>()
      for (const { pattern, methods: taken } of entries.values()) if (pattern.test(path)) for (const method of taken) methods.add(method)
      if (methods.size > 0) methods.add('OPTIONS')
      return [...methods].toSorted()
    },
  }
}

function patternOf(honoPath: string): RegExp {
  const source = honoPath
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('/')
  return new RegExp(`^${source}$`)
}

/** `/sessions/{sessionId}` as Hono writes it. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** Orders patterns so that a literal comes before a parameter and a parameter before `*`: the first that matches answers. */
export function bySpecificity(a: string, b: string): number {
  const [left, right] = [a.split('/').map(rank), b.split('/').map(rank)]
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  // The shorter first: with ties there, the order would not be one, and a sort could leave a parameter before a literal.
  return left.length - right.length
}

function rank(part: string): number {
  return part === '*' ? 2 : part.startsWith(':') ? 1 : 0
}
