// Reads a zip as a hostile file: only what the central directory names, each entry inflated within a budget that is counted
// on the bytes that come out, because declared sizes lie.
import { posix } from 'node:path'
import { zipSync } from 'fflate'
import { SaxesParser } from 'saxes'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { DocumentError } from '../protocol.ts'

export interface Zip {
  names: ReadonlySet<string>
  /** Undefined where there is no such entry. Throws `DocumentError` when a budget is exceeded or the data is damaged. */
  read(name: string): Promise<Uint8Array | undefined>
}

const entriesMax = 5_000
const entryMaxBytes = 64 * 1024 * 1024
const totalMaxBytes = 300 * 1024 * 1024
const ratioMax = 200
const ratioFromBytes = 1024 * 1024

export const protectedWords = 'The file is protected by a password. Save it without one and send it again.'
const damaged = () => new DocumentError('The file is damaged: its archive cannot be read.')
const tooLarge = () => new DocumentError('The file unpacks to more than the limit of 300 MiB.')

export async function openZip(bytes: Uint8Array): Promise<Zip> {
  const { file, entries } = await readDirectory(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  let leftBytes = totalMaxBytes
  // A part counts once, however many slides share it.
  const counted = new Set<string>()
  return {
    names: new Set(entries.keys()),
    async read(name) {
      const entry = entries.get(name)
      if (entry === undefined) return undefined
      const isCounted = counted.has(name)
      const unpacked = await unpack(file, entry, isCounted ? entryMaxBytes : leftBytes)
      if (!isCounted) leftBytes -= unpacked.length
      counted.add(name)
      return unpacked
    },
  }
}

async function readDirectory(bytes: Buffer): Promise<{ file: ZipFile; entries: Map<string, Entry> }> {
  const entries = new Map<string, Entry>()
  try {
    // Its check of sizes believes what is declared; names that climb out it refuses by itself.
    const file = await fromBufferPromise(bytes, { validateEntrySizes: false })
    if (file.entryCount > entriesMax) throw new DocumentError(`The file holds ${file.entryCount} parts; the limit is ${entriesMax}.`)
    for await (const entry of file.eachEntry()) {
      if (entry.isEncrypted()) throw new DocumentError(protectedWords)
      if (/^[a-z]:/i.test(entry.fileName) || entries.has(entry.fileName)) throw damaged()
      entries.set(entry.fileName, entry)
    }
    return { file, entries }
  } catch (error) {
    throw error instanceof DocumentError ? error : damaged()
  }
}

async function unpack(file: ZipFile, entry: Entry, leftBytes: number): Promise<Uint8Array> {
  const budget = Math.min(entryMaxBytes, leftBytes, Math.max(ratioFromBytes, entry.compressedSize * ratioMax))
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of await file.openReadStreamPromise(entry)) {
      if (!Buffer.isBuffer(chunk)) throw damaged()
      length += chunk.length
      if (length > budget) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof DocumentError ? error : damaged()
  }
  return Buffer.concat(chunks)
}

// The XML of an Office file as a tree of elements, attributes and text. No DTD, so no entities but the five of XML 1.0 and nothing
// from outside; bounded depth and size.

export interface Element {
  /** Without its prefix. */
  name: string
  /** By name with and without prefix. */
  attributes: Readonly<Record<string, string>>
  children: Element[]
  /** Text directly inside. */
  text: string
}

const depthMax = 128
const elementsMax = 200_000
const lengthMax = 16 * 1024 * 1024
const badXml = () => new DocumentError('The file is damaged: a part of it is not valid XML.')

