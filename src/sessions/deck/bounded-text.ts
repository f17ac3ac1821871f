// What no honest text has is cut when it comes in: runs of one character, lines and sentences without an end, thousands of lines.
// Whatever reads, says, searches or shows it is then spared them. Pure, and linear in the text.
import type { DeckWarning } from './warnings.ts'

interface Bounds {
  /** Of one character, one behind the other. */
  run: number
  line: number
  /** Within a line. */
  sentence: number
  lines: number
}

const slideBounds: Bounds = { run: 200, line: 10_000, sentence: 5_000, lines: 1_000 }
/** Somebody may paste a book of one paragraph, or a table of short lines. */
const passageBounds: Bounds = { run: 200, line: 50_000, sentence: 10_000, lines: 50_000 }

const inWords = ({ run, line, sentence, lines }: Bounds) => {
  const [ofLine, ofSentence, ofLines] = [line, sentence, lines].map((bound) => bound.toLocaleString('en'))
  return `a run of more than ${run} of one character, a sentence of more than ${ofSentence} characters, a line of more than ${ofLine}, or more than ${ofLines} lines`
}

/** `text` itself where it keeps within its bounds. */
function bounded(text: string, bounds: Bounds): string {
  if (text.length <= bounds.run) return text
  const calm = withoutRuns(text, bounds.run)
  const kept: string[] = []
  let start = 0
  for (let lines = 1; lines <= bounds.lines; lines++) {
    const found = calm.indexOf('\n', start)
    const end = found < 0 ? calm.length : found
    kept.push(end - start > bounds.sentence ? withoutLongSentences(calm.slice(start, end), bounds) : calm.slice(start, end))
    if (found < 0) break
    start = end + 1
  }
  return kept.join('\n').toWellFormed()
}

/** Each run cut to `most`. A longer one holds two places that are half of it apart: the rest is not looked at one by one. */
function withoutRuns(text: string, most: number): string {
  const stride = most / 2
  const kept: string[] = []
  let from = 0
  for (let at = stride; at < text.length; at += stride) {
    if (text.charCodeAt(at) !== text.charCodeAt(at - stride)) continue
    const isSecondHalf = isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))
    const place = isSecondHalf ? at - 1 : at
    const width = isHigh(text.charCodeAt(place)) && isLow(text.charCodeAt(place + 1)) ? 2 : 1
    const [first, second] = [text.charCodeAt(place), text.charCodeAt(place + 1)]
    const isSame = (index: number) => text.charCodeAt(index) === first && (width === 1 || text.charCodeAt(index + 1) === second)
    let [start, end] = [place, place + width]
    while (start - width >= from && isSame(start - width)) start -= width
    while (isSame(end)) end += width
    if (end - start > most * width) {
      kept.push(text.slice(from, start + most * width))
      from = end
    }
    at = Math.max(at, end - (end % stride))
  }
  return kept.length === 0 ? text : [...kept, text.slice(from)].join('')
}

const isHigh = (code: number) => code >= 0xd800 && code < 0xdc00
const isLow = (code: number) => code >= 0xdc00 && code < 0xe000

const isStop = (code: number) =>
  code === 0x2e ||
  code === 0x21 ||
  code === 0x3f ||
  code === 0x2026 ||
  code === 0x3002 ||
  code === 0xff01 ||
  code === 0xff1f ||
  code === 0x61f

function withoutLongSentences(line: string, bounds: Bounds): string {
  const kept: string[] = []
  let length = 0
  for (let start = 0; start < line.length && length < bounds.line;) {
    let end = start
    while (end < line.length && !isStop(line.charCodeAt(end))) end++
    const sentence = line.slice(start, Math.min(end, start + bounds.sentence - 1)) + line.slice(end, end + 1)
    kept.push(sentence.slice(0, bounds.line - length))
    length += sentence.length
    start = end + 1
  }
  return kept.join('')
}

/** A slide as it came, with its texts within their bounds. */
export function boundedSlide<T extends { textContent?: string | undefined; agentNotes?: string | undefined }>(
  slide: T,
): { slide: T; isCut: boolean } {
  const { textContent, agentNotes } = slide
  const [text, notes] = [textContent, agentNotes].map((each) => each && bounded(each, slideBounds))
  if (text === textContent && notes === agentNotes) return { slide, isCut: false }
  return {
    slide: { ...slide, ...(text !== undefined && { textContent: text }), ...(notes !== undefined && { agentNotes: notes }) },
    isCut: true,
  }
}

export const boundedPassage = (content: string): string => bounded(content, passageBounds)

export const slideCut = (index: number): DeckWarning => ({
  index,
  code: 'cut',
  detail: `The text of the slide or its notes held ${inWords(slideBounds)}: what was beyond is left out.`,
})

export const knowledgeCut: DeckWarning = {
  index: 0,
  isOfDeck: true,
  code: 'knowledge_cut',
  detail: `A passage of the background held ${inWords(passageBounds)}: what was beyond is left out.`,
}
