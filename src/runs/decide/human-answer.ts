// Answers that did not come through the queue: the instant private copy of a broadcast, private words, and the host's own.
import { joinedTo } from '../merge-questions.ts'
import type { Question } from '../state/run-state.ts'
import { answerIdOf, beginAnswer, setQuestion, settleMerged } from './answering.ts'
import type { Draft } from './draft.ts'
import type { OtherInput } from './input.ts'
import { finishAnswerIfSaid, hush } from './moves.ts'
import { resumePlace } from './speech.ts'

/** Written to the asker alone, whole; it moves nothing in the room. */
export function giveInstantAnswer(draft: Draft, { questionId, attendeeId, text, answer }: OtherInput & { type: 'instant_answer' }): void {
  const question = draft.state.questions.get(questionId)
  if (question === undefined || question.status === 'answered' || question.status === 'hidden') return
  const { answerId, outcome, mode, confidence, citations, suggestedActions } = answer
  const common = { answerId, questionId, private: true, instant: true } as const
  draft.emit({ type: 'answer', data: { ...common, phase: 'start' } }, attendeeId)
  draft.emit(
    { type: 'answer', data: { ...common, phase: 'end', text, outcome, mode, confidence, citations, suggestedActions } },
    attendeeId,
  )
  if (question.isPrivate) setQuestion(draft, question, 'answered')
}

/** A word to one attendee that is no answer from the deck, such as the question whether their details may be sent. */
export function tellPrivately(draft: Draft, { answerId, questionId, attendeeId, text, offersForm }: OtherInput & { type: 'tell' }): void {
  const common = { answerId, questionId, private: true, instant: true, notice: true } as const
  const suggestedActions = offersForm ? [{ type: 'submit_lead', label: 'Leave your details' } as const] : []
  const whole = { outcome: 'handoff', mode: 'extractive', confidence: 1, citations: [], suggestedActions } as const
  draft.emit({ type: 'answer', data: { ...common, phase: 'start' } }, attendeeId)
  draft.emit({ type: 'answer', data: { ...common, phase: 'end', text, ...whole } }, attendeeId)
}

const hostsIdOf = ({ id }: Question): string => `h-${answerIdOf(id)}`

/** The host's words to the asker alone. What the room has not seen stays unseen; the question goes first, so that its answer finds it. */
function writePrivately(draft: Draft, question: Question, text: string): void {
  const { id, status, mergedInto, attendeeId } = question
  const isUnseen = status === 'pending' || status === 'declined' || status === 'hidden'
  setQuestion(draft, isUnseen ? { ...question, isPrivate: true } : question, 'answered', mergedInto === null ? {} : { mergedInto })
  const common = { answerId: hostsIdOf(question), questionId: id, private: true, instant: true } as const
  draft.emit(
    { type: 'answer', data: { ...common, phase: 'end', text, outcome: 'answered', mode: 'human', confidence: 1, citations: [] } },
    attendeeId,
  )
}

/** The host's answer: said by the presenter where it may speak, written only where it is silent, private where the host wants it. */
export function giveOwnWords(draft: Draft, input: OtherInput & { type: 'answer_text' }): void {
  const question = draft.state.questions.get(input.questionId)
  if (question === undefined) return draft.refuse({ code: 'not_found', detail: 'No such question in this run.' })
  const { text } = input
  const answerId = hostsIdOf(question)
  const composed = { answerId, outcome: 'answered', mode: 'human', confidence: 1, citations: [], suggestedActions: [] } as const
  const { status } = draft.state
  if (input.isPrivate || question.isPrivate) {
    const joined = joinedTo([question.id], draft.state)
    writePrivately(draft, question, text)
    for (const other of joined) writePrivately(draft, other, text)
    return
  }
  if (status === 'completed' || status === 'failed') {
    return draft.refuse({ code: 'run_state', detail: 'The talk is over; answer in private instead.' })
  }
  if (status === 'handed_over') {
    setQuestion(draft, question, 'answering')
    draft.emit({ type: 'answer', data: { answerId, questionId: question.id, phase: 'start' } })
    draft.emit({
      type: 'answer',
      data: { answerId, questionId: question.id, phase: 'end', text, outcome: 'answered', mode: 'human', confidence: 1, citations: [] },
    })
    setQuestion(draft, question, 'answered')
    return settleMerged(draft, question.id)
  }
  const { returnTo } = draft.state
  hush(draft)
  beginAnswer(draft, question, status === 'answering' ? (returnTo ?? 'presenting') : status, resumePlace(draft), answerId)
  const { speed } = draft.state
  for (const [index, { text: sentence, clip }] of input.sentences.entries()) {
    const estMs = Math.round((clip?.audioMs ?? Math.max(700, sentence.split(/\s+/).length * 400)) / speed)
    const said = { answerId, questionId: question.id, phase: 'sentence', index, text: sentence, estMs, ...clip, citations: [] } as const
    draft.emit({ type: 'answer', data: said })
  }
  draft.emit({ type: 'trace', data: composed }, 'host')
  finishAnswerIfSaid(draft)
}
