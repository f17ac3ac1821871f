// Saying the talk: which place comes next, beginning a beat, cutting one. Only one voice speaks at a time: a beat begins only when
// no beat and no answer is open.
import type { Actor, Place, RunStatus, SlideShown, StateChanged } from '../room/run-event.ts'
import type { TalkBeat } from '../room/talk.ts'
import { showByRule } from './cta.ts'
import type { Draft } from './draft.ts'
import { clauseAt } from './setting.ts'

/** Where speech goes on: the interrupted clause, or the beat after the one that was said. Null at the end of the body. */
export function resumePlace({ state, setting: { order } }: Draft): Place | null {
  const { cursor } = state
  if (cursor === null) return order.first()
  if (!cursor.done) return { slideIndex: cursor.slideIndex, beatId: cursor.beatId, clause: cursor.clause }
  return order.isClosing(cursor.beatId) ? order.afterClosing(cursor.beatId) : order.after(cursor.beatId)
}

export function enter(draft: Draft, status: RunStatus, by: Actor, extra: Partial<StateChanged['data']> = {}): void {
  draft.emit({ type: 'state', data: { status, previous: draft.state.status, by, ...extra } })
}

export function showSlide(draft: Draft, index: number, reason: SlideShown['data']['reason']): void {
  const slide = draft.setting.talk.slides[index]
  if (slide === undefined || draft.state.slideIndex === index) return
  const { id, title, text, imageUrl } = slide
  draft.emit({ type: 'slide', data: { slideId: id, index, title, text, imageUrl, reason } })
  showByRule(draft, `slide:${id}`)
}

/** Milliseconds that the rest of a beat takes from `clause` on, at the speed of the run. */
export function spokenMs(beat: TalkBeat, clause: number, speed: number): number {
  const from = beat.clauses[clause] ?? 0
  const rest = beat.text.length === 0 ? 1 : (beat.text.length - from) / beat.text.length
  return Math.max(1, Math.round((beat.estMs * rest) / speed))
}

/** Begins the beat at `place`, on its slide. A place of a beat that is not in the talk is skipped by the caller. */
export function say(draft: Draft, place: Place, reason: SlideShown['data']['reason'] = 'script'): void {
  const beat = draft.setting.order.beat(place.beatId)
  if (beat === undefined || draft.state.speaking !== null) return
  showSlide(draft, beat.slideIndex, reason)
  const { beatId, slideIndex, index, kind, text, sources, audio } = beat
  const spoken = { beatId, slideIndex, index, kind, text, sources }
  const timing = { estMs: spokenMs(beat, place.clause, draft.state.speed), startedAt: draft.now, clause: place.clause }
  const clip = audio === undefined ? {} : { audioUrl: audio.url, audioMs: audio.ms }
  draft.emit({ type: 'beat', data: { ...spoken, phase: 'start', ...timing, ...clip } })
  if (beat.showsCta === true) showByRule(draft, 'agent')
}

/** Ends the beat that is being said. */
export function endBeat(draft: Draft, heard: boolean): void {
  const { speaking } = draft.state
  const beat = speaking === null ? undefined : draft.setting.order.beat(speaking.beatId)
  if (beat === undefined) return
  const { beatId, slideIndex, index, kind, text } = beat
  const common = { beatId, slideIndex, index, kind }
  if (heard) draft.emit({ type: 'beat', data: { ...common, phase: 'end', spokenChars: text.length } })
  else draft.emit({ type: 'beat', data: { ...common, phase: 'unheard' } })
}

/**
 * Cuts the beat that is being said, if any. In broadcast the server's clock tells how far speech had come; in isolated only what
 * the attendee acknowledged counts as heard, so without `chars` the clause begins anew.
 */
export function cutBeat(draft: Draft, chars?: number): void {
  const { state, setting, now } = draft
  const { speaking } = state
  const beat = speaking === null ? undefined : setting.order.beat(speaking.beatId)
  if (speaking === null || beat === undefined) return
  const from = beat.clauses[speaking.clause] ?? 0
  const share = Math.min(1, Math.max(0, now - speaking.startedAt) / Math.max(1, speaking.estMs))
  const elapsed = setting.mode === 'broadcast' ? from + Math.floor((beat.text.length - from) * share) : from
  const spokenChars = Math.min(beat.text.length, Math.max(from, chars ?? elapsed))
  const { beatId, slideIndex, index, kind } = beat
  draft.emit({ type: 'beat', data: { beatId, slideIndex, index, kind, phase: 'cut', spokenChars, clause: clauseAt(beat, spokenChars) } })
}
