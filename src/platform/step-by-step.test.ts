import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepByStep } from './step-by-step.ts'

/** Each step takes a whole turn. */
function* slow(name: string, said: string[]): Generator<undefined, string> {
  for (let step = 0; step < 3; step++) {
    said.push(`${name}${step}`)
    const since = performance.now()
    while (performance.now() - since < 11);
    yield
  }
  return name
}

test('several pieces of work take turns, each in a round of the event loop of its own', async () => {
  const said: string[] = []
  let rounds = 0
  const count = () => {
    said.push('-')
    if (++rounds < 20) setImmediate(count)
  }
  setImmediate(count)
  assert.deepEqual(await Promise.all([stepByStep(slow('a', said)), stepByStep(slow('b', said))]), ['a', 'b'])
  const steps = said.join('').replaceAll(/-+/g, '-').replaceAll(/^-|-$/g, '')
  assert.equal(steps, 'a0-b0-a1-b1-a2-b2')
})
