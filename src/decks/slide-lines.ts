// Reads the text of a slide as people write it: a title on the first line, then bullets (indented ones below their parent) or prose.
import type { SlideText } from './content.ts'

export interface SlideLine {
  /** The words without their bullet mark. */
  text: string
  /** Offsets of `text` in the slide's text; the slice is verbatim. */
  start: number
  end: number
  /** 0 for a top-level line. */
  level: number
  /** Position in the list of the line this one is indented under. */
  parent?: number
  isBullet: boolean
}

const bulletMark = /^(?:[-*+•‣▪▸►●○◦·–—・]|\d{1,2}[.)]|[a-z][.)]|#{1,6})\s+/u
const bareMark = /^[•‣▪▸►●○◦・]/u

function strip(line: string): { text: string; offset: number; isBullet: boolean } {
  const indent = line.length - line.trimStart().length
  const body = line.trim()
  const mark = bulletMark.exec(body)?.[0] ?? bareMark.exec(body)?.[0] ?? ''
  const rest = body.slice(mark.length)
  const text = rest.trimStart()
  return { text, offset: indent + mark.length + (rest.length - text.length), isBullet: mark !== '' && !mark.startsWith('#') }
}

/** No slide that can be read has more; what is behind them is not said, searched or asked about. */
const linesMost = 400

function depthOf(line: string): number {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
  return indent.replaceAll('\t', '  ').length
}

/** The lines below the title, in order. A first line that repeats the title is left out; a title kept apart from the text loses nothing. */
export function linesOf(slide: Pick<SlideText, 'title' | 'text'>): SlideLine[] {
  const lines: SlideLine[] = []
  const open: { depth: number; at: number }[] = []
  let start = 0
  let isFirst = true
  for (const raw of slide.text.split('\n')) {
    const { text, offset, isBullet } = strip(raw)
    const at = start + offset
    start += raw.length + 1
    if (text === '' || !/[\p{L}\p{N}]/u.test(text)) continue
    const isTitle = isFirst && text.replace(/\s+/gu, ' ').slice(0, 200) === slide.title
    isFirst = false
    if (isTitle) continue
    const depth = depthOf(raw)
    while (open.length > 0 && (open.at(-1)?.depth ?? 0) >= depth) open.pop()
    const parent = open.at(-1)?.at
    lines.push({ text, start: at, end: at + text.length, level: open.length, isBullet, ...(parent === undefined ? {} : { parent }) })
    if (lines.length === linesMost) break
    open.push({ depth, at: lines.length - 1 })
  }
  return lines
}