/** The root element. Throws `DocumentError`. */
function parseXml(source: string): Element {
  if (source.length > lengthMax) throw new DocumentError('A part of the file is larger than 16 MiB.')
  const root = element('', {})
  const open: Element[] = [root]
  let count = 0
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false })
  const addText = (text: string) => void ((open.at(-1) ?? root).text += text)
  parser.on('error', () => {
    throw badXml()
  })
  parser.on('doctype', () => {
    throw badXml()
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('opentag', (tag) => {
    if (++count > elementsMax || open.length > depthMax) throw new DocumentError('A part of the file is nested or repeated beyond reason.')
    const opened = element(localName(tag.name), namesOf(tag.attributes))
    const parent = open.at(-1) ?? root
    parent.children.push(opened)
    open.push(opened)
  })
  parser.on('closetag', () => void open.pop())
  parser.write(source).close()
  const [only] = root.children
  if (only === undefined) throw badXml()
  return only
}

function element(name: string, attributes: Record<string, string>): Element {
  return { name, attributes, children: [], text: '' }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function namesOf(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const named: Record<string, string> = { ...attributes }
  for (const [name, value] of Object.entries(attributes)) if (!name.startsWith('xmlns')) named[localName(name)] ??= value
  return named
}

/** UTF-8, or UTF-16 with a byte order mark. */
function decodeXml(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}

/** The first child of that name, at the end of a path of names. */
export function child(parent: Element | undefined, ...path: string[]): Element | undefined {
  let found = parent
  for (const name of path) found = found?.children.find((each) => each.name === name)
  return found
}

/** The children of that name. */
export function children(parent: Element | undefined, name: string): Element[] {
  return parent?.children.filter((each) => each.name === name) ?? []
}

/** Every descendant of that name, in document order. */
export function descendants(parent: Element | undefined, name: string): Element[] {
  return (parent?.children ?? []).flatMap((each) => (each.name === name ? [each, ...descendants(each, name)] : descendants(each, name)))
}

// The parts of an Office package (ECMA-376 part 2): XML by name, and what a part refers to. Nothing outside of the file is opened.

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
  /** The same; what is damaged, or named by nothing, is missing too: a chart or a picture costs itself alone. */
  optional(name: string | undefined): Promise<Element | undefined>
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
    async optional(name) {
      try {
        return name === undefined ? undefined : await part(name)
      } catch (error) {
        if (error instanceof DocumentError) return undefined
        throw error
      }
    },
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

// Soft edges cost the program that draws presentations a thread, a fifth of a second and 20 MB each, and it gives back little of that
// before a deck is done. Where a deck has many, it draws a copy whose shadows are hard, and which has no glow and no soft edges: next to
// nobody sees the difference. The file itself is read as it is.

/** Soft edges drawn as they are: some two seconds. */
const drawnMax = 8

const blur = /(\bblurRad="|<[a-z]\w{0,8}:(?:softEdge|glow) rad=")[1-9]\d{0,11}"/g
const styled = /\beffectRef idx="([1-3])"/g
const drawn = /^ppt\/(?:slides|slideLayouts|slideMasters|diagrams|charts|drawings|theme)\/[^/]+\.xml$/

/** The file itself where it has few, or cannot be read. */
export async function withoutCostlyBlur(file: Uint8Array): Promise<Uint8Array> {
  try {
    const zip = await openZip(file)
    const parts = new Map<string, Uint8Array>()
    const texts = new Map<string, string>()
    for (const name of zip.names) {
      const bytes = await zip.read(name)
      if (bytes === undefined) continue
      parts.set(name, bytes)
      if (drawn.test(name)) texts.set(name, Buffer.from(bytes).toString())
    }
    if (countBlurs(texts) <= drawnMax) return file
    for (const [name, text] of texts) parts.set(name, Buffer.from(text.replace(blur, '$10"')))
    return zipSync(Object.fromEntries(parts), { level: 0 })
  } catch (error) {
    if (error instanceof DocumentError) return file
    throw error
  }
}

function countBlurs(texts: ReadonlyMap<string, string>): number {
  const inFolder = (folder: string) => [...texts].filter(([name]) => name.startsWith(`ppt/${folder}/`)).map(([, text]) => text)
  const styles = inFolder('theme').map((text) => text.split('effectStyle>').filter((_, at) => at % 2 === 1))
  const isSoft = (index: number) => styles.some((of) => (of[index - 1] ?? '').search(blur) >= 0)
  const count = (text: string) =>
    [...text.matchAll(blur)].length + [...text.matchAll(styled)].filter((one) => isSoft(Number(one[1]))).length
  const sum = (...folders: string[]) => folders.flatMap(inFolder).reduce((all, text) => all + count(text), 0)
  const slides = inFolder('slides').length
  // Every slide shows its master, and of the layouts one.
  const layouts = Math.max(1, inFolder('slideLayouts').length)
  return sum('slides', 'diagrams', 'charts', 'drawings') + slides * (sum('slideMasters') + sum('slideLayouts') / layouts)
}
