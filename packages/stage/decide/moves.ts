// The moves named in the state table, and the course of the talk that they lead through. A move runs only in the statuses that the table
// gives it.
import type { TalkControl } from '@rostrum/contract/answer'
import type { Actor, EventData, Place } from '@rostrum/contract/room'
import {
  type AskedQuestion,
  cutBeat,
  destinationOf,
  type Draft,
  endBeat,
  enter,
  resumePlace,
  say,
  showByRule,
  showSlide,
  silenceAround,
  type TableInput,
} from './draft.ts'
import { answerAtOnce, answerInWriting, answerNext, beginAnswer, closeAnswer, expireOpen, questionOf, setQuestion } from './questions.ts'
import { heldPoll, pastPolls } from './polls.ts'
import type { Move } from './table.ts'

// The course of the talk: the next beat, the questions between beats, the closing with its question window, the end.

/** A broadcast answers at most so many questions, or so long, at one slide boundary. */
const boundaryAnswersMax = 2
const boundaryMs = 45_000

/** Begins or resumes presenting at `place`; beyond the last beat the closing begins. */
function present(draft: Draft, wanted: Place | null, by: Actor, reason: EventData<'slide'>['reason'] = 'script'): void {
  const { order } = draft.setting
  const place = pastPolls(wanted, draft.state, draft.setting)
  if (draft.setting.isOutOfMinutes === true && !draft.state.isEndedEarly) return endWith(draft, order.firstClosing(), 'system')
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
  if (heldPoll(draft.state, draft.setting.mode, draft.now) !== undefined) return
  present(draft, place, 'script')
}

function mayAnswerHere({ state, setting, now }: Draft, next: Place | null): boolean {
  if (state.waiting.length === 0 || setting.isOutOfMinutes === true) return false
  if (setting.mode === 'isolated') return true
  const atBoundary = next === null || next.slideIndex !== state.slideIndex
  return atBoundary && state.answersInRow < boundaryAnswersMax && (state.answeringSince === null || now - state.answeringSince < boundaryMs)
}

