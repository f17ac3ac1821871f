// Asks the models of the chain one after the other, until one has said a sentence that passes. One time decides: who has not begun by
// then, or fails, is left for the next, and where none speaks in time the quoting answer that is ready does. Never throws and never hangs.
import type { JudgedClaim, ModelCall } from '@rostrum/contract/answer'
import type { Clock } from '@rostrum/base/clock'
import { claimReader, type ModelLine } from './claim-lines.ts'
import { costOf, type LanguageModel, type ModelPrompt } from './language-model.ts'

export const chainTimes = {
  firstPieceMs: 900,
  pieceMs: 2_500,
  totalMs: 20_000,
  /** Nobody waits longer than this without a sentence; two seconds are promised. */
  quietMs: 1_900,
} as const

type Why = 'ended' | 'cut' | 'slow' | 'stalled' | 'quiet' | 'total' | 'nothing_verified' | 'no_model'
export type Flag = 'suggest_cta' | 'handoff'

export type ChainPart<Said> =
  | { type: 'said'; said: Said }
  | { type: 'end'; why: Why; flags: ReadonlySet<Flag>; calls: readonly ModelCall[] }

export interface ChainRun<Said> {
  clock: Clock
  /** The chain, in order; `at` is the place in it. Those whose circuit is open are left out. */
  models: readonly { at: number; model: LanguageModel }[]
  prompt: ModelPrompt
  /** When the question was asked: waiting for a slot counts. */
  askedAt: number
  signal: AbortSignal
  /** Null stops the claim; `forMs` is how long saying it takes. */
  judge(claim: { text: string; sources: readonly string[] }): { verdict: string; said: Said | null; forMs: number }
  onCall(at: number): void
  onOutcome(at: number, outcome: 'good' | 'failed' | 'unknown'): void
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The faults of a model; a quiet room is not always its own. */
const faults: ReadonlySet<Why> = new Set(['cut', 'slow', 'stalled'])

export async function* askChain<Said>(run: ChainRun<Said>): AsyncGenerator<ChainPart<Said>, void> {
  const { clock, askedAt, models, prompt, signal, judge } = run
  const calls: ModelCall[] = []
  const since = () => clock.now() - askedAt
  let flags = new Set<Flag>()
  let why: Why = 'no_model'
  for (const { at, model } of models) {
    if (since() >= chainTimes.quietMs) {
      why = 'quiet'
      break
    }
    const startedAt = clock.now()
    const claims: JudgedClaim[] = []
    const own = new Set<Flag>()
    const call: Mutable<ModelCall> = {
      model: model.name,
      startedMs: since(),
      firstPieceMs: null,
      firstSaidMs: null,
      endedMs: since(),
      outcome: 'stopped',
      claims,
      malformed: 0,
      tokens: null,
      cost: null,
    }
    calls.push(call)
    run.onCall(at)
    let [pieceAt, saidUntil] = [startedAt, startedAt]
    /** What ends the call, if nothing more comes. */
    const due = (): [Why, number] => {
      const total: [Why, number] = ['total', askedAt + chainTimes.totalMs]
      if (call.firstSaidMs !== null)
        return first(total, ['stalled', pieceAt + chainTimes.pieceMs], ['quiet', saidUntil + chainTimes.quietMs])
      const quiet: [Why, number] = ['quiet', askedAt + chainTimes.quietMs]
      return call.firstPieceMs === null ? first(quiet, ['slow', startedAt + chainTimes.firstPieceMs]) : quiet
    }
    const hear = (line: ModelLine): Said[] => {
      if (line.type === 'malformed') call.malformed++
      else if (line.type !== 'claim') own.add(line.type)
      else {
        const { verdict, said, forMs } = judge(line)
        // What may be private is not written down either.
        claims.push({ text: verdict === 'leak' ? '' : line.text, sources: line.sources, verdict })
        if (said === null) return []
        call.firstSaidMs ??= since()
        saidUntil = Math.max(clock.now(), saidUntil) + forMs
        return [said]
      }
      return []
    }
    const reader = claimReader()
    const stop = new AbortController()
    why = 'quiet'
    try {
      const parts = model.stream(prompt, AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]()
      for (;;) {
        const [late, at] = due()
        const part = await within(parts.next(), at, clock, signal)
        why = part === null ? late : 'ended'
        if (part === null || part.done === true) break
        if (part.value.type === 'tokens') {
          call.tokens = part.value.tokens
          call.cost = costOf(part.value.tokens, model.price)
        } else if (part.value.text !== '') {
          call.firstPieceMs ??= since()
          pieceAt = clock.now()
          for (const said of reader.push(part.value.text).flatMap(hear)) yield { type: 'said', said }
        }
      }
      if (why === 'ended') for (const said of reader.end().flatMap(hear)) yield { type: 'said', said }
    } catch {
      why = 'cut'
    } finally {
      stop.abort()
      call.endedMs = since()
      const isEnd = why === 'ended' && !signal.aborted
      if (call.firstSaidMs !== null) call.outcome = 'won'
      else call.outcome = faults.has(why) ? 'failed' : isEnd ? 'nothing_verified' : 'stopped'
      // What is no answer in our form at all is a failure of the model too, as is a stream that was cut.
      const isBroken = !signal.aborted && (faults.has(why) || (isEnd && claims.length === 0 && own.size === 0))
      run.onOutcome(at, isBroken ? 'failed' : isEnd || call.firstSaidMs !== null ? 'good' : 'unknown')
    }
    if (signal.aborted) return
    if (flags.size === 0 || call.firstSaidMs !== null) flags = own
    if (call.firstSaidMs !== null || why === 'quiet' || why === 'total') break
    if (why === 'ended') why = 'nothing_verified'
  }
  yield { type: 'end', why, flags, calls }
}

const first = (...ends: readonly [Why, number][]): [Why, number] =>
  ends.reduce((one, other) => (other[1] < one[1] ? other : one), ['quiet', Infinity])

/** Null where nothing has come by `at`, or `signal` has aborted. */
async function within<T>(next: Promise<T>, at: number, clock: Clock, signal: AbortSignal): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const end = () => late.resolve(null)
  const cancel = clock.after(at - clock.now(), end)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  // A stream that is left fails to nobody.
  next.catch(() => undefined)
  try {
    return await Promise.race([next, late.promise])
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}
