import assert from 'node:assert/strict'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually, manualClock } from '../../test/support/clock.ts'
import { createEngine } from './engine.ts'

const program = fileURLToPath(new URL('../../test/support/engine-double.ts', import.meta.url))
const limits = { startMs: 60_000, workMs: 5_000, memoryBytes: 300 * 1_048_576 }

type Act = (engine: ReturnType<typeof createEngine>, clock: ReturnType<typeof manualClock>) => Promise<void>

async function withEngine(setup: string, act: Act, workMs = limits.workMs) {
  const clock = manualClock()
  const engine = createEngine({ program, setup, clock, limits: { ...limits, workMs } })
  try {
    await act(engine, clock)
  } finally {
    engine.close()
  }
}

const pidOf = (result: unknown) => (Array.isArray(result) ? Number(result[1]) : Number.NaN)

test('work is done in one process, one piece at a time, urgent pieces first, with no environment', () =>
  withEngine('open', async (engine) => {
    const order: unknown[] = []
    const parts: unknown[] = []
    const noted = async (work: string, asked = {}) => {
      await engine.run(work, asked)
      order.push(work)
    }
    await Promise.all([noted('a', { onPart: (part: unknown) => void parts.push(part) }), noted('b'), noted('c', { isUrgent: true })])
    assert.deepEqual(order, ['a', 'c', 'b'])
    assert.deepEqual(parts, ['part of a'])
    const [, pid, variables] = (await engine.run('d')) as unknown[]
    assert.equal(pid, pidOf(await engine.run('e')))
    // The channel to the server is the one thing that a process is told by its environment.
    assert.ok(Number(variables) <= 2, `${String(variables)} variables`)
  }))

test('a process that gives way to the server has a low priority', async () => {
  const engine = createEngine({ program, setup: 'open', clock: manualClock(), limits, isModest: true })
  assert.ok(getPriority(pidOf(await engine.run('a'))) > getPriority())
  engine.close()
})

test('what takes too long is ended with its process, and the next piece gets a new one', () =>
  withEngine('open', async (engine, clock) => {
    const first = pidOf(await engine.run('a'))
    const stuck = assert.rejects(engine.run('wait'), /ended: it took longer than 5 s/)
    await clock.advance(5_000)
    await stuck
    assert.notEqual(pidOf(await engine.run('b')), first)
  }))

test('a process that ends by itself fails its piece alone, and so does work that cannot be done', () =>
  withEngine('open', async (engine) => {
    await assert.rejects(engine.run('end'), /ended: it ended by itself/)
    const pid = pidOf(await engine.run('a'))
    await assert.rejects(engine.run('fail'), /^EngineFailed: It cannot be said\.$/)
    assert.equal(pidOf(await engine.run('b')), pid)
  }))

test('a process that grows too large is ended', () =>
  withEngine(
    'open',
    async (engine, clock) => {
      // Started, so that its start has no part in the time that is let pass.
      await engine.run('a')
      let words = ''
      engine.run('hold').catch((error: unknown) => (words = String(error)))
      await eventually(async () => {
        await clock.advance(500)
        return words !== ''
      })
      assert.match(words, /needs more than 300 MiB of memory/)
    },
    3_600_000_000,
  ))

test('a call that is taken back ends at once, and what waited behind it goes on', () =>
  withEngine('open', async (engine) => {
    const [first, second] = [new AbortController(), new AbortController()]
    const running = assert.rejects(engine.run('wait', { signal: first.signal }), /enough/)
    const waiting = assert.rejects(engine.run('b', { signal: second.signal }), /never mind/)
    const last = engine.run('c')
    second.abort(new Error('never mind'))
    await waiting
    first.abort(new Error('enough'))
    await running
    assert.equal(((await last) as unknown[])[0], 'c')
  }))

for (const [setup, words] of [
  ['refuse', /^EngineFailed: No such model\.$/],
  ['end', /^EngineFailed: The file is no model\.$/],
] as const)
  test(`an engine that cannot start (${setup}) says why in its own words, is left alone for 30 s, and is then tried again`, () =>
    withEngine(setup, async (engine, clock) => {
      await assert.rejects(engine.ready(), words)
      await assert.rejects(engine.run('a'), words)
      await clock.advance(30_000)
      await assert.rejects(engine.run('a'), words)
    }))

test('closed, it ends its process and takes no more', () =>
  withEngine('open', async (engine) => {
    const pid = pidOf(await engine.run('a'))
    engine.close()
    await assert.rejects(engine.run('b'), /closed/)
    await eventually(async () => {
      try {
        process.kill(pid, 0)
        return false
      } catch {
        return true
      }
    })
  }))
