// Runs a race of models on the clock: starts and stops them, reads their claims, has each verified, and hands on what the winner may
// say. Never throws and never hangs: it ends by itself within the times of `race.ts`.
import type { JudgedClaim, ModelCall } from '../../contract/answer.ts'
import type { Clock } from '../../platform/clock.ts'
import { claimReader, type ModelLine } from './claim-lines.ts'
import { costOf, type LanguageModel, type ModelPrompt } from './language-model.ts'
import { type Finish, newRace, raceDue, type RaceEffect, type RaceInput, stepRace } from './race.ts'

export type RacePart<Said> =
  | { type: 'said'; said: Said }
  | { type: 'flag'; flag: 'suggest_cta' | 'handoff' }
  | { type: 'end'; why: Finish; calls: readonly ModelCall[] }

export interface RaceRun<Said> {
  clock: Clock
  /** The chain, in order; `at` is the place in it. Those whose circuit is open are left out. */
  models: readonly { at: number; model: LanguageModel }[]
  prompt: ModelPrompt
  askedAt: number
  signal: AbortSignal
  /** Null stops the claim; `forMs` is how long saying it takes. */
  judge(claim: { text: string; sources: readonly string[] }): { verdict: string; said: Said | null; forMs: number }
  onCall(at: number): void
  onOutcome(at: number, outcome: 'good' | 'failed' | 'unknown'): void
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface Entrant {
  abort: AbortController
  report: Mutable<ModelCall> & { claims: JudgedClaim[] }
  flags: Set<'suggest_cta' | 'handoff'>
  isSettled: boolean
}

export async function* runRace<Said>(run: RaceRun<Said>): AsyncIterable<RacePart<Said>> {
  const { clock, askedAt, models, signal } = run
  const byPlace = new Map(models.map(({ at, model }) => [at, model]))
  const entrants = new Map<number, Entrant>()
  const ready: RacePart<Said>[] = []
  let race = newRace([...byPlace.keys()], askedAt)
  let wake: () => void = () => undefined
  let cancel: () => void = () => undefined
  let finished: Finish | null = null

  const since = () => clock.now() - askedAt
  function step(input: RaceInput): void {
    const turn = stepRace(race, input, clock.now())
    race = turn.race
    for (const effect of turn.effects) act(effect)
    cancel()
    const due = raceDue(race)
    cancel = due === null ? () => undefined : clock.after(due - clock.now(), () => step({ type: 'tick' }))
    wake()
  }
  function act(effect: RaceEffect): void {
    if (effect.type === 'start') void enter(effect.model)
    else if (effect.type === 'stop') settle(effect.model, effect.isFault ? 'failed' : 'stopped')
    else finished = effect.why
  }
  /** Closes the books of a call, once. */
  function settle(at: number, how: 'ended' | 'failed' | 'stopped'): void {
    const entrant = entrants.get(at)
    if (entrant === undefined || entrant.isSettled) return
    entrant.isSettled = true
    entrant.abort.abort()
    const { report } = entrant
    report.endedMs = since()
    const isWinner = race.winner === at
    const hasRead = report.claims.length > 0 || entrant.flags.size > 0
    if (how === 'failed') report.outcome = isWinner ? 'won' : 'failed'
    else if (isWinner) report.outcome = 'won'
    else if (race.winner !== null) report.outcome = 'lost'
    else report.outcome = how === 'stopped' ? 'stopped' : 'nothing_verified'
    // What is no answer in our form at all is a failure of the model too, as is a stream that was cut.
    const isBroken = how === 'failed' || (how === 'ended' && !hasRead)
    run.onOutcome(at, isBroken ? 'failed' : how === 'ended' || isWinner ? 'good' : 'unknown')
  }

  async function enter(at: number): Promise<void> {
    const model = byPlace.get(at)
    if (model === undefined) return
    const abort = new AbortController()
    const report: Entrant['report'] = {
      model: model.name,
      startedMs: since(),
      firstPieceMs: null,
      firstSaidMs: null,
      endedMs: since(),
      outcome: 'stopped',
      claims: [],
      malformed: 0,
      tokens: null,
      cost: null,
    }
    const entrant: Entrant = { abort, report, flags: new Set(), isSettled: false }
    entrants.set(at, entrant)
    run.onCall(at)
    const reader = claimReader()
    try {
      for await (const part of model.stream(run.prompt, abort.signal)) {
        if (entrant.isSettled) return
        if (part.type === 'tokens') {
          report.tokens = part.tokens
          report.cost = costOf(part.tokens, model.price)
          continue
        }
        if (part.text === '') continue
        report.firstPieceMs ??= since()
        step({ type: 'chunk', model: at })
        for (const line of reader.push(part.text)) hear(at, entrant, line)
      }
      for (const line of reader.end()) hear(at, entrant, line)
      if (entrant.isSettled) return
      settle(at, 'ended')
      step({ type: 'ended', model: at })
    } catch {
      if (entrant.isSettled) return
      settle(at, 'failed')
      step({ type: 'failed', model: at })
    }
  }

  function hear(at: number, entrant: Entrant, line: ModelLine): void {
    if (entrant.isSettled) return
    if (line.type === 'malformed') entrant.report.malformed++
    else if (line.type !== 'claim') entrant.flags.add(line.type)
    else {
      const { verdict, said, forMs } = run.judge(line)
      // What may be private is not written down either.
      entrant.report.claims.push({ text: verdict === 'leak' ? '' : line.text, sources: line.sources, verdict })
      if (said === null) return
      step({ type: 'said', model: at, forMs })
      if (race.winner !== at) return
      entrant.report.firstSaidMs ??= since()
      ready.push({ type: 'said', said })
      wake()
    }
  }

  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  try {
    step({ type: 'go' })
    for (;;) {
      for (let part = ready.shift(); part !== undefined; part = ready.shift()) yield part
      if (signal.aborted || finished !== null) break
      await new Promise<void>((resolve) => {
        wake = resolve
        // Something may have come while the parts were taken.
        if (ready.length > 0 || finished !== null || signal.aborted) resolve()
      })
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    cancel()
    for (const at of entrants.keys()) settle(at, 'stopped')
  }
  if (signal.aborted || finished === null) return
  const speaker = entrants.get(race.winner ?? -1) ?? [...entrants.values()].find(({ flags }) => flags.size > 0)
  for (const flag of speaker?.flags ?? []) yield { type: 'flag', flag }
  yield { type: 'end', why: finished, calls: [...entrants.values()].map(({ report }) => report) }
}
