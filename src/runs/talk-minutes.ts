// How long a talk takes, for who asks.
import { isFurther } from './decide/setting.ts'
import type { TalkBeat } from './talk.ts'

/** As its listener has set it. */
export interface Pace {
  speed: number
  /** The short form of the talk. */
  isBrief: boolean
}

export const usualPace: Pace = { speed: 1, isBrief: false }

/** Whole minutes, one at least, from slide `from` on. */
export function minutesOf(beats: readonly TalkBeat[], from: number, { speed, isBrief }: Pace): { count: number; isLeft: boolean } {
  let ms = 0
  beats.forEach((beat, at) => {
    if (beat.slideIndex < from || (isBrief && isFurther(beat, beats[at - 1]))) return
    ms += beat.estMs / speed + (beat.pauseMs ?? 0) + (beat.waitMs ?? 0)
  })
  return { count: Math.max(1, Math.round(ms / 60_000)), isLeft: from > 0 }
}
