// A small XML reader for the parts of an Office file: elements, attributes and text. No DTD, no entities but the five of
// XML 1.0, no external references, bounded depth and size; what it does not know it refuses.
import { DocumentError } from '../render/protocol.ts'

export interface Element {
  /** Without its prefix. */
  name: string
  /** By name without prefix, but `r:id` style names are kept whole too. */
  attributes: Readonly<Record<string, string>>
  children: Element[]
  /** Text directly inside. */
  text: string
}

const depthMax = 64
const elementsMax = 200_000
const lengthMax = 16 * 1024 * 1024
const entities: ReadonlyMap<string, string> = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }))
const damaged = () => new DocumentError('The file is damaged: a part of it is not valid XML.')

/** The root element. Throws `DocumentError`. */
export function parseXml(source: string): Element {
  if (source.length > lengthMax) throw new DocumentError('A part of the file is larger than 16 MiB.')
  const root = element('', {})
  const open: Element[] = [root]
  let count = 0
  let at = source.codePointAt(0) === 0xfeff ? 1 : 0
  while (at < source.length) {
    const next = source.indexOf('<', at)
    const parent = open.at(-1) ?? root
    if (next !== at) parent.text += decode(source.slice(at, next < 0 ? source.length : next))
    if (next < 0) break
    if (source.startsWith('<!--', next)) at = after(source, '-->', next + 4)
    else if (source.startsWith('<?', next)) at = after(source, '?>', next + 2)
    else if (source.startsWith('<![CDATA[', next)) {
      at = after(source, ']]>', next + 9)
      parent.text += source.slice(next + 9, at - 3)
    } else if (source.startsWith('<!', next)) throw damaged()
    else if (source.startsWith('</', next)) {
      at = after(source, '>', next + 2)
      if (open.length < 2 || localName(source.slice(next + 2, at - 1).trim()) !== parent.name) throw damaged()
      open.pop()
    } else {
      const tag = readTag(source, next + 1)
      at = tag.end
      if (++count > elementsMax || open.length > depthMax)
        throw new DocumentError('A part of the file is nested or repeated beyond reason.')
      parent.children.push(tag.element)
      if (!tag.isEmpty) open.push(tag.element)
    }
  }
  const [only] = root.children
  if (open.length !== 1 || only === undefined || root.children.length !== 1) throw damaged()
  return only
}

function element(name: string, attributes: Record<string, string>): Element {
  return { name, attributes, children: [], text: '' }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function after(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  if (at < 0) throw damaged()
  return at + mark.length
}

const namePattern = /[^\s/>=<"']+/y
const attributePattern = /\s+([^\s/>=<"']+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y

function readTag(source: string, from: number): { element: Element; isEmpty: boolean; end: number } {
  namePattern.lastIndex = from
  const name = namePattern.exec(source)?.[0]
  if (name === undefined) throw damaged()
  const attributes: Record<string, string> = {}
  let at = from + name.length
  for (;;) {
    attributePattern.lastIndex = at
    const found = attributePattern.exec(source)
    if (found === null) break
    const [whole, key = '', double, single] = found
    const value = decode(double ?? single ?? '')
    attributes[key] = value
    if (!key.startsWith('xmlns')) attributes[localName(key)] ??= value
    at += whole.length
  }
  while (/\s/.test(source.charAt(at))) at++
  const isEmpty = source.charAt(at) === '/'
  if (source.charAt(isEmpty ? at + 1 : at) !== '>') throw damaged()
  return { element: element(localName(name), attributes), isEmpty, end: at + (isEmpty ? 2 : 1) }
}

function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([^;&]{0,10});?/g, (whole, name: string) => {
    if (!whole.endsWith(';')) throw damaged()
    const number = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name)
    const point = number === null ? undefined : Number.parseInt(number[1] ?? number[2] ?? '', number[1] === undefined ? 10 : 16)
    if (point !== undefined && point <= 0x10ffff && point > 0) return String.fromCodePoint(point)
    const known = entities.get(name)
    if (known === undefined) throw damaged()
    return known
  })
}

/** The first child of that name, at the end of a path of names. */
export function child(parent: Element | undefined, ...path: string[]): Element | undefined {
  let found = parent
  for (const name of path) found = found?.children.find((each) => each.name === name)
  return found
}

/** Every descendant of that name, in document order. */
export function descendants(parent: Element, name: string): Element[] {
  return parent.children.flatMap((each) => (each.name === name ? [each, ...descendants(each, name)] : descendants(each, name)))
}
