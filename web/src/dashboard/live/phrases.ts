// Where a host's speech is cut into phrases: at pauses, by the level of the microphone alone. Pure. A phrase is heard by the room once it
// is over, so it ends at the first short pause after a second, and never lasts longer than eight.

export interface Phrases {
  /** Of the room without a voice, in decibels of full scale; null before the first frame, which is taken for it. */
  floorDb: number | null
  /** When it was loud last. */
  loudMs: number
  /** Since when it has been loud without a pause, while nothing is recorded. */
  risingMs: number | null
  /** Since when a phrase is recorded. */
  sinceMs: number | null
}

/** `next`: it is cut, and another begins at once. */
export type PhraseCue = 'begin' | 'end' | 'next' | null

const faintDb = -55
const marginDb = 10
/** Shorter noises are no voice. */
const clickMs = 60
const shortestMs = 1_200
/** Ends a phrase that is long enough, and any. */
const pauseMs = 250
const silenceMs = 800
const longestMs = 8_000

export const noPhrase: Phrases = { floorDb: null, loudMs: -Infinity, risingMs: null, sinceMs: null }

export function hearFrame(before: Phrases, { atMs, levelDb }: { atMs: number; levelDb: number }): { phrases: Phrases; cue: PhraseCue } {
  const level = Math.max(-100, levelDb)
  const floor = before.floorDb ?? level
  const isLoud = level >= Math.max(faintDb, floor + marginDb)
  // Down at once; up so slowly that a voice is no louder room.
  const floorDb = floor + (level - floor) * (level < floor ? 0.3 : 0.002)
  const loudMs = isLoud ? atMs : before.loudMs
  const risingMs = isLoud ? (before.risingMs ?? atMs) : null
  const phrases = { floorDb, loudMs, risingMs, sinceMs: before.sinceMs }
  if (before.sinceMs === null) {
    const begins = risingMs !== null && atMs - risingMs >= clickMs
    return begins ? { phrases: { ...phrases, sinceMs: risingMs }, cue: 'begin' } : { phrases, cue: null }
  }
  const [lasted, quiet] = [atMs - before.sinceMs, atMs - loudMs]
  if (quiet >= silenceMs || (quiet >= pauseMs && lasted >= shortestMs)) return { phrases: { ...phrases, sinceMs: null }, cue: 'end' }
  return lasted >= longestMs ? { phrases: { ...phrases, sinceMs: atMs }, cue: 'next' } : { phrases, cue: null }
}
