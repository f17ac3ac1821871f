// Folds the one answer that is being given into the state of a run. Private words beside it, such as the instant answers of a
// broadcast, move nothing: they are kept for their asker's snapshot until the next answer is there.
import { clipIn } from '../clip-in.ts'
import type { AnswerGiven, Heard, Traced } from './run-event.ts'
import type { GivenAnswer, OpenAnswer, RunState } from './run-state.ts'

const historyMax = 6

export function foldAnswer(state: RunState, data: AnswerGiven['data'], at: number): RunState {
  if (data.instant === true) return data.phase === 'end' ? keepInstant(state, data) : state
  if (data.phase === 'start') {
    const answer: OpenAnswer = {
      answerId: data.answerId,
      questionId: data.questionId,
      startedAt: at,
      sentences: [],
      heard: 0,
      sentenceSince: at,
      composed: null,
      isPrivate: data.private === true,
    }
    return { ...state, answer }
  }
  const open = state.answer
  if (open === null || open.answerId !== data.answerId) return state
  if (data.phase === 'sentence') {
    const clip = clipIn(data)
    const sentence = { text: data.text ?? '', estMs: data.estMs ?? 0, ...(clip && { clip }), citations: data.citations ?? [] }
    const sentenceSince = open.heard === open.sentences.length ? at : open.sentenceSince
    return { ...state, answer: { ...open, sentences: [...open.sentences, sentence], sentenceSince } }
  }
  const { text: question = '', attendeeId = '' } = state.questions.get(open.questionId) ?? {}
  const slides = (data.citations ?? []).flatMap(({ type, index }) => (type === 'slide' ? [index] : []))
  const answered = [...state.answered, { question, answer: data.text ?? '', slides, attendeeId }].slice(-historyMax)
  return { ...keepAnswer(state, data), answer: null, answered, answersInRow: state.answersInRow + 1 }
}

function keepAnswer(state: RunState, data: AnswerGiven['data']): RunState {
  const question = state.questions.get(data.questionId)
  if (question === undefined) return state
  return { ...state, questions: state.questions.put(question.id, { ...question, answer: givenIn(data), instant: null }) }
}

/** Words of the service have a place of their own. To a private question that is not being answered others are the answer. */
function keepInstant(state: RunState, data: AnswerGiven['data']): RunState {
  const question = state.questions.get(data.questionId)
  if (question === undefined) return state
  if (data.notice === true) return { ...state, questions: state.questions.put(question.id, { ...question, notice: givenIn(data) }) }
  if (question.isPrivate && state.answer?.questionId !== question.id) return keepAnswer(state, data)
  return { ...state, questions: state.questions.put(question.id, { ...question, instant: givenIn(data) }) }
}

function givenIn(data: AnswerGiven['data']): GivenAnswer {
  const { answerId, outcome = 'answered', mode = 'extractive', text = '', citations = [], suggestedActions = [] } = data
  return { answerId, outcome, mode, text, citations, suggestedActions }
}

export function foldTrace(state: RunState, data: Traced['data']): RunState {
  if (state.answer === null || state.answer.answerId !== data.answerId) return state
  const { outcome, mode, confidence, citations, suggestedActions, signal = null, control = null } = data
  return { ...state, answer: { ...state.answer, composed: { outcome, mode, confidence, citations, suggestedActions, signal, control } } }
}

export function foldHeard(state: RunState, data: Heard['data'], at: number): RunState {
  const open = state.answer
  if (open === null || open.answerId !== data.answerId || data.index !== open.heard) return state
  return { ...state, answer: { ...open, heard: open.heard + 1, sentenceSince: at } }
}
