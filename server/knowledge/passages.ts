// Sections of a document as passages of knowledge: each under its heading, cut at the ends of paragraphs, then lines, sentences and
// words. Pure; nothing of the text is lost.
import { limits } from '@rostrum/contract/fields'
import type { NewPassage } from '@rostrum/contract/new-content'

/** Tried in order: small passages are quoted and edited best, large ones fit a long document into the number there may be. */
const targets = [
  { max: 4_000, joins: false },
  { max: 12_000, joins: true },
  { max: limits.passage, joins: true },
] as const

/** A file of text as it came, or what was read of another. */
export type KnowledgePart = { name: string; bytes: Uint8Array } | { sections: readonly Section[] }

/** The passages of all files, at most `room`; in words why there are none. */
export function passagesIn(parts: readonly KnowledgePart[], room: number): NewPassage[] | 'no text' | 'no room' {
  const read = parts.map((part) => ('sections' in part ? part.sections : sectionsOf(new TextDecoder().decode(part.bytes), part.name)))
  if (read.some((sections) => sections.length === 0)) return 'no text'
  return (room > 0 ? splitPassages(read.flat(), room) : null) ?? 'no room'
}

/** At most `room` passages; null where the sections do not fit. */
export function splitPassages(sections: readonly Section[], room: number): NewPassage[] | null {
  for (const { max, joins } of targets) {
    const cut = sections.flatMap((section) => passagesOf(section, max))
    const passages = joins ? joined(cut, max) : cut
    if (passages.length <= room) return passages
  }
  return null
}

function passagesOf({ title, text }: Section, max: number): NewPassage[] {
  const parts = cutText(text, max)
  return parts.map((content, index) => ({ content, ...titled(parts.length > 1 ? `${title} (${index + 1})` : title) }))
}

function titled(title: string): { title?: string } {
  const kept = title.trim().slice(0, limits.title).toWellFormed()
  return kept === '' ? {} : { title: kept }
}

/** Neighbours in one, as long as they fit; the headings of the later ones stay in the text. */
function joined(passages: readonly NewPassage[], max: number): NewPassage[] {
  const kept: NewPassage[] = []
  for (const passage of passages) {
    const last = kept.at(-1)
    const added = [...(passage.title === undefined ? [] : [passage.title]), passage.content].join('\n')
    if (last === undefined || last.content.length + 2 + added.length > max) kept.push(passage)
    else kept[kept.length - 1] = { ...last, content: `${last.content}\n\n${added}` }
  }
  return kept
}

const ends = ['\n\n', '\n', '. ', ' '] as const

/** Pieces of at most `max` characters, without the white space at their ends. */
export function cutText(text: string, max: number): string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest.length > max) {
    const at = placeToCut(rest, max)
    pieces.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at).trimStart()
  }
  if (rest !== '') pieces.push(rest)
  return pieces
}

/** Behind the last end of a paragraph, a line, a sentence or a word; a piece is never less than a third of what it may be. */
function placeToCut(text: string, max: number): number {
  for (const end of ends) {
    const at = text.lastIndexOf(end, max - end.length)
    if (at >= max / 3) return at + end.length
  }
  // Never between the halves of one character.
  const code = text.charCodeAt(max - 1)
  return code >= 0xd800 && code < 0xdc00 ? max - 1 : max
}

// Markdown and plain text as sections for the knowledge: one for each heading, comments and inline marks left out. Every pattern here
// is linear in the text.

/** A stretch of a document under one heading. */
export interface Section {
  title: string
  text: string
}

const heading = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const link = /!?\[([^\][]{0,300})\]\([^()\n]{0,2000}\)/g
const fenceMark = /^ {0,3}(`{3,}|~{3,})/

/** `name`: what a section is called that has no heading. A `#` inside a code fence is text. */
export function sectionsOf(given: string, name: string): Section[] {
  const { source, references } = parted(given)
  const sections: Section[] = [{ title: name, text: '' }]
  const path: string[] = []
  let lines: string[] = []
  let fence = ''
  const close = () => {
    const last = sections.at(-1)
    if (last !== undefined) last.text = plainProse(lines.join('\n'), references)
    lines = []
  }
  for (const line of source.split('\n')) {
    const mark = fenceMark.exec(line)?.[1] ?? ''
    const found = fence === '' ? heading.exec(line) : null
    if (fence === '') fence = mark
    else if (mark.startsWith(fence)) fence = ''
    if (found === null) {
      lines.push(line)
      continue
    }
    close()
    const depth = found[1]?.length ?? 1
    path.length = Math.min(path.length, depth - 1)
    path[depth - 1] = plainProse((found[2] ?? '').replace(/[ \t]#+[ \t]*$/, ''), references)
    sections.push({ title: path.filter(Boolean).slice(-2).join(': '), text: '' })
  }
  close()
  return sections.filter(({ text }) => text !== '')
}

const reference = /^ {0,3}\[([^\][\n]{1,300})\]:[ \t]{0,40}\S.*$/gm

/** Without what tells machines of the page, and without the addresses at its end; `references`: the words that they stand for. */
function parted(given: string): { source: string; references: ReadonlySet<string> } {
  const text = withoutComments(given).replaceAll(/\r\n?/g, '\n')
  const end = text.startsWith('---\n') ? text.indexOf('\n---', 3) : -1
  const body = end < 0 ? text : text.slice(end + 4)
  const references = new Set([...body.matchAll(reference)].map(([, name = '']) => name.toLowerCase()))
  return { source: body.replaceAll(reference, ''), references }
}

/** A comment is private to its writer: it never becomes something that the presenter quotes. */
function withoutComments(source: string): string {
  const kept: string[] = []
  let at = 0
  for (let open = source.indexOf('<!--'); open >= 0; open = source.indexOf('<!--', at)) {
    const end = source.indexOf('-->', open + 4)
    kept.push(source.slice(at, open))
    if (end < 0) return kept.join('')
    at = end + 3
  }
  return [...kept, source.slice(at)].join('')
}

const tag =
  /<(\/?)(p|div|br|hr|h[1-6]|ul|ol|li|table|thead|tbody|tr|td|th|pre|b|i|u|em|strong|code|a|img|span|sub|sup|center|details|summary)(?:[\s/][^<>]{0,1000})?>/giu
const apart = /^(?:[bi]|u|em|strong|code|a|img|span|sub|sup)$/iu

/** As it may be said: no marks of bold, code, links and pictures, no tags and control characters, one empty line between paragraphs. */
function plainProse(text: string, references: ReadonlySet<string>): string {
  const named = (whole: string, words: string, name = '') => (references.has((name || words).toLowerCase()) ? words : whole)
  return (
    text
      .replaceAll(/[^\P{Cc}\n\t]|[\ufeff\ufffe\uffff]/gu, '')
      .toWellFormed()
      .replaceAll(tag, (_, _slash: string, name: string) => (apart.test(name) ? '' : '\n\n'))
      .replaceAll(link, '$1')
      // A picture that is a link.
      .replaceAll(link, '$1')
      .replaceAll(/\[([^\][\n]{1,300})\](?:\[([^\][\n]{0,300})\])?/g, named)
      .replaceAll(/\*\*([^*\n]{1,500})\*\*/g, '$1')
      .replaceAll(/`([^`\n]{1,500})`/g, '$1')
      .replaceAll(/(?<![\p{L}\p{N}*])\*([^*\s][^*\n]{0,500})\*(?![\p{L}\p{N}*])/gu, '$1')
      .replaceAll(/(?<![\p{L}\p{N}_])_([^_\n]{1,500})_(?![\p{L}\p{N}_])/gu, '$1')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()
  )
}
