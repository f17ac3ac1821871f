// Every regular expression of the sources: the literals as they stand, and those that the program puts together.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

const root = join(import.meta.dirname, '../..')

export interface Pattern {
  source: string
  flags: string
  /** File and line of its first place, and how many more there are. */
  at: string
}

const sources = () =>
  globSync(['{server,packages}/**/*.ts', 'web/src/**/*.{ts,tsx}', 'client/*.ts'], { cwd: root, exclude: ['**/node_modules/**'] }).filter(
    (file) => !/\.test\.tsx?$/.test(file),
  )

/** Each different literal once. */
export function literals(): Pattern[] {
  const found = new Map<string, Pattern>()
  for (const file of sources()) {
    const text = readFileSync(join(root, file), 'utf8')
    visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }), (node) => {
      const regex = node['type'] === 'Literal' ? node['regex'] : undefined
      if (!isRecord(regex)) return
      const { pattern, flags } = regex
      const line = text.slice(0, Number(node['start'])).split('\n').length
      const pair = { source: String(pattern), flags: String(flags), at: `${file}:${line}` }
      if (!found.has(`${pair.source}/${pair.flags}`)) found.set(`${pair.source}/${pair.flags}`, pair)
    })
  }
  return [...found.values()]
}

/** Files that put a pattern together: `new RegExp(...)`. */
export function builders(): string[] {
  return sources().filter((file) => {
    let builds = false
    visit(parseAst(readFileSync(join(root, file), 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }), (node) => {
      const callee = node['callee']
      builds ||= (node['type'] === 'NewExpression' || node['type'] === 'CallExpression') && isRecord(callee) && callee['name'] === 'RegExp'
    })
    return builds
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function visit(node: unknown, see: (node: Record<string, unknown>) => void): void {
  if (Array.isArray(node)) for (const one of node) visit(one, see)
  else if (isRecord(node)) {
    see(node)
    for (const value of Object.values(node)) visit(value, see)
  }
}
