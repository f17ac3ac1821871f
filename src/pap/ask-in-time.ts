// How long a personal agent waits for an answer: 20 s, then it gets what can be quoted at once. A caller that has gone ends the work.
import { ServiceError } from '../platform/errors.ts'
import type { PapAnswer, PapAsked, PapDeps } from './ports.ts'

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
