// Runs a race of models on the clock: starts and stops them, reads their claims, has each verified, and hands on what the winner may
// say. Never throws and never hangs: it ends by itself within the times of `race.ts`.
import type { JudgedClaim, ModelCall } from '../../contract/answer.ts'
import type { Clock } from '../../platform/clock.ts'
import { claimReader, type ModelLine } from './claim-lines.ts'
import { costOf, type LanguageModel, type ModelPrompt } from './language-model.ts'

// Which model of the chain speaks. A model without a first piece after 900 ms gets a rival, the first verified sentence wins, and the
// loser is stopped; where none speaks in time, the quoting answer that is ready does. Pure: inputs and times in, effects out.

export const raceTimes = {
  firstChunkMs: 900,
  chunkMs: 2_500,
  totalMs: 20_000,
  /** Nobody waits longer than this without a sentence; two seconds are promised. */
  quietMs: 1_900,
} as const

interface Runner {
  model: number
  state: 'waiting' | 'streaming'
  startedAt: number
  chunkAt: number
}

export interface Race {
  /** When the question was asked: waiting for a slot counts. */
  askedAt: number
  /** Models of the chain not yet tried, in order. */
  fresh: readonly number[]
  runners: readonly Runner[]
  winner: number | null
  /** When what has been said so far is over. */
  saidUntil: number
  isOver: boolean
}

export type RaceInput =
  | { type: 'go' }
  | { type: 'chunk'; model: number }
  /** A sentence of this model has been verified; speaking it takes `forMs`. */
  | { type: 'said'; model: number; forMs: number }
  | { type: 'ended'; model: number }
  | { type: 'failed'; model: number }
  | { type: 'tick' }

type Finish = 'ended' | 'cut' | 'slow' | 'stalled' | 'quiet' | 'total' | 'nothing_verified' | 'no_model'

export type RaceEffect =
  | { type: 'start'; model: number }
  /** `isFault`: the model is to blame, so its circuit counts it. */
  | { type: 'stop'; model: number; isFault: boolean }
  | { type: 'finish'; why: Finish }

export function newRace(models: readonly number[], askedAt: number): Race {
  return { askedAt, fresh: models, runners: [], winner: null, saidUntil: askedAt, isOver: false }
}

interface Turn {
  race: Race
  effects: RaceEffect[]
}

const isLate = ({ state, startedAt }: Runner, now: number) => state === 'waiting' && now >= startedAt + raceTimes.firstChunkMs

function finish(race: Race, why: Finish, now: number): Turn {
  const isFault = (runner: Runner) => isLate(runner, now) || (why === 'stalled' && runner.model === race.winner)
  const stops = race.runners.map((runner) => ({ type: 'stop' as const, model: runner.model, isFault: isFault(runner) }))
  return { race: { ...race, runners: [], isOver: true }, effects: [...stops, { type: 'finish', why }] }
}

function startNext(race: Race, now: number, otherwise: Finish): Turn {
  const [model, ...fresh] = race.fresh
  if (model === undefined) return race.runners.length > 0 ? { race, effects: [] } : finish(race, otherwise, now)
  const runner: Runner = { model, state: 'waiting', startedAt: now, chunkAt: now }
  return { race: { ...race, fresh, runners: [...race.runners, runner] }, effects: [{ type: 'start', model }] }
}

/** A model has stopped by itself. */
function without(race: Race, model: number, why: 'ended' | 'cut', now: number): Turn {
  if (!race.runners.some((runner) => runner.model === model)) return { race, effects: [] }
  const rest = { ...race, runners: race.runners.filter((runner) => runner.model !== model) }
  if (race.winner === model) return finish(rest, why, now)
  return rest.runners.some((runner) => !isLate(runner, now)) ? { race: rest, effects: [] } : startNext(rest, now, 'nothing_verified')
}

function said(race: Race, model: number, forMs: number, now: number): Turn {
  const isFirst = race.winner === null
  if ((!isFirst && race.winner !== model) || !race.runners.some((runner) => runner.model === model)) return { race, effects: [] }
  const losers = race.runners.filter((runner) => runner.model !== model)
  const saidUntil = Math.max(now, race.saidUntil) + forMs
  return {
    race: { ...race, winner: model, saidUntil, runners: race.runners.filter((runner) => runner.model === model) },
    effects: losers.map((loser) => ({ type: 'stop', model: loser.model, isFault: isLate(loser, now) })),
  }
}

function tick(race: Race, now: number): Turn {
  if (now >= race.askedAt + raceTimes.totalMs) return finish(race, 'total', now)
  if (race.winner !== null) {
    const winner = race.runners[0]
    if (winner !== undefined && now >= winner.chunkAt + raceTimes.chunkMs) return finish(race, 'stalled', now)
    return now >= race.saidUntil + raceTimes.quietMs ? finish(race, 'quiet', now) : { race, effects: [] }
  }
  if (now >= race.askedAt + raceTimes.quietMs) return finish(race, 'quiet', now)
  if (race.runners.length === 0 || !race.runners.every((runner) => isLate(runner, now))) return { race, effects: [] }
  return race.fresh.length > 0 ? startNext(race, now, 'slow') : finish(race, 'slow', now)
}

export function stepRace(race: Race, input: RaceInput, now: number): Turn {
  if (race.isOver) return { race, effects: [] }
  switch (input.type) {
    case 'go':
      return race.runners.length > 0 ? { race, effects: [] } : startNext(race, now, 'no_model')
    case 'chunk': {
      const runners = race.runners.map((runner) =>
        runner.model === input.model ? { ...runner, state: 'streaming' as const, chunkAt: now } : runner,
      )
      return { race: { ...race, runners }, effects: [] }
    }
    case 'said':
      return said(race, input.model, input.forMs, now)
    case 'ended':
      return without(race, input.model, 'ended', now)
    case 'failed':
      return without(race, input.model, 'cut', now)
    case 'tick':
      return tick(race, now)
  }
}

/** When a `tick` is due, if nothing else comes; null when the race is over. */
export function raceDue(race: Race): number | null {
  if (race.isOver) return null
  const { askedAt, winner, runners, saidUntil } = race
  const ends = askedAt + raceTimes.totalMs
  if (winner !== null) {
    const stalls = Math.min(...runners.map(({ chunkAt }) => chunkAt + raceTimes.chunkMs))
    return Math.min(ends, stalls, saidUntil + raceTimes.quietMs)
  }
  const late = runners.filter(({ state }) => state === 'waiting').map(({ startedAt }) => startedAt + raceTimes.firstChunkMs)
  const isAllWaiting = late.length > 0 && late.length === runners.length
  return Math.min(ends, askedAt + raceTimes.quietMs, ...(isAllWaiting ? [Math.max(...late)] : []))
}

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
