// Folds questions and votes into the state of a run.
import type { QuestionStatus } from '../../contract/answer.ts'
import type { QuestionChanged, Voted } from './run-event.ts'
import type { Question, RunState } from './run-state.ts'

const waits = (status: QuestionStatus): boolean => status === 'queued'

export function foldQuestion(state: RunState, data: QuestionChanged['data'], at: number): RunState {
  const before = state.questions.get(data.questionId)
  const question: Question = {
    id: data.questionId,
    text: data.text,
    attendeeId: data.by.attendeeId,
    name: data.by.name,
    status: data.status,
    mergedInto: data.mergedInto ?? null,
    votes: data.votes,
    voters: before?.voters ?? [],
    slideIndex: data.slideIndex,
    isPrivate: data.private === true,
    askedAt: before?.askedAt ?? at,
    order: before?.order ?? state.questionsCount,
    // Let in again, it is answered anew.
    answer: waits(data.status) && before?.status !== data.status ? null : (before?.answer ?? null),
    instant: before?.instant ?? null,
    notice: before?.notice ?? null,
  }
  return {
    ...state,
    questions: state.questions.put(data.questionId, question),
    questionsCount: state.questionsCount + (before === undefined ? 1 : 0),
    waiting: waitingAfter(state.waiting, data),
  }
}

/** A question that waits keeps its place, whatever else of it changes. */
function waitingAfter(waiting: RunState['waiting'], { questionId, status }: QuestionChanged['data']): RunState['waiting'] {
  if (!waits(status)) return waiting.filter((id) => id !== questionId)
  return waiting.includes(questionId) ? waiting : [...waiting, questionId]
}

export function foldVote(state: RunState, data: Voted['data']): RunState {
  const question = state.questions.get(data.questionId)
  if (question === undefined) return state
  const others = question.voters.filter((id) => id !== data.attendeeId)
  const voters = data.value === 1 ? [...others, data.attendeeId] : others
  return {
    ...state,
    questions: state.questions.put(question.id, { ...question, voters, votes: question.votes + voters.length - question.voters.length }),
  }
}
