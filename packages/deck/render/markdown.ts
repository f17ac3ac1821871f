// Markdown decks: slides split at a line of `---`, HTML comments as private notes, pictures left out (their alt text stays).
import { blankPage, cleanText, DocumentError, type OpenDocument } from '../protocol.ts'

export interface MarkdownSlide {
  text: string
  notes: string
  /** It ends in a comment that was never closed. */
  isOpen?: true
}

interface Parts {
  text: string[]
  /** Each comment. */
  notes: string[]
}

/** A code fence that is open: its marks, and the column where what it holds begins, or 0 outside of lists. */
interface Fence {
  mark: string
  column: number
}

const separator = /^ {0,3}-{3,}\s*$/
const fenceLine = /^( {0,3}(?:(?:[-*+]|\d{1,9}[.)]) {1,4}){0,9})(`{3,}(?=[^`]*$)|~{3,})/
/** Between backticks the mark is only mentioned. */
const commentMark = /(?<!`)<!--|<!--(?!`)/g

/**
 * A `---` or `<!--` inside a code fence is text, and a `---` inside a comment parts nothing; front matter at the very top is
 * dropped. A comment that is never closed is private to the end: what its writer hid is not said for want of three characters.
 */
export function splitMarkdown(source: string): MarkdownSlide[] {
  const lines = source
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
  let slide: Parts = { text: [], notes: [] }
  const slides = [slide]
  let fence: Fence | undefined
  let isComment = false
  for (const line of lines.slice(frontMatterLength(lines))) {
    if (!isComment) {
      if (fence !== undefined && isBelow(line, fence)) fence = undefined
      const wasFenced = fence !== undefined
      if (fence === undefined) fence = fenceOf(line)
      else if (isEnd(line, fence)) fence = undefined
      if (wasFenced || fence !== undefined) {
        slide.text.push(`${line}\n`)
        continue
      }
      if (separator.test(line)) {
        slide = { text: [], notes: [] }
        slides.push(slide)
        continue
      }
    }
    isComment = readLine(`${line}\n`, isComment, slide)
  }
  return slides
    .map(({ text, notes }) => ({ text: text.join(''), notes: notes.map((note) => note.trim()).join('\n') }))
    .filter(({ text, notes }) => text.trim() !== '' || notes !== '')
    .map(({ text, notes }, at, all) => ({
      text: spoken(text),
      notes: cleanText(notes),
      ...(isComment && at === all.length - 1 && { isOpen: true }),
    }))
}

/** Parts a line outside of fences into text and notes; gives whether it ends within a comment. */
function readLine(line: string, isComment: boolean, { text, notes }: Parts): boolean {
  let isNote = isComment
  let at = 0
  for (;;) {
    commentMark.lastIndex = at
    const end = isNote ? line.indexOf('-->', at) : (commentMark.exec(line)?.index ?? -1)
    const part = end < 0 ? line.slice(at) : line.slice(at, end)
    if (isNote) notes.push((notes.pop() ?? '') + part)
    else text.push(part)
    if (end < 0) return isNote
    at = end + (isNote ? '-->' : '<!--').length
    isNote = !isNote
    if (isNote) notes.push('')
  }
}

function fenceOf(line: string): Fence | undefined {
  const [, before = '', mark] = fenceLine.exec(line) ?? []
  return mark === undefined ? undefined : { mark, column: before.trim() === '' ? 0 : before.length }
}

function isEnd(line: string, { mark, column }: Fence): boolean {
  const marks = line.trim()
  const indent = line.length - line.trimStart().length
  return indent <= column + 3 && marks.startsWith(mark) && marks === marks.charAt(0).repeat(marks.length)
}

/** A fence in a list ends with its entry, closed or not. */
function isBelow(line: string, { column }: Fence): boolean {
  return line.trim() !== '' && line.length - line.trimStart().length < column
}

/** As it may be shown and said. Cut to its bounds first: the patterns look ahead by hundreds of characters. */
function spoken(text: string): string {
  return cleanText(
    cleanText(text)
      .replace(/!\[([^[\]\n]{0,500})\]\([^()\n]{0,2000}\)/g, '$1')
      .replace(/\[([^[\]\n]{1,500})\]\([^()\n]{0,2000}\)/g, '$1')
      .replace(/(\*\*|__)(?=\S)([^*_\n]{1,500})\1/g, '$2')
      .replace(/`([^`\n]{1,500})`/g, '$1'),
  )
}

function frontMatterLength(lines: readonly string[]): number {
  if (lines[0]?.trim() !== '---') return 0
  const end = lines.indexOf('---', 1)
  const isFrontMatter = end > 1 && lines.slice(1, end).every((line) => /^[\w-]+:|^\s+\S|^$|^#/.test(line) && !line.includes('<!--'))
  return isFrontMatter ? end + 1 : 0
}

const openComment = {
  code: 'cut',
  detail: 'A comment of this slide is never closed: all that follows it is taken as private notes.',
  fix: 'End the comment with -->.',
} as const

export function openMarkdown(bytes: Uint8Array): OpenDocument {
  const slides = splitMarkdown(new TextDecoder().decode(bytes))
  if (slides.length === 0) throw new DocumentError('The file has no text.')
  return {
    total: slides.length,
    async page(index) {
      const { text, notes, isOpen }: MarkdownSlide = slides[index] ?? { text: '', notes: '' }
      return { ...blankPage(index), text, notes, state: text === '' ? 'no_text' : 'ok', ...(isOpen && { warnings: [openComment] }) }
    },
  }
}
