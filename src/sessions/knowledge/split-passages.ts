// Sections of a document as passages of knowledge: each under its heading, cut at the ends of paragraphs, then lines, sentences and
// words. Pure; nothing of the text is lost.
import { limits } from '../../contract/fields.ts'
import type { NewPassage } from '../../contract/new-content.ts'
import type { Section } from './prose.ts'

/** Tried in order: small passages are quoted and edited best, large ones fit a long document into the number there may be. */
const targets = [
  { max: 4_000, joins: false },
  { max: 12_000, joins: true },
  { max: limits.passage, joins: true },
] as const

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
