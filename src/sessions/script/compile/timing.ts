// How long a sentence takes to say, and where it may be cut. Languages without spaces are counted by segmented words.

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const unspacedWord = 0.55
const shortestMs = 700
const commaMs = 180
const stopMs = 350
export const clauseMax = 180

/** Spoken words of a text; a word of an unspaced script counts 0.55. */
export function spokenWords(text: string, language: string): number {
  if (!unspaced.test(text)) return text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
  let count = 0
  for (const { isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) if (isWordLike) count += unspacedWord
  return count
}

/** Estimated duration at `wpm` words a minute. */
export function estimateMs(text: string, language: string, wpm: number): number {
  const commas = text.match(/[,;:、，；：،؛](?!\d)/gu)?.length ?? 0
  const stops = text.match(/[.!?。！？؟](?=\s|$|["'”»」])/gu)?.length ?? 0
  const factor = 150 / wpm
  return Math.round(
    Math.max(
      shortestMs * Math.min(1, factor),
      (spokenWords(text, language) / wpm) * 60_000 + (commas * commaMs + stops * stopMs) * Math.min(1, factor),
    ),
  )
}

/** A cut at or before `max`, at a space where there is one, never inside a surrogate pair. */
export function cutBefore(text: string, max: number): number {
  const space = text.lastIndexOf(' ', max)
  if (space > max / 3) return space + 1
  const code = text.charCodeAt(max - 1)
  return code >= 0xd800 && code <= 0xdbff ? max - 1 : max
}

/** Offsets at which clauses of at most 180 characters begin, the first 0. */
export function clauseOffsets(text: string): number[] {
  const starts = [0]
  for (const match of text.matchAll(/[,;:.!?、，；：。！？،؛؟](?:\s+|(?<=[、，；：。！？]))(?=\S)/gu)) {
    const at = match.index + match[0].length
    if (at - (starts.at(-1) ?? 0) >= 12 && text.length - at >= 8) starts.push(at)
  }
  return starts.flatMap((start, i) => {
    const pieces = [start]
    const end = starts[i + 1] ?? text.length
    while (end - (pieces.at(-1) ?? start) > clauseMax) {
      const from = pieces.at(-1) ?? start
      pieces.push(from + cutBefore(text.slice(from, end), clauseMax))
    }
    return pieces
  })
}
