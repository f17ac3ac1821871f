// Saying the talk: which place comes next, beginning a beat, cutting one, and the call to action beside it. Only one voice speaks at a time:
// a beat begins only when no beat and no answer is open.
import { signalOf } from '../../answers/intents.ts'
import type { Actor, EventData, Place, RunStatus } from '../../contract/room.ts'
import type { SpokenClip, TalkBeat } from '../talks.ts'
import { clauseAt, type Draft } from './draft.ts'

/** Where speech goes on: the interrupted clause, or the beat after the one that was said. Null at the end of the body. */
export function resumePlace({ state, setting: { order } }: Draft): Place | null {
  const { cursor } = state
  if (cursor === null) return order.first()
  const { slideIndex, beatId, clause, audioFromMs } = cursor
  // The script was made anew under the run: from the beginning of the slide, or of the closing.
  if (order.beat(beatId) === undefined) {
    const isClosing = state.status === 'closing' || state.returnTo === 'closing'
    return isClosing ? order.firstClosing() : order.ofSlide(slideIndex)
  }
  if (!cursor.done) return { slideIndex, beatId, clause, ...(audioFromMs === undefined ? {} : { audioFromMs }) }
  return order.isClosing(cursor.beatId) ? order.afterClosing(cursor.beatId) : order.after(cursor.beatId, state.isBrief)
}

export function enter(draft: Draft, status: RunStatus, by: Actor, extra: Partial<EventData<'state'>> = {}): void {
  draft.emit({ type: 'state', data: { status, previous: draft.state.status, by, ...extra } })
}

export function showSlide(draft: Draft, index: number, reason: EventData<'slide'>['reason']): void {
  const slide = draft.setting.talk.slides[index]
  if (slide === undefined || draft.state.slideIndex === index) return
  const { id, title, text, imageUrl } = slide
  draft.emit({ type: 'slide', data: { slideId: id, index, title, text, imageUrl, reason } })
  showByRule(draft, `slide:${id}`)
}

/** Milliseconds that the rest of a beat takes from `clause` on, at the speed of the run; `wholeMs` is all of it at speed 1. */
export function spokenMs(beat: TalkBeat, clause: number, speed: number, wholeMs = beat.estMs): number {
  const from = beat.clauses[clause] ?? 0
  const rest = beat.text.length === 0 ? 1 : (beat.text.length - from) / beat.text.length
  return Math.max(1, Math.round((wholeMs * rest) / speed))
}

/** Begins the beat at `place`, on its slide. A place of a beat that is not in the talk is skipped by the caller. */
export function say(draft: Draft, place: Place, reason: EventData<'slide'>['reason'] = 'script'): void {
  const beat = draft.setting.order.beat(place.beatId)
  if (beat === undefined || draft.state.speaking !== null) return
  showSlide(draft, beat.slideIndex, reason)
  const { beatId, slideIndex, index, kind, text, sources, at } = beat
  const spoken = { beatId, slideIndex, index, kind, text, sources, ...at }
  const clip = draft.setting.talk.clipOf?.(beatId)
  const timing = { estMs: spokenMs(beat, place.clause, draft.state.speed, clip?.ms), startedAt: draft.now, clause: place.clause }
  const nextAudioUrl = clip && clipAfter(draft, beatId)?.url
  const voiced = clip && { ...clipAt(clip, place), ...(nextAudioUrl === undefined ? {} : { nextAudioUrl }) }
  draft.emit({ type: 'beat', data: { ...spoken, phase: 'start', ...timing, ...voiced } })
  if (beat.showsCta === true) showByRule(draft, 'agent')
}

/** Of the sentence that comes next unless somebody asks, so that a room may fetch it ahead. */
function clipAfter({ state, setting: { order, talk } }: Draft, beatId: string): SpokenClip | undefined {
  const next = order.isClosing(beatId) ? order.afterClosing(beatId) : (order.after(beatId, state.isBrief) ?? order.firstClosing())
  return next === null ? undefined : talk.clipOf?.(next.beatId)
}

