// Cuts prose at sentence ends without a word list per language: a stop counts when what follows looks like a beginning and what
// precedes does not look like an abbreviation or an initial.

export interface Span {
  start: number
  end: number
}

const candidate = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|[。！？؟]+[」』”）]*|\n{2,}/gu
const abbreviation =
  /(?:^|[\s(])(?:[\p{L}]|mr|mrs|ms|dr|prof|st|sr|jr|no|nr|vs|etc|e\.g|eg|i\.e|ie|al|z\.b|bzw|ca|cf|approx|inc|ltd|co|corp|fig|vol|art|p|pp|sra|av|núm|max|min|incl|inkl|exkl|ggf|evtl|vgl|d\.h|u\.a|excl|est|dept|gen|col|capt|lt|gov|sen|rep|rev)$/iu
/** "I3. Insecure networks", "2. Measure": what a line begins with is its place, no sentence. */
const place = /^\s*(?:\p{Lu}{0,2}\d{1,3})$/u
const beginning = /^[\s"'“‘«([¿¡]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u

function isEnd(text: string, start: number, at: number, mark: string): boolean {
  if (mark.startsWith('\n') || /[。！？؟!?]/u.test(mark)) return true
  if (!beginning.test(text.slice(at + mark.length, at + mark.length + 8))) return false
  if (at - start < 8 && place.test(text.slice(start, at))) return false
  // Within brackets a stop is that of an abbreviation.
  const closing = text.indexOf(')', at)
  if (closing > at && closing - at < 120 && text.lastIndexOf('(', at) > Math.max(start - 1, text.lastIndexOf(')', at))) return false
  return mark.startsWith('..') || !abbreviation.test(text.slice(Math.max(0, at - 12), at))
}

function trimmed(text: string, start: number, end: number): Span | undefined {
  const piece = text.slice(start, end)
  const from = start + piece.length - piece.trimStart().length
  const to = start + piece.trimEnd().length
  return from < to ? { start: from, end: to } : undefined
}

/** Sentence spans in order, trimmed, never overlapping; together they hold every character that is not white space. */
export function sentenceSpans(text: string): Span[] {
  const spans: Span[] = []
  let start = 0
  for (const match of text.matchAll(candidate)) {
    const mark = match[0]
    if (!isEnd(text, start, match.index, mark)) continue
    const span = trimmed(text, start, match.index + mark.length)
    if (span) spans.push(span)
    start = match.index + mark.length
  }
  const last = trimmed(text, start, text.length)
  if (last) spans.push(last)
  return spans
}
