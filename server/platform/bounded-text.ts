// What no honest text has is cut when it comes in: runs of one character, lines and sentences without an end, thousands of lines.
// Whatever reads, says, searches or shows it is then spared them. Pure, and linear in the text.

export interface Bounds {
  /** Of one character, one behind the other. */
  run: number
  line: number
  /** Within a line. */
  sentence: number
  lines: number
}

export const inWords = ({ run, line, sentence, lines }: Bounds) => {
  const [ofLine, ofSentence, ofLines] = [line, sentence, lines].map((bound) => bound.toLocaleString('en'))
  return `a run of more than ${run} of one character, a sentence of more than ${ofSentence} characters, a line of more than ${ofLine}, or more than ${ofLines} lines`
}

/** `text` itself where it keeps within its bounds. */
export function bounded(text: string, bounds: Bounds): string {
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

/** Each run cut to `most`. */
function withoutRuns(text: string, most: number): string {
  let kept = ''
  let from = 0
  for (let at = 0; at < text.length;) {
    const character = text.codePointAt(at) ?? 0
    const width = character > 0xffff ? 2 : 1
    let end = at + width
    while (text.codePointAt(end) === character) end += width
    if (end - at > most * width) {
      kept += text.slice(from, at + most * width)
      from = end
    }
    at = end
  }
  return kept + text.slice(from)
}

function withoutLongSentences(line: string, bounds: Bounds): string {
  let kept = ''
  for (const [, words = '', stop = ''] of line.matchAll(/([^.!?…。！？؟]*)([.!?…。！？؟]?)/g)) {
    if (kept.length >= bounds.line) break
    kept += words.slice(0, bounds.sentence - 1) + stop
  }
  return kept.slice(0, bounds.line)
}