/** A clip goes on at its millisecond, where it was cut in the clause that is begun again. */
function clipAt(clip: SpokenClip, { audioFromMs }: Place) {
  const from = audioFromMs === undefined || audioFromMs >= clip.ms ? {} : { audioFromMs }
  return { audioUrl: clip.url, audioMs: clip.ms, ...from }
}

/** Ends the beat that is being said; here and below from the state alone, since the script may have it no more. */
export function endBeat(draft: Draft, heard: boolean): void {
  const { speaking } = draft.state
  if (speaking === null) return
  const { beatId, slideIndex, index, kind, textLength } = speaking
  const common = { beatId, slideIndex, index, kind }
  if (heard) draft.emit({ type: 'beat', data: { ...common, phase: 'end', spokenChars: textLength } })
  else draft.emit({ type: 'beat', data: { ...common, phase: 'unheard' } })
}

/**
 * Cuts the beat that is being said, if any. In broadcast the server's clock tells how far speech had come, and a beat whose time is
 * over ends; in isolated only what the attendee acknowledged counts as heard, so without `chars` the clause begins anew.
 */
export function cutBeat(draft: Draft, chars?: number, ms?: number): void {
  const { state, setting, now } = draft
  const { speaking } = state
  if (speaking === null) return
  if (setting.mode === 'broadcast' && now >= speaking.startedAt + speaking.estMs) return endBeat(draft, true)
  const { beatId, slideIndex, index, kind, textLength } = speaking
  const beat = setting.order.beat(beatId) ?? { clauses: [] }
  const from = beat.clauses[speaking.clause] ?? 0
  const share = Math.min(1, Math.max(0, now - speaking.startedAt) / Math.max(1, speaking.estMs))
  const elapsed = setting.mode === 'broadcast' ? from + Math.floor((textLength - from) * share) : from
  const spokenChars = Math.min(textLength, Math.max(from, chars ?? elapsed))
  const said = { spokenChars, clause: clauseAt(beat, spokenChars), ...(ms === undefined || !speaking.clip ? {} : { spokenMs: ms }) }
  draft.emit({ type: 'beat', data: { beatId, slideIndex, index, kind, phase: 'cut', ...said } })
}

// The call to action beside the talk: shown by rules, each once a run; clicked and dismissed by each attendee for themselves
// (Spec 6.1 `cta.clicked`). It never moves the status.

/** Shows the call to action when the session has one and asks for `rule`, and this run has not used the rule yet. */
export function showByRule(draft: Draft, rule: string): void {
  const { session } = draft.setting
  if (session.cta === null || draft.state.ctaRulesUsed.includes(rule)) return
  // A directive of the script needs no rule, and shows nothing again that is there already.
  if (rule === 'agent' ? draft.state.ctaShown : !session.ctaRules.includes(rule)) return
  draft.emit({ type: 'cta', data: { state: 'shown', ...session.cta, rule } })
}

export function actOnCta(draft: Draft, attendeeId: string, action: 'click' | 'dismiss'): void {
  const { cta } = draft.setting.session
  if (cta === null) return draft.refuse({ code: 'not_found', detail: 'This talk has no call to action.' })
  const before = draft.state.ctaOf.get(attendeeId)
  const after = action === 'click' ? 'clicked' : 'dismissed'
  if (before === after || before === 'clicked') return
  // What is not shown cannot be waved away.
  if (action === 'dismiss' && !draft.state.ctaShown) return
  draft.emit({ type: 'cta', data: { state: after, ...cta, rule: null, private: true } }, attendeeId)
}

/** Logs high intent once for an attendee: what they ask shows it, whatever the answer to it will be. */
export function noteIntent(draft: Draft, { attendeeId, text }: { attendeeId: string; text: string }): void {
  if (signalOf(text) === undefined || draft.state.highIntent.includes(attendeeId)) return
  draft.emit({ type: 'intent', data: { attendeeId, signal: 'high_intent' } }, 'host')
}