/** Whether another waiting question may follow the answer that has just ended. */
function mayAnswerMore(draft: Draft): boolean {
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

/** Ended by its host, or out of minutes: what the talk ends with is said from `place` on, and nobody is asked for questions. */
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
function returnFromAnswer(draft: Draft): void {
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
function complete(draft: Draft, by: Actor, reason: 'finished' | 'ended_by_host' | 'abandoned'): void {
  expireOpen(draft)
  enter(draft, 'completed', by, { reason })
  draft.emit({ type: 'closed', data: { reason: reason === 'finished' ? 'completed' : reason === 'ended_by_host' ? 'ended' : 'left' } })
}

// Wishes about the talk that an attendee put as a question ("slower, please", "go to slide 4"): granted where the talk is their own.

const slowest = 0.75
const fastest = 2
const paceStep = 0.25

/** True when the wish itself leads out of the answer; else the talk goes back to where it was. */
function grant(draft: Draft, control: TalkControl): boolean {
  const { setting, state } = draft
  if (setting.mode !== 'isolated') return false
  const here = state.slideIndex ?? 0
  switch (control.action) {
    case 'slower':
    case 'faster': {
      const step = control.action === 'slower' ? -paceStep : paceStep
      const speed = Math.min(fastest, Math.max(slowest, state.speed + step))
      enter(draft, 'answering', 'attendee', { reason: 'speed', speed })
      return false
    }
    case 'shorter':
    case 'longer':
      enter(draft, 'answering', 'attendee', { reason: 'length', brief: control.action === 'shorter' })
      return false
    case 'pause':
      enter(draft, 'paused', 'attendee', { resumeAt: resumePlace(draft) })
      return true
    case 'resume':
      present(draft, resumePlace(draft), 'attendee')
      return true
    case 'goto':
    case 'next':
    case 'previous':
    case 'repeat': {
      const steps = { next: 1, previous: -1, repeat: 0 }
      const index = control.action === 'goto' ? control.slideIndex : Math.max(0, here + steps[control.action])
      present(draft, setting.order.ofSlide(index), 'attendee', 'answer')
      return true
    }
  }
}

type Play = (draft: Draft, input: TableInput) => void

const actorOf = (input: TableInput): Actor => ('by' in input ? input.by : 'system')

function questionIn(input: TableInput): AskedQuestion {
  if (input.type !== 'ask') throw new Error(`No question in ${input.type}.`)
  return input.question
}

/** Cuts whatever is being said, beat or answer. */
export function hush(draft: Draft): void {
  cutBeat(draft)
  closeAnswer(draft, 'cut')
}

function pause(draft: Draft, by: Actor, reason?: string): void {
  hush(draft)
  enter(draft, 'paused', by, { resumeAt: resumePlace(draft), ...(reason === undefined ? {} : { reason }) })
}

function begin(draft: Draft, by: Actor): void {
  // A run that leaves the lobby has presented, however short its talk is.
  if (draft.state.status === 'lobby') enter(draft, 'presenting', by)
  present(draft, resumePlace(draft), by)
}

function moveTo(draft: Draft, input: TableInput): void {
  const to = destinationOf(draft, input)
  if (to === undefined) return
  hush(draft)
  const by = actorOf(input)
  if (draft.state.status === 'lobby') enter(draft, 'presenting', by)
  present(draft, to, by, by === 'host' ? 'host' : 'attendee')
}

function pauseAt(draft: Draft, input: TableInput): void {
  const to = destinationOf(draft, input)
  if (to === null || to === undefined) return
  const by = actorOf(input)
  showSlide(draft, to.slideIndex, by === 'host' ? 'host' : 'attendee')
  enter(draft, 'paused', draft.state.pausedBy ?? by, { reason: 'moved', resumeAt: to })
}

function leadSlide(draft: Draft, input: TableInput): void {
  if (actorOf(input) !== 'host')
    return draft.refuse({ code: 'forbidden', detail: 'The host is leading; only the host may change the slide.' })
  const to = destinationOf(draft, input)
  if (to) showSlide(draft, to.slideIndex, 'host')
}

function answerHere(draft: Draft, input: TableInput): void {
  const { status } = draft.state
  beginAnswer(draft, questionOf(draft, questionIn(input)), status, resumePlace(draft))
}

function queue(draft: Draft, input: TableInput): void {
  const question = questionOf(draft, questionIn(input))
  setQuestion(draft, question, 'queued')
  answerAtOnce(draft, question)
}

/** An isolated talk may be interrupted, or is silent anyway between two beats; elsewhere the question waits. */
function queueOrInterrupt(draft: Draft, input: TableInput): void {
  const { state, setting } = draft
  if (setting.mode === 'broadcast') return queue(draft, input)
  if (state.speaking !== null && !questionIn(input).interrupt) return queue(draft, input)
  const { status } = state
  cutBeat(draft)
  beginAnswer(draft, questionOf(draft, questionIn(input)), status, resumePlace(draft))
}

function answerClosing(draft: Draft, input: TableInput): void {
  if (draft.state.speaking !== null) queueOrInterrupt(draft, input)
  else answerHere(draft, input)
}

/** Whether `input` speaks of the beat or the sentence that is being said; a late or repeated acknowledgement does not. */
function isCurrent(draft: Draft, input: TableInput): input is TableInput & { type: 'beat_done' } {
  if (input.type !== 'beat_done') return false
  const { speaking, answer } = draft.state
  if (answer !== null) return input.utterance === `${answer.answerId}:${answer.heard}` && answer.heard < answer.sentences.length
  return speaking?.beatId === input.utterance
}

function nextBeat(draft: Draft, input: TableInput): void {
  if (!isCurrent(draft, input)) return
  endBeat(draft, input.heard)
  const isSilent = silenceAround(draft.setting, input.utterance).after > 0
  if (!isSilent || draft.state.waiting.length > 0) goOn(draft)
}

function nextClosing(draft: Draft, input: TableInput): void {
  if (!isCurrent(draft, input)) return
  endBeat(draft, input.heard)
  goOnClosing(draft)
}

function nextSentence(draft: Draft, input: TableInput): void {
  const { answer } = draft.state
  if (answer === null || !isCurrent(draft, input)) return
  draft.emit({ type: 'heard', data: { answerId: answer.answerId, index: answer.heard, acked: input.heard } }, 'log')
  finishAnswerIfSaid(draft)
}

/** The answer ends once it is composed and its last sentence was heard. */
export function finishAnswerIfSaid(draft: Draft): void {
  const { answer } = draft.state
  if (answer !== null && answer.composed !== null && answer.heard >= answer.sentences.length) afterAnswer(draft)
}

function afterAnswer(draft: Draft): void {
  const control = draft.state.answer?.composed?.control
  closeAnswer(draft, 'end')
  if (control === undefined || !grant(draft, control)) leaveAnswer(draft)
}

function leaveAnswer(draft: Draft): void {
  const { returnTo } = draft.state
  if (returnTo !== null && mayAnswerMore(draft) && answerNext(draft, returnTo, resumePlace(draft))) return
  returnFromAnswer(draft)
}

function failAnswer(draft: Draft): void {
  closeAnswer(draft, 'end', 'error')
  leaveAnswer(draft)
}

function abandon(draft: Draft): void {
  const inWindow = draft.state.windowUntil !== null
  hush(draft)
  complete(draft, 'attendee', inWindow ? 'finished' : 'abandoned')
}

function handOver(draft: Draft, input: TableInput): void {
  hush(draft)
  enter(draft, 'handed_over', actorOf(input), { resumeAt: resumePlace(draft) })
}

function handBack(draft: Draft, input: TableInput): void {
  const { slideIndex } = input.type === 'hand_back' ? input : { slideIndex: undefined }
  const place: Place | null = slideIndex === undefined ? resumePlace(draft) : draft.setting.order.ofSlide(slideIndex)
  present(draft, place, actorOf(input))
}

function recover(draft: Draft): void {
  const { status, answer } = draft.state
  // The dead owner's beat is cut where it was surely said, so that it begins again there and never sounds twice at once.
  cutBeat(draft)
  const { windowUntil } = draft.state
  const by = status === 'paused' ? (draft.state.pausedBy ?? 'system') : 'system'
  enter(draft, status, by, { reason: 'recovered', ...(windowUntil === null ? {} : { windowUntil }) })
  if (answer !== null) {
    draft.task({ type: 'answer', answerId: answer.answerId, questionId: answer.questionId, instant: false })
    finishAnswerIfSaid(draft)
  } else if (status === 'presenting') goOn(draft)
  else if (status === 'closing' && draft.state.windowUntil === null) goOnClosing(draft)
}

function fail(draft: Draft): void {
  hush(draft)
  enter(draft, 'failed', 'system', { reason: 'fault', resumeAt: resumePlace(draft) })
}

export const moves: Readonly<Record<Move, Play>> = {
  present: (draft, input) => begin(draft, actorOf(input)),
  present_at: moveTo,
  resume: (draft, input) => (input.type === 'hand_back' ? handBack(draft, input) : begin(draft, actorOf(input))),
  resume_host(draft, input) {
    if (actorOf(input) === 'host') begin(draft, 'host')
  },
  retry: (draft, input) => begin(draft, actorOf(input)),
  next_beat: nextBeat,
  next_sentence: nextSentence,
  next_closing: nextClosing,
  complete_window(draft, input) {
    if (draft.state.windowUntil !== null) complete(draft, actorOf(input), 'finished')
  },
  answer: answerHere,
  queue_or_interrupt: queueOrInterrupt,
  queue,
  answer_closing: answerClosing,
  answer_written(draft, input) {
    if (input.type === 'ask') answerInWriting(draft, input.question)
  },
  after_answer: afterAnswer,
  fail_answer: failAnswer,
  cut_pause: (draft, input) => pause(draft, actorOf(input)),
  cut_present_at: moveTo,
  pause_at: pauseAt,
  host_slide: leadSlide,
  skip_answer(draft) {
    closeAnswer(draft, 'cut')
    leaveAnswer(draft)
  },
  hand_over: handOver,
  close(draft, input) {
    hush(draft)
    endWith(draft, draft.setting.order.lastClosing(), actorOf(input))
  },
  complete(draft, input) {
    hush(draft)
    complete(draft, actorOf(input), actorOf(input) === 'host' ? 'ended_by_host' : 'abandoned')
  },
  abandon,
  pause_empty: (draft) => pause(draft, 'system', 'empty'),
  pause_answered(draft) {
    closeAnswer(draft, 'end')
    enter(draft, 'paused', 'system', { reason: 'empty', resumeAt: resumePlace(draft) })
  },
  abandon_late: (draft) => complete(draft, 'system', 'abandoned'),
  complete_empty(draft) {
    const inWindow = draft.state.windowUntil !== null
    if (draft.state.speaking !== null) endBeat(draft, false)
    complete(draft, 'system', inWindow ? 'finished' : 'abandoned')
  },
  recover,
  recover_beat: recover,
  recover_answer: recover,
  fail,
  answer_fallback: failAnswer,
}
