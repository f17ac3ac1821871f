// Rings between nodes through NATS instead of the database: `NATS_URL`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock, systemIds } from '@rostrum/base/clock'
import { createDoorbell, StartupError } from '../../server/platform/db/store.ts'
import { natsWire, openNodeBell } from '../../server/platform/db/bell.ts'
import { eventually } from '../support/clock.ts'
import { startNats } from '../support/nats-server.ts'
import { eachStore } from '../support/stores.ts'

async function openBell(url: string) {
  const doorbell = createDoorbell()
  const heard: string[] = []
  doorbell.listen('', (topic) => void heard.push(topic))
  const bell = await openNodeBell({ openWire: natsWire(url), doorbell, clock: systemClock, ids: systemIds })
  return { bell, heard }
}

test('topics of one tick reach every other node in one message, and their own node at once and once', async () => {
  const nats = await startNats('secret')
  const [a, b, c] = [await openBell(nats.url), await openBell(nats.url), await openBell(nats.url)]
  const topics = Array.from({ length: 1_000 }, (_, n) => `run:${n}`)
  a.bell.ring(topics)
  assert.deepEqual(a.heard, topics)
  await eventually(async () => b.heard.length === topics.length && c.heard.length === topics.length)
  assert.deepEqual([b.heard, c.heard], [topics, topics])
  b.bell.ring(['run:last'])
  await eventually(async () => a.heard.includes('run:last'))
  assert.equal(a.heard.length, topics.length + 1)
  assert.equal(nats.published(), 2)
  for (const { bell } of [a, b, c]) await bell.close()
  await nats.close()
})

test('after its connections were cut a node rings and hears again', async () => {
  const nats = await startNats()
  const [a, b] = [await openBell(nats.url), await openBell(nats.url)]
  nats.cut()
  let n = 0
  await eventually(async () => {
    a.bell.ring([`run:${n++}`])
    await new Promise((resolve) => setImmediate(resolve))
    return b.heard.length > 0
  })
  await a.bell.close()
  await b.bell.close()
  await nats.close()
})

test('a server that is not there or refuses stops the start in words, without the password', async () => {
  const nats = await startNats('right')
  for (const url of ['nats://user:hunter2@127.0.0.1:1', nats.url.replace('right', 'hunter2')]) {
    await assert.rejects(openBell(url), (error) => {
      assert.ok(error instanceof StartupError)
      assert.match(error.message, /^NATS cannot be used: .*Check NATS_URL/)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    })
  }
  await nats.close()
})

eachStore((name, open) => {
  if (name !== 'postgres') return

  test('stores with NATS ring through it alone', async (t) => {
    const nats = await startNats()
    t.after(() => nats.close())
    const { another } = await open()
    const [one, two] = [await another({ natsUrl: nats.url }), await another({ natsUrl: nats.url })]
    const heard: string[] = []
    t.after(two.listen('run:', (topic) => void heard.push(topic)))
    await one.write(async (_tx, ring) => ring('run:1'))
    await eventually(async () => heard.length > 0)
    assert.deepEqual(heard, ['run:1'])
    assert.equal(nats.published(), 1)
  })
})
