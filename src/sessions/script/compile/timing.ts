// How long a sentence takes to say. Languages without spaces are counted by segmented words.

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const unspacedWord = 0.55
const shortestMs = 700
const commaMs = 180
const stopMs = 350

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
