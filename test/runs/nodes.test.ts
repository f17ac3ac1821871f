// Two processes on one store, on each kind of store: commands and streams at the one, the run at the other, and a change of owner.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { liveRoom } from '../support/live.ts'
import type { LiveRoom, TestStream } from '../support/live.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sampleTalk } from '../support/sample-talk.ts'
import { eachStore } from '../support/stores.ts'

const clock = { ...systemClock, advance: async () => undefined, set: () => undefined, nextDue: () => undefined }

async function until(claim: string, holds: () => boolean): Promise<void> {
  for (let look = 0; look < 500; look++) {
    if (holds()) return
    await wait(10)
  }
  assert.fail(`In 5 s it did not come to this: ${claim}`)
}

const begun = (stream: TestStream): string[] =>
  stream
    .of('beat')
    .filter((beat) => beat['phase'] === 'start')
    .map((beat) => String(beat['beatId']))

eachStore((dialect, open) => {
  test('a run is followed and driven from a process that does not own it, and goes on under a new owner', { timeout: 30_000 }, async () => {
    const { store, another } = await open()
    const node = async (own: typeof store, seed: number): Promise<LiveRoom> =>
      liveRoom({ store: own, clock, seed, leaseMs: 300, talk: sampleTalk(4) })
    const first = await node(store, 1)
    const second = await node(await another(), 2)
    const ada = await first.join()
    const stream = await second.stream(ada.principal, ada.runId)
    const post = (name: string, body: Record<string, unknown>) =>
      second.call(name, ada.principal, { runId: ada.runId, id: crypto.randomUUID(), ...body })
    await post('control_run', { action: 'start' })
    await until('the first beat at the other process', () => begun(stream).length === 1)
    await post('acknowledge_beats', { acks: [{ beatId: begun(stream)[0], phase: 'ended' }] })
    await until('the second beat', () => begun(stream).length === 2)
    const asked = { id: crypto.randomUUID(), text: 'How many bolts?', interrupt: true }
    const [once, again] = await Promise.all([post('ask_question', asked), post('ask_question', asked)])
    assert.deepEqual(once, again)
    await until('the answer', () => stream.of('answer').some((answer) => answer['phase'] === 'sentence'))
    await first.live.drain()
    await until('a new owner', () => stream.of('state').some((state) => state['reason'] === 'recovered'))
    const answerId = String(stream.of('answer')[0]?.['answerId'])
    await post('acknowledge_beats', { acks: [{ beatId: `${answerId}:0`, phase: 'ended' }] })
    await until('the talk going on', () => stream.of('state').at(-1)?.['status'] === 'presenting')
    assert.equal(begun(stream)[2], begun(stream)[1])
    assert.deepEqual([...first.faults, ...second.faults], [])
    await second.live.drain()
  })

  test(
    'a second stream of one attendee closes the first, also in another process',
    { timeout: 30_000, skip: dialect === 'sqlite' },
    async () => {
      const { store, another } = await open()
      const [first, second] = [await liveRoom({ store, clock, seed: 1 }), await liveRoom({ store: await another(), clock, seed: 2 })]
      const ada = await first.join()
      const old = await ada.stream()
      const now = await second.stream(ada.principal, ada.runId)
      await until('the first stream closed', () => !old.isOpen())
      assert.equal(old.messages.at(-1)?.data['reason'], 'superseded')
      assert.equal(now.isOpen(), true)
      await first.live.drain()
      await second.live.drain()
    },
  )
})
