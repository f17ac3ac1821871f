import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createThreads, stepByStep, ThreadFailed } from './work.ts'

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

const module = (code: string) =>
  new URL(`data:text/javascript,import{parentPort,workerData}from'node:worker_threads';${encodeURIComponent(code)}`)
const echo = module('parentPort.postMessage(workerData)')
const endless = module('for(;;);')

test('what the thread posts is the result', async () => {
  assert.deepEqual(await createThreads().run(echo, { a: [1, 2] }), { a: [1, 2] })
})

test('work that runs over is ended, and the next has its place', async () => {
  const threads = createThreads(200)
  const late = Array.from({ length: 3 }, () => assert.rejects(threads.run(endless, null), ThreadFailed))
  await Promise.all([...late, createThreads().run(echo, 1)])
})

test('a fault, and a thread that says nothing, are failures', async () => {
  await assert.rejects(createThreads().run(module('throw new Error("no")'), null), ThreadFailed)
  await assert.rejects(createThreads().run(module(''), null), ThreadFailed)
})

test('memory has a bound', async () => {
  await assert.rejects(createThreads(20_000).run(module('const all=[];for(;;)all.push(new Array(1e5).fill({}))'), null), ThreadFailed)
})
