// Rules of speech that the server and the browser both follow, so they stand once: where a sentence may be taken up again (`clause` of
// a beat is a number in that list), and what a voice is given for a word. Captions and transcripts keep the text. Pure.
export const clauseMax = 180

/** A cut at or before `max`, at a space where there is one, never inside a surrogate pair. */
export function cutBefore(text: string, max: number): number {
  const space = text.lastIndexOf(' ', max)
  if (space > max / 3) return space + 1
  const code = text.charCodeAt(max - 1)
  return code >= 0xd800 && code <= 0xdbff ? max - 1 : max
}

/**
 * Offsets of the clauses of a sentence; the first is 0. A clause has at least 12 characters, does not begin within 8 of the end, and has at
 * most 180.
 */
export function clauseOffsets(text: string): readonly number[] {
  const starts = [0]
  for (const match of text.matchAll(/[,;:.!?、，；：。！？،؛؟](?:\s+|(?<=[、，；：。！？]))(?=\S)/gu)) {
    const at = match.index + match[0].length
    if (at - (starts.at(-1) ?? 0) >= 12 && text.length - at >= 8) starts.push(at)
  }
  return starts.flatMap((start, i) => {
    const pieces = [start]
    const end = starts[i + 1] ?? text.length
    for (let from = start; end - from > clauseMax; pieces.push(from)) from += cutBefore(text.slice(from, end), clauseMax)
    return pieces
  })
}

/** How words are said, by word. */
export type Pronunciations = Readonly<Record<string, string>>

/** Scripts without spaces between words: there a word ends nowhere that could be seen. */
const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const before = String.raw`(?<=^|[^\p{L}\p{M}\p{N}_]|[${unspaced}])`
const after = String.raw`(?=$|[^\p{L}\p{M}\p{N}_]|[${unspaced}])`
/** Of a word that begins or ends with a mark, or in such a script, either end may stand against another word. */
const open = String.raw`[^\p{L}\p{M}\p{N}]|[${unspaced}]`
const isOpenAtStart = new RegExp(`^(?:${open})`, 'u')
const isOpenAtEnd = new RegExp(`(?:${open})$`, 'u')

/** Longest first, so that "SQL Server" comes before "SQL". */
function patternOf(list: Pronunciations): RegExp | undefined {
  const words = Object.keys(list).toSorted((a, b) => b.length - a.length)
  if (words.length === 0) return undefined
  const whole = words.map((word) => {
    const plain = word.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
    return `${isOpenAtStart.test(word) ? '' : before}${plain}${isOpenAtEnd.test(word) ? '' : after}`
  })
  return new RegExp(whole.join('|'), 'giu')
}

export interface Said {
  text: string
  /** The place in the caption of what stands at `at` in `text`; within a word said otherwise, its beginning. */
  captionAt(at: number): number
}

/** Whole words alone. A word in small letters stands for any case of it, one with capitals for itself. */
export function pronouncing(list: Pronunciations): (text: string) => Said {
  const pattern = patternOf(list)
  if (pattern === undefined) return (text) => ({ text, captionAt: (at) => at })
  const known = new Map(Object.entries(list))
  return (caption) => {
    /** Where a word said otherwise begins and ends in what is said, and where it begins in the caption, and how much longer it is. */
    const changes: { from: number; to: number; caption: number; longer: number }[] = []
    let longer = 0
    const text = caption.replaceAll(pattern, (word: string, at: number) => {
      const said = known.get(word) ?? known.get(word.toLowerCase()) ?? word
      const from = at + longer
      longer += said.length - word.length
      changes.push({ from, to: from + said.length, caption: at, longer })
      return said
    })
    return {
      text,
      captionAt(at) {
        const last = changes.findLast(({ from }) => from <= at)
        if (last === undefined) return at
        return at < last.to ? last.caption : at - last.longer
      },
    }
  }
}
