// How long a sentence takes to say, and how a talk is fitted into its wished length. Languages without spaces are counted by segmented
// words.

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

// Fits a talk into its wished length: first the pauses give way, then the sentences that say least. Titles, opening and closing stay.

export interface Timed {
  text: string
  estMs: number
  pauseMs: number
  waitMs?: number
  isDroppable: boolean
  slideIndex: number
}

const pauseMinMs = 80
/** Longer silences after each sentence are no talk: a wish beyond them is told as not met. */
const pauseMaxMs = 1_200
const wordPattern = /[\p{L}\p{N}]{2,}/gu

export const lengthOf = (beats: readonly Timed[]) =>
  beats.reduce((sum, { estMs, pauseMs, waitMs }) => sum + estMs + pauseMs + (waitMs ?? 0), 0)

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(wordPattern) ?? []
}

/** Rarity of the words of each text among all texts, summed: how much it says that nothing else says. */
function weights(beats: readonly Timed[]): number[] {
  const frequency = new Map<string, number>()
  for (const { text } of beats) for (const word of new Set(wordsOf(text))) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  return beats.map(({ text }) => wordsOf(text).reduce((sum, word) => sum + Math.log(1 + beats.length / (frequency.get(word) ?? 1)), 0))
}

/** In proportion, as far as the bounds allow: what one that is at its bound cannot take, the others do. */
function withPauses<T extends Timed>(beats: readonly T[], budgetMs: number): T[] {
  const spoken = beats.reduce((sum, { estMs, waitMs }) => sum + estMs + (waitMs ?? 0), 0)
  const wanted = Math.max(0, budgetMs - spoken)
  const atFactor = (factor: number) =>
    beats.map(({ pauseMs }) => Math.round(Math.min(Math.max(pauseMaxMs, pauseMs), Math.max(pauseMinMs, pauseMs * factor))))
  let [low, high] = [0, pauseMaxMs / pauseMinMs]
  for (let halvings = 0; halvings < 40; halvings++) {
    const middle = (low + high) / 2
    if (atFactor(middle).reduce((sum, pause) => sum + pause, 0) < wanted) low = middle
    else high = middle
  }
  const pauses = atFactor(high)
  return beats.map((beat, at) => ({ ...beat, pauseMs: pauses[at] ?? beat.pauseMs }))
}

function countBySlide(beats: readonly Timed[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { slideIndex } of beats) counts.set(slideIndex, (counts.get(slideIndex) ?? 0) + 1)
  return counts
}

/** Drops the lightest sentences until the spoken time with the shortest pauses fits; one line of a slide that has lines is kept as long as others can go. */
function dropped<T extends Timed>(beats: readonly T[], budgetMs: number): T[] {
  const weight = weights(beats)
  const linesLeft = countBySlide(beats.filter(({ isDroppable }) => isDroppable))
  const beatsLeft = countBySlide(beats)
  const order = beats.map((_, at) => at).filter((at) => beats[at]?.isDroppable === true)
  order.sort((a, b) => (weight[a] ?? 0) - (weight[b] ?? 0) || a - b)
  const gone = new Set<number>()
  let length = beats.reduce((sum, beat) => sum + beat.estMs + (beat.waitMs ?? 0) + pauseMinMs, 0)
  for (const keepsOne of [true, false]) {
    for (const at of order) {
      const beat = beats[at]
      if (length <= budgetMs) break
      if (!beat || gone.has(at) || (keepsOne && (linesLeft.get(beat.slideIndex) ?? 0) <= 1)) continue
      // A slide whose title a bridge has said has its lines alone: without one it would never be shown.
      if ((beatsLeft.get(beat.slideIndex) ?? 0) <= 1) continue
      gone.add(at)
      for (const left of [linesLeft, beatsLeft]) left.set(beat.slideIndex, (left.get(beat.slideIndex) ?? 1) - 1)
      length -= beat.estMs + pauseMinMs
    }
  }
  return beats.filter((_, at) => !gone.has(at))
}

/** The beats within `budgetMs`, as near as pauses of 80 ms to 1.2 s and dropped sentences allow; one that was wished longer grows no further. */
export function fitted<T extends Timed>(beats: readonly T[], budgetMs: number): T[] {
  return withPauses(dropped(beats, budgetMs), budgetMs)
}
