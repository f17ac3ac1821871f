// The XML of an Office file as a tree of elements, attributes and text. No DTD, so no entities but the five of XML 1.0 and nothing
// from outside; bounded depth and size.
import { SaxesParser } from 'saxes'
import { DocumentError } from '../render/protocol.ts'

export interface Element {
  /** Without its prefix. */
  name: string
  /** By name with and without prefix. */
  attributes: Readonly<Record<string, string>>
  children: Element[]
  /** Text directly inside. */
  text: string
  /** Text and elements in the order of the file; of formats that mix them. */
  content: (Element | string)[]
}

const depthMax = 128
const elementsMax = 200_000
const lengthMax = 16 * 1024 * 1024
const damaged = () => new DocumentError('The file is damaged: a part of it is not valid XML.')

/** The root element. Throws `DocumentError`. */
export function parseXml(source: string): Element {
  if (source.length > lengthMax) throw new DocumentError('A part of the file is larger than 16 MiB.')
  const root = element('', {})
  const open: Element[] = [root]
  let count = 0
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false })
  const addText = (text: string) => {
    const parent = open.at(-1) ?? root
    parent.text += text
    parent.content.push(text)
  }
  parser.on('error', () => {
    throw damaged()
  })
  parser.on('doctype', () => {
    throw damaged()
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('opentag', (tag) => {
    if (++count > elementsMax || open.length > depthMax) throw new DocumentError('A part of the file is nested or repeated beyond reason.')
    const opened = element(localName(tag.name), namesOf(tag.attributes))
    const parent = open.at(-1) ?? root
    parent.children.push(opened)
    parent.content.push(opened)
    open.push(opened)
  })
  parser.on('closetag', () => void open.pop())
  parser.write(source).close()
  const [only] = root.children
  if (only === undefined) throw damaged()
  return only
}

function element(name: string, attributes: Record<string, string>): Element {
  return { name, attributes, children: [], text: '', content: [] }
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
export function decodeXml(bytes: Uint8Array): string {
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
