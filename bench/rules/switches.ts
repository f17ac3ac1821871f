// Puts a switch behind each rule of the ledger, in the sources as they are loaded here: at the end of a file its top-level binding is
// set to something neutral, or back to itself. The sources know nothing of it, and whoever loads them otherwise gets them as written.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Rule } from './table.ts'

type Switch = (isOff: boolean) => void

declare global {
  var rulesOfTheLedger: Map<string, Switch> | undefined
}

const packages = new URL('../../packages/', import.meta.url)

const declaration = (name: string) => new RegExp(`^(export )?(?:async )?(function\\*?|const|let) ${name}\\b`, 'm')

export const isDeclared = ({ file, binding }: Rule): boolean => declaration(binding).test(readFileSync(new URL(file, packages), 'utf8'))

/** The source with a switch for each of `rules`, all of them of this file. */
export function withSwitches(source: string, rules: readonly Rule[]): string {
  let text = source
  for (const { binding } of rules) text = text.replace(declaration(binding), (line) => line.replace(/\bconst (?=\S+$)/, 'let '))
  const switches = rules.map(
    ({ name, binding, neutral }) =>
      `{ const whole = ${binding}; globalThis.rulesOfTheLedger.set(${JSON.stringify(name)}, (isOff) => { ${binding} = isOff ? (${neutral}) : whole }) }`,
  )
  return `${text}\n${switches.join('\n')}\n`
}

/** Before anything of the packages is loaded. */
export function putSwitches(rules: readonly Rule[]): void {
  globalThis.rulesOfTheLedger = new Map()
  const byFile = Map.groupBy(rules, ({ file }) => fileURLToPath(new URL(file, packages)))
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const own = url.startsWith('file:') ? byFile.get(fileURLToPath(url)) : undefined
      if (own === undefined || loaded.source === undefined || loaded.source === null) return loaded
      const source = typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString('utf8')
      return { ...loaded, source: withSwitches(source, own) }
    },
  })
}

function switchOf(name: string): Switch {
  const found = globalThis.rulesOfTheLedger?.get(name)
  if (found === undefined) throw new Error(`The rule ${name} has no switch: its file was loaded before the ledger began, or not at all.`)
  return found
}

/** What `measure` finds while the rule does nothing. */
export async function without<T>(name: string, measure: () => Promise<T>): Promise<T> {
  const turn = switchOf(name)
  turn(true)
  try {
    return await measure()
  } finally {
    turn(false)
  }
}
