// The operator's own blocklist: one name or CIDR a line, `#` comments; names match their subdomains (Spec 6.4.2).
import { readFileSync, statSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import { addressBytes, type Cidr, cidrContains, parseCidr, unmapped } from './address.ts'

export interface LocalList {
  names: ReadonlySet<string>
  cidrs: readonly Cidr[]
  /** Numbers of lines that could not be read. */
  badLines: readonly number[]
}

export function parseLocalList(text: string): LocalList {
  const names = new Set<string>()
  const cidrs: Cidr[] = []
  const badLines: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const entry = line.replace(/#.*/, '').trim().toLowerCase().replace(/\.$/, '')
    if (entry === '') continue
    const cidr = parseCidr(entry)
    if (cidr !== undefined) cidrs.push(cidr)
    else if (/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(entry)) names.add(entry)
    else badLines.push(index + 1)
  }
  return { names, cidrs, badLines }
}

export function isOnLocalList(list: LocalList, hostname: string, addresses: readonly string[]): boolean {
  for (let name = hostname; name !== ''; name = name.includes('.') ? name.slice(name.indexOf('.') + 1) : '') {
    if (list.names.has(name)) return true
  }
  return addresses.some((address) => {
    const bytes = addressBytes(address)
    return bytes !== undefined && list.cidrs.some((cidr) => cidrContains(cidr, unmapped(bytes)))
  })
}

const checkEveryMs = 30_000

/** Reads the file now (a missing one throws) and again within a minute of a change. A file that vanished keeps its last content. */
export function watchLocalList(path: string, clock: Clock, warn: (words: string) => void): () => LocalList {
  let changedAt = statSync(path).mtimeMs
  let checkedAt = clock.now()
  let list = load()
  function load(): LocalList {
    const loaded = parseLocalList(readFileSync(path, 'utf8'))
    if (loaded.badLines.length > 0) warn(`The blocklist file has unreadable lines: ${loaded.badLines.slice(0, 20).join(', ')}.`)
    return loaded
  }
  return () => {
    if (clock.now() - checkedAt < checkEveryMs) return list
    checkedAt = clock.now()
    try {
      const mtime = statSync(path).mtimeMs
      if (mtime !== changedAt) {
        changedAt = mtime
        list = load()
      }
    } catch {
      warn('The blocklist file cannot be read; its last content stays in force.')
    }
    return list
  }
}
