// Fetches answers from the answer port and puts their parts into the run's mailbox as they come. A talk never waits for it: the
// machine times out by itself, and an aborted answer is heard of no more.
import type { Citation } from '../../contract/answer.ts'
import type { Clock } from '../../platform/clock.ts'
import { estimateMs } from '../../sessions/script/compile/timing.ts'
import type { ComposedAnswer, Task } from '../decide/input.ts'
import type { AnswerPart, AnswerPort, AnswerRequest } from './answer-port.ts'
import type { LeasedRun } from './leased-run.ts'

/** Says a sentence within a time, or leaves it to the browser (null). */
export interface AnswerVoice {
  say(
    sentence: { sessionId: string; text: string; voice: string | null },
    waitMs: number,
    signal: AbortSignal,
  ): Promise<{ url: string; ms: number } | null>
}

export interface AnsweringDeps {
  answers: AnswerPort
  clock: Clock
  speechWpm: number
  voice?: AnswerVoice
  onFault(runId: string, error: unknown): void
}

interface Said {
  text: string
  citations: readonly Citation[]
}

export interface Answering {
  perform(run: LeasedRun, task: Task): void
  abortAll(runId: string): void
}

/** From the question to the first word nobody waits longer, whoever says it; a later sentence is fetched while the one before is said. */
export const firstWordMs = 1_800
const laterMs = 1_500

const sorry = 'I could not work out an answer. The host will see your question.'

export function createAnswering({ answers, clock, speechWpm, voice, onFault }: AnsweringDeps): Answering {
  const running = new Map<string, AbortController>()
  const keyOf = (runId: string, answerId: string) => `${runId} ${answerId}`

  /** Puts sentences into the run in their order, each once the voice has said it or its time is over. */
  function sayer(run: LeasedRun, answerId: string, signal: AbortSignal) {
    const { session } = run.setting
    const since = clock.elapsed()
    let count = 0
    let last: Promise<void> = Promise.resolve()
    const put = (index: number, { text, citations }: Said, clip: { url: string; ms: number } | null, language = session.language) => {
      if (signal.aborted) return
      const estMs = Math.round((clip?.ms ?? estimateMs(text, language, speechWpm)) / run.state.speed)
      const said = clip === null ? {} : { clip: { audioUrl: clip.url, audioMs: clip.ms } }
      run.put({ type: 'answer_sentence', answerId, index, text, estMs, citations, ...said })
    }
    return {
      say(sentence: Said, language?: string): void {
        const index = count++
        if (voice === undefined) return put(index, sentence, null, language)
        const waitMs = index === 0 ? firstWordMs - (clock.elapsed() - since) : laterMs
        const { sessionId, voice: wanted } = session
        const clip = voice.say({ sessionId, text: sentence.text, voice: wanted }, waitMs, signal)
        last = Promise.all([clip, last]).then(([said]) => put(index, sentence, said, language))
      },
      /** Resolves when everything has been put; at once without a voice. */
      said: () => (voice === undefined ? undefined : last),
    }
  }

  async function compose(run: LeasedRun, task: Task & { type: 'answer' }, signal: AbortSignal): Promise<void> {
    const request = requestOf(run, task, signal)
    if (request === null) return
    let end: (AnswerPart & { type: 'end' }) | null = null
    const texts: string[] = []
    const sentences = sayer(run, task.answerId, signal)
    try {
      for await (const part of answers.answer(request)) {
        if (signal.aborted) return
        if (part.type === 'end') end = part
        else {
          texts.push(part.text)
          if (!task.instant) sentences.say(part)
        }
      }
    } catch (error) {
      if (signal.aborted) return
      onFault(run.runId, error)
    }
    const answer = composedOf(task.answerId, end)
    if (task.instant) {
      const { questionId, attendeeId } = task
      // A copy that failed is no loss while the question waits for the room; to a private one it is the only answer.
      if (end === null && run.state.questions.get(questionId)?.isPrivate !== true) return
      const text = end === null && texts.length === 0 ? sorry : texts.join(' ')
      return run.put({ type: 'instant_answer', questionId, attendeeId, text, answer })
    }
    if (end === null && texts.length === 0) sentences.say({ text: sorry, citations: [] }, 'en')
    const rest = sentences.said()
    if (rest !== undefined) await rest
    if (!signal.aborted) run.put({ type: 'answer_composed', answer })
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
    pace: state,
    // "And the second one?" goes on from what the same person asked.
    history: state.answered.filter(({ attendeeId }) => attendeeId === question.attendeeId),
    style: task.instant ? 'instant' : 'spoken',
    signal,
  }
}

function composedOf(answerId: string, end: (AnswerPart & { type: 'end' }) | null): ComposedAnswer {
  if (end === null) return { answerId, outcome: 'error', mode: 'extractive', confidence: 0, citations: [], suggestedActions: [] }
  const { outcome, mode, confidence, citations, suggestedActions, control, trace } = end
  return { answerId, outcome, mode, confidence, citations, suggestedActions, ...(control && { control }), ...(trace && { trace }) }
}
