// When the end of a sentence is told: in an isolated talk when it was heard, in a broadcast after the brief silence that follows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signalOf } from '@rostrum/answers/intents'
import { sampleSession, sampleTalk } from '../../../test/support/sample-talk.ts'
import type { RunEvent } from '@rostrum/contract/room'
import { initialState, type RunState } from '../run-state.ts'
import { decide, nextDue } from './machine.ts'
import { type Input, orderOf, type Setting, type TableInput } from './draft.ts'

const start = Date.UTC(2026, 10, 20, 12)

/** A talk whose sentences are all followed by this silence. */
function settingOf(mode: 'isolated' | 'broadcast', pauseMs: number, waitMs?: number): Setting {
  const sample = sampleTalk()
  const talk = { ...sample, beats: sample.beats.map((beat) => ({ ...beat, pauseMs, ...(waitMs === undefined ? {} : { waitMs }) })) }
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
  events: readonly RunEvent[]
}

function play(state: RunState, input: Input, setting: Setting, now: number): Held {
  return decide(state, input, setting, { now, epoch: 1, streamOpen: true })
}

const begun = (setting: Setting): RunState => play(initialState(start), { type: 'start', by: 'host' }, setting, start).state
const firstMs = (setting: Setting): number => setting.talk.beats[0]?.estMs ?? 0
const dueAt = (state: RunState, setting: Setting): number => (nextDue(state, setting, true)?.at ?? 0) - start
const beatsIn = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'beat' ? [`${event.data.phase} ${event.data.beatId}`] : []))

test('a broadcast tells the end of a sentence with the beginning of the next, after a brief silence', () => {
  for (const pauseMs of [0, 250, 1_000]) {
    const setting = settingOf('broadcast', pauseMs)
    const state = begun(setting)
    const at = firstMs(setting) + pauseMs
    assert.equal(dueAt(state, setting), at)
    assert.deepEqual(play(state, { type: 'tick' }, setting, start + at - 1).events, [])
    assert.deepEqual(beatsIn(play(state, { type: 'tick' }, setting, start + at).events), ['end beat-0', 'start beat-1'])
  }
})

test('a longer silence of a broadcast begins with the end of its sentence, as one that waits for questions does', () => {
  for (const [pauseMs, waitMs] of [
    [1_001, undefined],
    [250, 8_000],
  ] as const) {
    const setting = settingOf('broadcast', pauseMs, waitMs)
    const state = begun(setting)
    assert.equal(dueAt(state, setting), firstMs(setting))
    const ended = play(state, { type: 'tick' }, setting, start + firstMs(setting))
    assert.deepEqual(beatsIn(ended.events), ['end beat-0'])
    const at = firstMs(setting) + pauseMs + (waitMs ?? 0)
    assert.equal(dueAt(ended.state, setting), at)
    assert.deepEqual(beatsIn(play(ended.state, { type: 'tick' }, setting, start + at).events), ['start beat-1'])
  }
})

test('an isolated talk waits for no silence: the next sentence begins when one was heard', () => {
  const setting = settingOf('isolated', 500)
  const heard: Input = { type: 'beat_done', utterance: 'beat-0', heard: true }
  assert.deepEqual(beatsIn(play(begun(setting), heard, setting, start + 1_000).events), ['end beat-0', 'start beat-1'])
})

test('a broadcast that is stopped in the silence after a sentence has said it whole, and goes on with the next', () => {
  const setting = settingOf('broadcast', 500)
  const state = begun(setting)
  const now = start + firstMs(setting) + 100
  const inputs: TableInput[] = [
    { type: 'pause', by: 'host' },
    { type: 'take_over', by: 'host' },
    { type: 'move', by: 'host', to: { type: 'goto', slideIndex: 1 } },
    { type: 'lease_gained' },
  ]
  for (const input of inputs) assert.equal(beatsIn(play(state, input, setting, now).events)[0], 'end beat-0', input.type)
  const paused = play(state, { type: 'pause', by: 'host' }, setting, now).state
  const resumed = play(paused, { type: 'resume', by: 'host' }, setting, now + 60_000)
  assert.deepEqual(beatsIn(resumed.events), ['start beat-1'])
  assert.match(beatsIn(play(state, { type: 'pause', by: 'host' }, setting, now - 101).events)[0] ?? '', /^cut/)
})

test('a question that waits is answered at the end of the slide, after its brief silence', () => {
  const setting = settingOf('broadcast', 500)
  const question = { id: 'q', text: 'How many bolts?', attendeeId: 'a', name: null, interrupt: false, isPrivate: false, slideIndex: 0 }
  let { state } = play(begun(setting), { kind: 'questions', ...question }, setting, start + 10)
  assert.equal(state.status, 'presenting')
  let at = 0
  while (state.status === 'presenting' && state.slideIndex === 0) {
    at = dueAt(state, setting)
    state = play(state, { type: 'tick' }, setting, start + at).state
  }
  assert.equal(state.status, 'answering')
  assert.equal(state.slideIndex, 0)
  const ofSlide = setting.talk.beats.filter(({ slideIndex }) => slideIndex === 0)
  assert.equal(
    at,
    ofSlide.reduce((sum, { estMs, pauseMs = 0 }) => sum + estMs + pauseMs, 0),
  )
})
