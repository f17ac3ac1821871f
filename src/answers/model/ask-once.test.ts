import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock, settle } from '../../../test/support/clock.ts'
import { createAskOnce } from './ask-once.ts'
import { circuitTimes, createCircuits, createSlots } from './slots.ts'
import type { LanguageModel, ModelPart } from './language-model.ts'

const prompt = { rules: 'R', material: '', ask: 'A', outputTokensMax: 10 }
const never = new AbortController().signal
const tokens = { input: 2_000_000, cached: 0, output: 1_000_000 }

type Stream = (signal: AbortSignal) => AsyncIterable<ModelPart>

async function* writes(...pieces: string[]): AsyncIterable<ModelPart> {
  for (const text of pieces) yield { type: 'text', text }
  yield { type: 'tokens', tokens }
}

// oxlint-disable-next-line require-yield
async function* fails(): AsyncIterable<ModelPart> {
  throw new Error('The model failed.')
}

function rig(streams: readonly Stream[], count = 2) {
  const clock = manualClock()
  const called: string[] = []
  const models = streams.map((stream, at): LanguageModel => ({
    name: `test:${at}`,
    price: { input: 1, output: 10 },
    stream(_prompt, signal) {
      called.push(`test:${at}`)
      return stream(signal)
    },
  }))
  const [slots, circuits] = [createSlots(clock, count), createCircuits(clock)]
  return { clock, called, slots, circuits, ask: createAskOnce({ models, slots, circuits }) }
}

test('the reply comes whole, with what it cost', async () => {
  const { ask, slots } = rig([() => writes('one ', 'two')])
  assert.deepEqual(await ask(prompt, 10, never), { text: 'one two', why: 'ended', spent: { model: 'test:0', tokens, cost: 12 } })
  assert.equal(slots.running, 0)
})

test('a model that fails is followed by the next of the chain, and its circuit counts it', async () => {
  const { ask, called, circuits } = rig([fails, () => writes('two')])
  for (let call = 0; call < circuitTimes.failuresMax; call++) assert.equal((await ask(prompt, 10, never)).text, 'two')
  assert.equal(circuits.mayCall(0), false)
  called.length = 0
  assert.equal((await ask(prompt, 10, never)).text, 'two')
  assert.deepEqual(called, ['test:1'])
})

test('the trial of an opened circuit is left to answers', async () => {
  const { ask, called, circuits, clock } = rig([fails])
  for (let call = 0; call < circuitTimes.failuresMax; call++) assert.equal((await ask(prompt, 10, never)).why, 'failed')
  await clock.advance(circuitTimes.openMs)
  called.length = 0
  assert.deepEqual(await ask(prompt, 10, never), { text: null, why: 'circuit', spent: {} })
  assert.deepEqual([called, circuits.mayCall(0)], [[], true])
})

test('it takes only a slot to spare, and gives it back', async () => {
  const { ask, slots } = rig([() => writes('one')])
  const leave = await slots.take('session', 'attendee', never)
  assert.deepEqual(await ask(prompt, 10, never), { text: null, why: 'busy', spent: {} })
  leave?.()
  assert.equal((await ask(prompt, 10, never)).why, 'ended')
  assert.equal((await rig([() => writes('one')], 1).ask(prompt, 10, never)).why, 'busy')
})

test('more than so many characters is cut off, and a call that is given up says so', async () => {
  let isOpen = true
  async function* babbles(): AsyncIterable<ModelPart> {
    try {
      for (;;) yield { type: 'text', text: 'four' }
    } finally {
      isOpen = false
    }
  }
  assert.deepEqual(await rig([babbles]).ask(prompt, 10, never), { text: null, why: 'too_large', spent: { model: 'test:0' } })
  assert.equal(isOpen, false)
  const abort = new AbortController()
  // oxlint-disable-next-line require-yield
  async function* stalls(signal: AbortSignal): AsyncIterable<ModelPart> {
    await new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('Aborted.')), { once: true }))
  }
  const { ask, circuits, slots } = rig([stalls])
  const asked = ask(prompt, 10, abort.signal)
  await settle()
  assert.equal(slots.running, 1)
  abort.abort()
  assert.equal((await asked).why, 'stopped')
  assert.deepEqual([slots.running, circuits.isClosed(0)], [0, true])
})
