import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newRace, type Race, raceDue, type RaceEffect, type RaceInput, raceTimes, stepRace } from './run-race.ts'

/** Plays inputs at their times, with every tick that falls due between them; gives each effect with its time. */
function play(models: number, script: readonly { at: number; input: RaceInput }[], until = 30_000) {
  let race: Race = newRace([...Array(models).keys()], 0)
  const log: { at: number; effect: RaceEffect }[] = []
  const spoken: { at: number; until: number }[] = []
  const step = (input: RaceInput, at: number) => {
    const before = race
    const turn = stepRace(race, input, at)
    race = turn.race
    log.push(...turn.effects.map((effect) => ({ at, effect })))
    if (input.type === 'said' && race.winner === input.model && before.runners.some(({ model }) => model === input.model)) {
      spoken.push({ at, until: race.saidUntil })
    }
  }
  const advance = (to: number) => {
    for (let due = raceDue(race); due !== null && due <= to; due = raceDue(race)) step({ type: 'tick' }, due)
  }
  for (const { at, input } of [{ at: 0, input: { type: 'go' } as const }, ...script]) {
    advance(at)
    step(input, at)
  }
  advance(until)
  return { log, race, spoken, finish: log.find(({ effect }) => effect.type === 'finish') }
}

const effects = (log: ReturnType<typeof play>['log']) =>
  log.map(({ at, effect }) => `${at} ${effect.type}${effect.type === 'finish' ? ` ${effect.why}` : ` ${effect.model}`}`)

test('a slow model gets a rival after 900 ms; the first sentence wins and the other is stopped', () => {
  const { log, finish } = play(2, [
    { at: 1_000, input: { type: 'chunk', model: 0 } },
    { at: 1_100, input: { type: 'chunk', model: 1 } },
    { at: 1_200, input: { type: 'said', model: 1, forMs: 2_000 } },
    { at: 1_300, input: { type: 'said', model: 0, forMs: 2_000 } },
    { at: 1_400, input: { type: 'ended', model: 1 } },
  ])
  assert.deepEqual(effects(log), ['0 start 0', '900 start 1', '1200 stop 0', '1400 finish ended'])
  assert.equal(finish?.at, 1_400)
})

test('where nobody begins, the chain is over 900 ms after its last start, and two seconds are never reached', () => {
  assert.deepEqual(effects(play(1, []).log), ['0 start 0', '900 stop 0', '900 finish slow'])
  assert.equal(play(2, []).finish?.at, 1_800)
  assert.equal(play(4, []).finish?.at, raceTimes.quietMs)
})

test('a model that fails is replaced at once; the last one ends the race', () => {
  const { log } = play(2, [
    { at: 100, input: { type: 'failed', model: 0 } },
    { at: 300, input: { type: 'ended', model: 1 } },
  ])
  assert.deepEqual(effects(log), ['0 start 0', '100 start 1', '300 finish nothing_verified'])
})

test('a stream that stalls after a sentence ends the answer with what was said', () => {
  const { log } = play(1, [
    { at: 100, input: { type: 'chunk', model: 0 } },
    { at: 100, input: { type: 'said', model: 0, forMs: 9_000 } },
  ])
  assert.deepEqual(effects(log), ['0 start 0', '2600 stop 0', '2600 finish stalled'])
})

test('for any timing: one finish by twenty seconds, every start stopped or ended, one winner, never two seconds of silence', () => {
  const input = fc.oneof(
    fc.record({ type: fc.constant('chunk' as const), model: fc.nat(2) }),
    fc.record({ type: fc.constant('said' as const), model: fc.nat(2), forMs: fc.nat(5_000) }),
    fc.record({ type: fc.constantFrom('ended' as const, 'failed' as const), model: fc.nat(2) }),
    fc.constant({ type: 'tick' as const }),
  )
  const script = fc.array(fc.record({ at: fc.nat(25_000), input }), { maxLength: 60 }).map((all) => all.toSorted((a, b) => a.at - b.at))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3 }), script, (models, inputs) => {
      const { log, race, spoken, finish } = play(models, inputs)
      assert.ok(finish !== undefined && finish.at <= raceTimes.totalMs)
      assert.equal(log.filter(({ effect }) => effect.type === 'finish').length, 1)
      assert.equal(log.at(-1)?.effect.type, 'finish')
      assert.equal(race.runners.length, 0)
      const starts = log.flatMap(({ effect }) => (effect.type === 'start' ? [effect.model] : []))
      assert.deepEqual(starts, [...new Set(starts)])
      let quietSince = 0
      for (const { at, until } of [...spoken, { at: finish.at, until: finish.at }]) {
        assert.ok(at - quietSince < 2_000, `${at - quietSince} ms of silence`)
        quietSince = Math.max(quietSince, until)
      }
    }),
    { numRuns: 10_000 },
  )
})
