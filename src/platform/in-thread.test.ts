import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createThreads, ThreadFailed } from './in-thread.ts'

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
