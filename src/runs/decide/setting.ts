// What stays the same for the length of a run: its session, its pinned talk and the order in which the talk is said.
import type { Place } from '../../contract/room.ts'
import type { Talk, TalkBeat, TalkSession } from '../talk.ts'

export interface Setting {
  runId: string
  kind: 'live' | 'rehearsal'
  mode: 'isolated' | 'broadcast'
  session: TalkSession
  talk: Talk
  order: TalkOrder
  /** Whether two questions ask the same of this talk; in broadcast. */
  isSame?: (a: string, b: string) => boolean
  /** `ROSTRUM_QA_WINDOW_MS` */
  questionWindowMs: number
  /** The session has used more minutes than its host allows, as of the last minute that began. */
  isOutOfMinutes?: boolean
}

/** Where beats stand, and what comes after what. Closing beats form the tail that `closing` says. */
export interface TalkOrder {
  beat(beatId: string): TalkBeat | undefined
  first(): Place | null
  /** The beat after `beatId` in the body of the talk, further statements of a slide left out where it is to be short; null: the body is over. */
  after(beatId: string, isBrief?: boolean): Place | null
  /** The first beat of slide `index`, or of the next slide that has one. */
  ofSlide(index: number): Place | null
  firstClosing(): Place | null
  lastClosing(): Place | null
  afterClosing(beatId: string): Place | null
  isClosing(beatId: string): boolean
}

/** A statement after another of the same slide, which neither asks nor shows anything. */
export function isFurther(beat: TalkBeat | undefined, before: TalkBeat | undefined): boolean {
  const isStatement = beat?.kind === 'narration' && before?.kind === 'narration' && beat.slideIndex === before.slideIndex
  return isStatement && beat.waitMs === undefined && beat.showsCta !== true
}

export function orderOf(talk: Talk): TalkOrder {
  const { beats } = talk
  let bodyEnd = beats.length
  while (bodyEnd > 0 && (beats[bodyEnd - 1]?.kind === 'closing' || beats[bodyEnd - 1]?.kind === 'cta')) bodyEnd--
  const positions = new Map(beats.map((beat, position) => [beat.beatId, position]))
  const placeOf = (beat: TalkBeat | undefined): Place | null =>
    beat === undefined ? null : { slideIndex: beat.slideIndex, beatId: beat.beatId, clause: 0 }
  const at = (position: number, from: number, end: number) => (position >= from && position < end ? placeOf(beats[position]) : null)
  return {
    beat: (beatId) => beats[positions.get(beatId) ?? -1],
    first: () => at(0, 0, bodyEnd),
    after(beatId, isBrief = false) {
      let next = (positions.get(beatId) ?? beats.length) + 1
      if (isBrief) while (next < bodyEnd && isFurther(beats[next], beats[next - 1])) next++
      return at(next, 0, bodyEnd)
    },
    ofSlide(index) {
      const body = beats.slice(0, bodyEnd)
      const own = body.find((beat) => beat.slideIndex >= index && beat.kind !== 'opening')
      return placeOf(own ?? body.find((beat) => beat.slideIndex >= index))
    },
    firstClosing: () => at(bodyEnd, bodyEnd, beats.length),
    lastClosing: () => at(beats.length - 1, bodyEnd, beats.length),
    afterClosing: (beatId) => at((positions.get(beatId) ?? beats.length) + 1, bodyEnd, beats.length),
    isClosing: (beatId) => (positions.get(beatId) ?? -1) >= bodyEnd,
  }
}

/** The last clause that begins at or before `chars`. */
export function clauseAt(beat: Pick<TalkBeat, 'clauses'>, chars: number): number {
  let clause = 0
  beat.clauses.forEach((offset, index) => {
    if (offset <= chars) clause = index
  })
  return clause
}

/** A silence up to this ends a sentence of a broadcast. */
const briefSilenceMs = 1_000

/**
 * Milliseconds of silence `before` the end of a said beat is told and `after` it, until the talk goes on. A broadcast tells the end
 * after a brief silence, in one change with what follows, so that its crowd is written to once; a longer one begins with the end. An
 * isolated talk goes at the pace of its attendee: only a question waits.
 */
export function silenceAround({ mode, order }: Setting, beatId: string): { before: number; after: number } {
  const { waitMs = 0, pauseMs = 0 } = order.beat(beatId) ?? {}
  if (mode === 'isolated') return { before: 0, after: waitMs }
  const silence = waitMs + pauseMs
  return silence <= briefSilenceMs ? { before: silence, after: 0 } : { before: 0, after: silence }
}
