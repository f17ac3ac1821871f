// A talk is pinned by its deck, and its script is made anew where the length, the language or a sentence is changed: whoever takes
// the run up afterwards finds sentences in its log that are no more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signalOf } from '@rostrum/answers/intents'
import fc from 'fast-check'
import { type Step, steps } from '../../../test/support/run-inputs.ts'
import { sampleSession, sampleTalk } from '../../../test/support/sample-talk.ts'
import { testSeed } from '../../../test/support/seed.ts'
import { initialState, type RunState } from '../run-state.ts'
import { decide, nextDue } from './machine.ts'
import { type Input, orderOf, type Setting } from './draft.ts'

const start = Date.UTC(2026, 10, 20, 12)
const numRuns = Number(process.env['ROSTRUM_TEST_SEQUENCES'] ?? 1_000)
const whole = sampleTalk()

/** The talk without these beats. */
function settingOf(mode: 'isolated' | 'broadcast', gone: readonly number[]): Setting {
  const talk = { ...whole, beats: whole.beats.filter((_, index) => !gone.includes(index)) }
  return {
    runId: 'run',
    kind: 'live',
    mode,
    session: sampleSession({ mode }),
    talk,
    order: orderOf(talk),
    showsInterest: (text) => signalOf(text) !== undefined,
    questionWindowMs: 15_000,
  }
}

interface Held {
  state: RunState
  now: number
}

function play({ state, now }: Held, input: Input, setting: Setting): Held {
  return { now, state: decide(state, input, setting, { now, epoch: 1, streamOpen: true }).state }
}

function playAll(held: Held, sequence: readonly Step[], setting: Setting): Held {
  return sequence.reduce((before, step) => {
    const later = play({ ...before, now: before.now + step.waitMs }, { type: 'tick' }, setting)
    return play(later, step.make(later.state), setting)
  }, held)
}

const fixed = (type: 'start' | 'end'): Step => ({ waitMs: 0, label: type, make: () => ({ type, by: 'host' }) })
const modes = fc.constantFrom('isolated' as const, 'broadcast' as const)
const beatsGone = fc.uniqueArray(fc.nat(whole.beats.length - 1))

test('a talk whose sentences are no more goes on: nothing stays due, and it comes to its end', () => {
  fc.assert(
    fc.property(steps, steps, modes, beatsGone, (before, after, mode, gone) => {
      const changed = settingOf(mode, gone)
      let held = playAll({ state: initialState(start), now: start }, [fixed('start'), ...before], settingOf(mode, []))
      held = play(held, { type: 'lease_gained' }, changed)
      const { speaking } = held.state
      assert.ok(speaking === null || changed.order.beat(speaking.beatId) !== undefined, 'what is no more is not being said')
      held = playAll(held, after, changed)
      for (let turn = 0; turn < 400; turn++) {
        held = play(held, { type: 'tick' }, changed)
        const due = nextDue(held.state, changed, true)
        if (due === null) break
        assert.ok(due.at > held.now, `${held.state.status}: ${JSON.stringify(due.input)} is due and stays due`)
        held = { ...held, now: due.at }
      }
      const { status } = held.state
      assert.ok(['lobby', 'paused', 'handed_over', 'completed', 'failed'].includes(status), `the talk stays ${status}`)
    }),
    { numRuns, seed: testSeed },
  )
})

test('a sentence that is no more is taken up again at the beginning of its slide, and leaves the others to be said', () => {
  const before = settingOf('broadcast', [])
  // The first sentence of the second slide after its title; the script then has no such sentence.
  const spoken = 4
  const begun = before.talk.beats[spoken]
  assert.deepEqual([begun?.slideIndex, begun?.kind], [1, 'narration'])
  let held: Held = { state: initialState(start), now: start }
  held = play(held, { type: 'start', by: 'host' }, before)
  while (held.state.speaking?.beatId !== begun?.beatId) {
    const due = nextDue(held.state, before, true)
    held = play({ ...held, now: due?.at ?? Infinity }, { type: 'tick' }, before)
  }
  const changed = settingOf('broadcast', [spoken])
  held = play({ ...held, now: held.now + 1_000 }, { type: 'lease_gained' }, changed)
  assert.equal(held.state.speaking?.beatId, before.talk.beats[3]?.beatId)
  assert.equal(held.state.status, 'presenting')
})
