// How long a personal agent waits for an answer: 20 s, then it gets what can be quoted at once. A caller that has gone ends the work.
import { ServiceError } from '../platform/errors.ts'
import type { AnswerOutcome, Citation } from '../contract/answer.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Store } from '../platform/db/store.ts'

export const answerMs = 20_000

export interface PapCaller {
  id: string
  /** Aborts when the caller has gone. */
  signal: AbortSignal
}

/** The answer, or the quoting one when the time is up. Rejects once `signal` aborts; nobody reads that, and it is no fault. */
export function askInTime(
  sessionId: string,
  asked: PapAsked,
  { id, signal }: PapCaller,
  { ask, quote, clock }: Pick<PapDeps, 'ask' | 'quote' | 'clock'>,
): Promise<PapAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PapAnswer>()
  const stopped = new AbortController()
  const leave = () => {
    reject(new ServiceError('temporarily_unavailable', 'The call was given up.'))
    stopped.abort()
  }
  const cancel = clock.after(answerMs, () => {
    resolve(quote(sessionId, asked))
    stopped.abort()
  })
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  else ask(sessionId, asked, { id, signal: stopped.signal }).then(resolve, reject)
  return promise.finally(() => {
    cancel()
    signal.removeEventListener('abort', leave)
  })
}

// What a personal agent's question needs of the presenter; `app.ts` joins it. Public content only: no type here has a member
// for private notes.

export interface PapAnswer {
  sentences: readonly string[]
  citations: readonly Citation[]
  outcome: AnswerOutcome
  /** 0 to 1. */
  confidence: number
}

/** An earlier exchange of the same caller, oldest first: "And for towns?" goes on from it. */
export interface PapTurn {
  question: string
  answer: string
  /** That the answer cites, from 0. */
  slides: readonly number[]
}

export interface PapAsked {
  question: string
  history: readonly PapTurn[]
}

export interface PapDeps {
  store: Store
  clock: Clock
  ids: Ids
  baseUrl: string
  /** Answers from the public content of a published session; stops once `signal` aborts. `id` is whose turn it is. */
  ask(sessionId: string, asked: PapAsked, caller: { id: string; signal: AbortSignal }): Promise<PapAnswer>
  /** The same by quoting alone, at once. */
  quote(sessionId: string, asked: PapAsked): Promise<PapAnswer>
}
