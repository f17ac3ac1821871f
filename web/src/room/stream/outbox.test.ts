import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manualWebClock } from '../../../test/manual-web-clock.ts'
import { createOutbox, type Delivered, type Entry, type SendKind } from './outbox.ts'

/** A server that counts each id once and fails as scripted. */
function outboxWith(fail: (call: number) => Delivered | 'network' | null) {
  const clock = manualWebClock()
  const received: { kind: SendKind; id: string }[] = []
  const counted = new Set<string>()
  let kept: string | null = null
  let calls = 0
  let entries: readonly Entry[] = []
  const make = () =>
    createOutbox({
      clock,
      async post(kind, body) {
        const outcome = fail(calls++)
        // A request may arrive although its answer is lost.
        if (outcome === null || outcome === 'network') {
          received.push({ kind, id: String(body.id) })
          counted.add(String(body.id))
        }
        if (outcome === 'network') throw new TypeError('network')
        return outcome ?? { ok: true, answer: {} }
      },
      onChange: (next) => (entries = next),
      onAnswer: () => undefined,
      keep: { load: () => kept, save: (text) => (kept = text) },
    })
  return { clock, received, counted, outbox: make(), make, entries: () => entries }
}

test('whatever fails for a while, everything arrives in order per kind and counts once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<SendKind>('questions', 'control', 'votes'), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 }),
      async (kinds, faults) => {
        const world = outboxWith((call) => {
          const fault = faults[call] ?? 0
          return fault === 0 ? null : fault === 1 ? 'network' : { ok: false, status: fault === 2 ? 503 : 429, detail: '' }
        })
        const sent = kinds.map((kind) => ({ kind, id: world.outbox.send(kind, {}) }))
        let wasStuck = false
        for (let i = 0; i < 40; i++) {
          await world.clock.advance(8_000)
          for (const entry of world.entries()) {
            if (entry.status !== 'stuck') continue
            wasStuck = true
            world.outbox.retry(entry.id)
          }
        }
        assert.deepEqual(world.entries(), [])
        assert.equal(world.counted.size, sent.length)
        for (const kind of new Set(kinds)) {
          const order = [...new Set(world.received.filter((each) => each.kind === kind).map((each) => each.id))]
          const asked = sent.filter((each) => each.kind === kind).map((each) => each.id)
          if (wasStuck) assert.deepEqual(new Set(order), new Set(asked))
          else assert.deepEqual(order, asked)
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('a question that cannot be sent says so after 30 s and goes again with the same id', async () => {
  let down = true
  const world = outboxWith(() => (down ? { ok: false, status: 503, detail: '' } : null))
  const id = world.outbox.send('questions', { text: 'Why?' })
  await world.clock.advance(29_000)
  assert.equal(world.entries()[0]?.status, 'sending')
  await world.clock.advance(12_000)
  assert.equal(world.entries()[0]?.status, 'stuck')
  down = false
  world.outbox.retry(id)
  await world.clock.advance(100)
  assert.deepEqual(world.entries(), [])
  assert.deepEqual([...world.counted], [id])
})

test('a refusal keeps the question with the words of the server', async () => {
  const world = outboxWith(() => ({ ok: false, status: 400, detail: 'Too long.' }))
  world.outbox.send('questions', { text: 'x' })
  world.outbox.send('votes', { value: 1 })
  await world.clock.advance(10)
  assert.deepEqual(
    world.entries().map(({ kind, status, detail }) => ({ kind, status, detail })),
    [{ kind: 'questions', status: 'refused', detail: 'Too long.' }],
  )
})

test('what waits survives a reload of the tab', async () => {
  let down = true
  const world = outboxWith(() => (down ? 'network' : null))
  const id = world.outbox.send('questions', { text: 'Why?' })
  await world.clock.advance(100)
  world.outbox.stop()
  down = false
  world.make()
  await world.clock.advance(100)
  assert.ok(world.received.filter((each) => each.id === id).length >= 2)
  assert.equal(world.counted.size, 1)
})
