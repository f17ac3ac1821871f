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

export type Finish = 'ended' | 'cut' | 'slow' | 'stalled' | 'quiet' | 'total' | 'nothing_verified' | 'no_model'

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
