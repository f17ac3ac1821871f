// The course of the talk: the next beat, the questions between beats, the closing with its question window, the end.
import type { Actor, EventData, Place } from '../../contract/room.ts'
import { answerNext, expireOpen } from './answering.ts'
import { showByRule } from './cta.ts'
import type { Draft } from './draft.ts'
import { cutBeat, enter, resumePlace, say } from './speech.ts'

/** A broadcast answers at most so many questions, or so long, at one slide boundary. */
const boundaryAnswersMax = 2
const boundaryMs = 45_000

/** Begins or resumes presenting at `place`; beyond the last beat the closing begins. */
export function present(draft: Draft, place: Place | null, by: Actor, reason: EventData<'slide'>['reason'] = 'script'): void {
  const { order } = draft.setting
  if (draft.setting.isOutOfMinutes === true && !draft.state.isEndedEarly) return windUp(draft)
  if (place === null) {
    const { cursor } = draft.state
    return cursor !== null && order.isClosing(cursor.beatId) ? openWindow(draft, by) : beginClosing(draft, by)
  }
  if (order.isClosing(place.beatId)) return enterClosingAt(draft, place, by)
  if (draft.state.status !== 'presenting') enter(draft, 'presenting', by)
  say(draft, place, reason)
}

/** After a beat of the body: waiting questions, a pause of the script, or the next beat. */
export function goOn(draft: Draft): void {
  if (draft.state.speaking !== null) return
  const place = resumePlace(draft)
  if (mayAnswerHere(draft, place) && answerNext(draft, 'presenting', place)) return
  present(draft, place, 'script')
}

function mayAnswerHere({ state, setting, now }: Draft, next: Place | null): boolean {
  if (state.waiting.length === 0 || setting.isOutOfMinutes === true) return false
  if (setting.mode === 'isolated') return true
  const atBoundary = next === null || next.slideIndex !== state.slideIndex
  return atBoundary && state.answersInRow < boundaryAnswersMax && (state.answeringSince === null || now - state.answeringSince < boundaryMs)
}

/** Whether another waiting question may follow the answer that has just ended. */
export function mayAnswerMore(draft: Draft): boolean {
  if (draft.setting.isOutOfMinutes === true) return false
  return draft.state.returnTo !== 'presenting' || mayAnswerHere(draft, resumePlace(draft))
}

export function beginClosing(draft: Draft, by: Actor): void {
  const place = draft.setting.order.firstClosing()
  if (place === null) {
    showByRule(draft, 'end')
    return openWindow(draft, by)
  }
  enterClosingAt(draft, place, by)
}

function enterClosingAt(draft: Draft, place: Place, by: Actor, reason?: string): void {
  // Whoever goes back into the closing from its question window has it said first, and the window anew after it.
  const isInWindow = draft.state.windowUntil !== null
  if (draft.state.status !== 'closing' || isInWindow) enter(draft, 'closing', by, reason === undefined ? {} : { reason })
  showByRule(draft, 'end')
  say(draft, place)
}

/** The host ends the talk: only the farewell is said, then it is over. */
export function closeEarly(draft: Draft, by: Actor): void {
  cutBeat(draft)
  endWith(draft, draft.setting.order.lastClosing(), by)
}

/** The session is out of minutes: what its talk ends with is said, and nobody is asked for questions. */
function windUp(draft: Draft): void {
  endWith(draft, draft.setting.order.firstClosing(), 'system')
}

function endWith(draft: Draft, place: Place | null, by: Actor): void {
  if (place !== null) return enterClosingAt(draft, place, by, 'ended')
  enter(draft, 'closing', by, { reason: 'ended' })
  complete(draft, by, 'ended_by_host')
}

/** After a beat of the closing: the next, or the question window; a talk that was ended has none. */
export function goOnClosing(draft: Draft): void {
  const { state, setting } = draft
  if (state.speaking !== null) return
  const place = resumePlace(draft)
  const ended = state.isEndedEarly
  if (!ended && setting.isOutOfMinutes !== true && state.waiting.length > 0 && answerNext(draft, 'closing', place)) return
  if (place !== null) return say(draft, place)
  if (ended) return complete(draft, 'script', 'ended_by_host')
  openWindow(draft, 'script')
}

export function openWindow(draft: Draft, by: Actor): void {
  enter(draft, 'closing', by, { reason: 'window', windowUntil: draft.now + draft.setting.questionWindowMs })
}

/** Goes back to where the answer interrupted. */
export function returnFromAnswer(draft: Draft): void {
  const { state } = draft
  const place = resumePlace(draft)
  switch (state.returnTo) {
    case 'lobby':
      return enter(draft, 'lobby', 'script')
    case 'paused':
      return enter(draft, 'paused', state.pausedBy ?? 'system', { resumeAt: place })
    case 'closing':
      if (place === null) return state.isEndedEarly ? complete(draft, 'script', 'ended_by_host') : openWindow(draft, 'script')
      enter(draft, 'closing', 'script')
      return say(draft, place)
    default:
      return present(draft, place, 'script')
  }
}

/** The run is over. Questions that are open expire; the room is told why and the stream ends. */
export function complete(draft: Draft, by: Actor, reason: 'finished' | 'ended_by_host' | 'abandoned'): void {
  expireOpen(draft)
  enter(draft, 'completed', by, { reason })
  draft.emit({ type: 'closed', data: { reason: reason === 'finished' ? 'completed' : reason === 'ended_by_host' ? 'ended' : 'left' } })
}
