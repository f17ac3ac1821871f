// The parts of an Office package (ECMA-376 part 2): XML by name, and what a part refers to. Nothing outside of the file is opened.
import { posix } from 'node:path'
import { decodeXml, type Element, parseXml } from './xml.ts'
import type { Zip } from './zip.ts'

export interface Relation {
  /** The last word of its type: `slide`, `notesSlide`, `chart`. */
  type: string
  /** A part of the package; of a link an address. */
  target: string
  isExternal: boolean
}

export interface Package {
  zip: Zip
  /** Undefined where it is missing. Throws `DocumentError`. */
  part(name: string): Promise<Element | undefined>
  /** The same, kept: what many slides share. */
  shared(name: string): Promise<Element | undefined>
  relations(part: string): Promise<ReadonlyMap<string, Relation>>
}

/** Layouts and masters of one deck. */
const sharedMax = 64

export function openPackage(zip: Zip): Package {
  const kept = new Map<string, Promise<Element | undefined>>()
  async function part(name: string): Promise<Element | undefined> {
    const bytes = await zip.read(name)
    return bytes && parseXml(decodeXml(bytes))
  }
  return {
    zip,
    part,
    shared(name) {
      const known = kept.get(name)
      if (known !== undefined) return known
      const read = part(name)
      if (kept.size < sharedMax) kept.set(name, read)
      return read
    },
    async relations(name) {
      const folder = posix.dirname(name)
      const file = await part(`${folder}/_rels/${posix.basename(name)}.rels`)
      const relations = new Map<string, Relation>()
      for (const { attributes } of file?.children ?? []) {
        const isExternal = attributes['TargetMode'] === 'External'
        const target = attributes['Target'] ?? ''
        const path = target.startsWith('/') ? posix.normalize(target.slice(1)) : posix.normalize(posix.join(folder, target))
        const type = attributes['Type'] ?? ''
        relations.set(attributes['Id'] ?? '', {
          type: type.slice(type.lastIndexOf('/') + 1),
          target: isExternal ? target : path,
          isExternal,
        })
      }
      return relations
    },
  }
}

/** The first part of that type that a part refers to. */
export function targetOf(relations: ReadonlyMap<string, Relation>, type: string): string | undefined {
  return [...relations.values()].find((relation) => relation.type === type && !relation.isExternal)?.target
}
