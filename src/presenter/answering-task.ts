// Fetches answers from the answer port and puts their parts into the run's mailbox as they come. A talk never waits for it: the
// machine times out by itself, and an aborted answer is heard of no more.
import { estimateMs } from '../decks/script/timing.ts'
import type { AnswerPart, AnswerPort, AnswerRequest } from './answer-port.ts'
import type { ComposedAnswer, Task } from './input.ts'
import type { LeasedRun } from './leased-run.ts'

export interface AnsweringDeps {
  answers: AnswerPort
  speechWpm: number
  onFault(runId: string, error: unknown): void
}

export interface Answering {
  perform(run: LeasedRun, task: Task): void
  abortAll(runId: string): void
}

const sorry = 'I could not work out an answer. The host will see your question.'

export function createAnswering({ answers, speechWpm, onFault }: AnsweringDeps): Answering {
  const running = new Map<string, AbortController>()
  const keyOf = (runId: string, answerId: string) => `${runId} ${answerId}`

  async function compose(run: LeasedRun, task: Task & { type: 'answer' }, signal: AbortSignal): Promise<void> {
    const request = requestOf(run, task, signal)
    if (request === null) return
    let index = 0
    let end: (AnswerPart & { type: 'end' }) | null = null
    const texts: string[] = []
    try {
      for await (const part of answers.answer(request)) {
        if (signal.aborted) return
        if (part.type === 'end') end = part
        else {
          texts.push(part.text)
          const { text, citations } = part
          const estMs = estimateMs(text, run.setting.session.language, speechWpm) / run.state.speed
          if (!task.instant) run.put({ type: 'answer_sentence', answerId: task.answerId, index, text, estMs: Math.round(estMs), citations })
          index++
        }
      }
    } catch (error) {
      if (signal.aborted) return
      onFault(run.runId, error)
    }
    if (end === null && index === 0 && !task.instant) {
      run.put({
        type: 'answer_sentence',
        answerId: task.answerId,
        index,
        text: sorry,
        estMs: estimateMs(sorry, 'en', speechWpm),
        citations: [],
      })
    }
    const answer = composedOf(task.answerId, end)
    if (!task.instant) return run.put({ type: 'answer_composed', answer })
    if (end !== null)
      run.put({ type: 'instant_answer', questionId: task.questionId, attendeeId: task.attendeeId, text: texts.join(' '), answer })
  }

  return {
    perform(run, task) {
      const key = keyOf(run.runId, task.answerId)
      if (task.type === 'abort_answer') {
        running.get(key)?.abort()
        running.delete(key)
        return
      }
      const controller = new AbortController()
      running.get(key)?.abort()
      running.set(key, controller)
      void compose(run, task, controller.signal).finally(() => {
        if (running.get(key) === controller) running.delete(key)
      })
    },
    abortAll(runId) {
      for (const [key, controller] of running) {
        if (!key.startsWith(`${runId} `)) continue
        controller.abort()
        running.delete(key)
      }
    },
  }
}

function requestOf(run: LeasedRun, task: Task & { type: 'answer' }, signal: AbortSignal): AnswerRequest | null {
  const { state, setting } = run
  const question = state.questions.get(task.questionId)
  if (question === undefined) return null
  return {
    runId: run.runId,
    session: setting.session,
    talk: setting.talk,
    attendeeId: question.attendeeId,
    question: question.text,
    slideIndex: state.slideIndex,
    slidesPassed: state.slidesPassed,
    history: state.answered,
    style: task.instant ? 'instant' : 'spoken',
    signal,
  }
}

function composedOf(answerId: string, end: (AnswerPart & { type: 'end' }) | null): ComposedAnswer {
  if (end === null) return { answerId, outcome: 'error', mode: 'extractive', confidence: 0, citations: [], suggestedActions: [] }
  const { type: _type, trace, ...rest } = end
  return { answerId, ...rest, ...(trace === undefined ? {} : { detail: trace }) }
}
