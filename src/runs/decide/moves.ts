// The moves named in the state table, one function each. A move runs only in the statuses that the table gives it.
import type { TalkControl } from '../../contract/answer.ts'
import type { Actor, Place } from '../../contract/room.ts'
import { answerAtOnce, answerNext, beginAnswer, closeAnswer, questionOf, setQuestion } from './answering.ts'
import type { Draft } from './draft.ts'
import type { AskedQuestion, TableInput } from './input.ts'
import { silenceAround } from './setting.ts'
import { cutBeat, endBeat, enter, resumePlace, showSlide } from './speech.ts'
import type { Move } from './table.ts'
import { closeEarly, complete, goOn, goOnClosing, mayAnswerMore, present, returnFromAnswer } from './talking.ts'

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
  if (draft.state.answer !== null) closeAnswer(draft, 'cut')
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
  if (to === 'unknown') return draft.refuse({ code: 'invalid_request', detail: 'This talk has no such slide.' })
  hush(draft)
  const by = actorOf(input)
  if (draft.state.status === 'lobby') enter(draft, 'presenting', by)
  present(draft, to, by, by === 'host' ? 'host' : 'attendee')
}

function pauseAt(draft: Draft, input: TableInput): void {
  const to = destinationOf(draft, input)
  if (to === 'unknown') return draft.refuse({ code: 'invalid_request', detail: 'This talk has no such slide.' })
  if (to === null) return
  const by = actorOf(input)
  showSlide(draft, to.slideIndex, by === 'host' ? 'host' : 'attendee')
  enter(draft, 'paused', draft.state.pausedBy ?? by, { reason: 'moved', resumeAt: to })
}

function leadSlide(draft: Draft, input: TableInput): void {
  if (actorOf(input) !== 'host')
    return draft.refuse({ code: 'forbidden', detail: 'The host is leading; only the host may change the slide.' })
  const to = destinationOf(draft, input)
  if (to === 'unknown') return draft.refuse({ code: 'invalid_request', detail: 'This talk has no such slide.' })
  if (to !== null) showSlide(draft, to.slideIndex, 'host')
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

function finishSaying(draft: Draft): void {
  if (draft.state.answer !== null) closeAnswer(draft, 'end')
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
    closeEarly(draft, actorOf(input))
  },
  complete(draft, input) {
    hush(draft)
    complete(draft, actorOf(input), actorOf(input) === 'host' ? 'ended_by_host' : 'abandoned')
  },
  abandon,
  pause_empty: (draft) => pause(draft, 'system', 'empty'),
  pause_answered(draft) {
    finishSaying(draft)
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

// Where `goto`, `next`, `previous` and `repeat` lead.

/** The place to go to; null: beyond the last slide, where the closing begins; `unknown`: there is no such slide. */
function destinationOf({ state, setting }: Draft, input: TableInput): Place | null | 'unknown' {
  if (input.type !== 'move') return 'unknown'
  const { slides } = setting.talk
  const here = state.slideIndex ?? 0
  switch (input.to.type) {
    case 'goto':
      return input.to.slideIndex < 0 || input.to.slideIndex >= slides.length ? 'unknown' : setting.order.ofSlide(input.to.slideIndex)
    case 'next':
      return here + 1 >= slides.length ? setting.order.firstClosing() : setting.order.ofSlide(here + 1)
    case 'previous':
      return setting.order.ofSlide(Math.max(0, here - 1))
    case 'repeat':
      return setting.order.ofSlide(here)
  }
}
