// How long a sentence takes to say: words at the configured pace, and the pauses of its punctuation.

const commaMs = 180
const stopMs = 350
const leastMs = 700
/** Languages written without spaces: a segmenter's word is shorter than a spoken one. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const unspacedWord = 0.55

/** Milliseconds at speed 1. */
export function speakingMs(text: string, wpm: number, language: string): number {
  const commas = text.match(/[,;:、，；：]/g)?.length ?? 0
  const stops = text.match(/[.!?。！？]+(?=\s|$|["'»”])|[。！？]/g)?.length ?? 0
  return Math.max(leastMs, Math.round((wordCount(text, language) / wpm) * 60_000 + commaMs * commas + stopMs * stops))
}

function wordCount(text: string, language: string): number {
  if (!unspaced.test(text)) return text.split(/\s+/).filter(Boolean).length
  let words = 0
  for (const { isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) if (isWordLike === true) words++
  return words * unspacedWord
}
