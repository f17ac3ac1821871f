// Four bars: what is heard, or where nothing is, how the caption goes on. Pure but for the analyser.
import type { Spoken } from '../view.ts'

const rest = 0.15

/** In silence: a letter that has just been said is tall or low by what it is, and a space or the end of the sentence is rest. */
export function barsOf(spoken: Spoken | null): readonly number[] {
  const { text = '', chars = 0 } = spoken ?? {}
  return [3, 2, 1, 0].map((back) => {
    const letter = text[chars - 1 - back * 2] ?? ' '
    if (chars >= text.length || !/[\p{L}\p{N}]/u.test(letter)) return rest
    return 0.35 + ((letter.codePointAt(0) ?? 0) % 7) / 11
  })
}

/** The loudness of four bands of speech, 0..1, from the magnitudes of an analyser. */
export function barsOfSound(magnitudes: Uint8Array): readonly number[] {
  // At 256 samples of 44,100 a bin is 172 Hz: speech stands in the first twenty.
  return [
    [0, 3],
    [3, 6],
    [6, 11],
    [11, 20],
  ].map(([from = 0, to = 0]) => {
    const band = magnitudes.subarray(from, to)
    const mean = band.reduce((sum, each) => sum + each, 0) / Math.max(1, band.length)
    return Math.max(rest, Math.min(1, mean / 200))
  })
}
