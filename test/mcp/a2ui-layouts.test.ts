// What asking a model for layouts costs and how long it holds a caller: one call for a shape, two seconds at most, and less and less
// often where nothing good comes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asked } from '../../src/mcp/a2ui/layouts.ts'
import { createLayouts, layoutTimes, shapesMax } from '../../src/mcp/a2ui/layouts.ts'
import { part, type Shape, shapeOf } from '../../src/mcp/a2ui/layout.ts'
import { eventually, manualClock } from '../support/clock.ts'

const shape = shapeOf('get_session', [part('text', 'title', 'c1')])
const other = shapeOf('get_session', [part('text', 'status', 'c1')])
const proposing = (name: string): Asked => ({
  text: JSON.stringify([{ id: 'root', component: 'Column', children: [name] }]),
  why: 'ended',
  spent: { model: 'test:stub', cost: 0.1 },
})

/** A model that the test speaks for, call by call. */
function rig() {
  const clock = manualClock()
  const calls: { ask: string; signal: AbortSignal; reply: PromiseWithResolvers<Asked> }[] = []
  const told: object[] = []
  const layouts = createLayouts({
    clock,
    ask({ ask }, _charactersMax, signal) {
      const reply = Promise.withResolvers<Asked>()
      const gone = (): void => reply.resolve({ text: null, why: 'stopped', spent: {} })
      signal.addEventListener('abort', gone, { once: true })
      calls.push({ ask, signal, reply })
      return reply.promise
    },
    tell: (report) => void told.push(report),
  })
  /** What `of` is laid out by, the model answering with `asked` if it is called. */
  const layOut = async (of: Shape, asked: Asked): Promise<'model' | 'rules'> => {
    const before = calls.length
    const layout = layouts.layoutFor(of)
    if (calls.length > before) calls.at(-1)?.reply.resolve(asked)
    return (await layout) === null ? 'rules' : 'model'
  }
  return { clock, calls, told, layouts, layOut }
}

test('a shape is asked about once, and the model is told the shape alone', async () => {
  const { calls, told, layouts, layOut } = rig()
  assert.equal(await layOut(shape, proposing('title')), 'model')
  const kept = await layouts.layoutFor(shape)
  assert.equal(await layouts.layoutFor(shapeOf('get_session', [part('text', 'title', 'c9')])), kept)
  assert.deepEqual(
    calls.map(({ ask }) => ask),
    ['Result of get_session.\n- title: text'],
  )
  assert.deepEqual(told, [{ tool: 'get_session', verdict: 'kept', ms: 0, model: 'test:stub', cost: 0.1 }])
  assert.equal(await layOut(other, proposing('status')), 'model')
  assert.equal(calls.length, 2)
})

test('a caller waits two seconds from the beginning of the call; what comes later serves the next one', async () => {
  const { clock, calls, layouts } = rig()
  const first = layouts.layoutFor(shape)
  await clock.advance(1_500)
  const second = layouts.layoutFor(shape)
  await clock.advance(499)
  assert.equal(await Promise.race([first, second, Promise.resolve('waiting')]), 'waiting')
  await clock.advance(1)
  assert.deepEqual([await first, await second], [null, null])
  assert.equal(await layouts.layoutFor(shape), null)
  calls[0]?.reply.resolve(proposing('title'))
  await eventually(async () => (await layouts.layoutFor(shape)) !== null)
  assert.equal(calls.length, 1)
  assert.equal(clock.nextDue(), undefined)
})

test('a call that does not end is ended', async () => {
  const { clock, calls, told, layouts } = rig()
  const first = layouts.layoutFor(shape)
  await clock.advance(layoutTimes.callMs)
  assert.equal(await first, null)
  assert.equal(calls[0]?.signal.aborted, true)
  assert.deepEqual(told, [{ tool: 'get_session', verdict: 'stopped', ms: layoutTimes.callMs }])
})

test('a shape for which nothing good came is asked about again after ten minutes, then after twenty', async () => {
  const { clock, calls, layOut } = rig()
  const nothing: Asked = { text: null, why: 'failed', spent: {} }
  assert.equal(await layOut(shape, { ...proposing('title'), text: 'Sure!' }), 'rules')
  assert.equal(await layOut(shape, proposing('title')), 'rules')
  await clock.advance(layoutTimes.againMs)
  assert.equal(await layOut(shape, nothing), 'rules')
  await clock.advance(2 * layoutTimes.againMs - 1)
  assert.equal(await layOut(shape, proposing('title')), 'rules')
  assert.equal(calls.length, 2)
  await clock.advance(1)
  assert.equal(await layOut(shape, proposing('title')), 'model')
})

test('where no model could be called nothing is counted against the shape', async () => {
  const { told, layOut } = rig()
  for (const why of ['busy', 'circuit'] as const) assert.equal(await layOut(shape, { text: null, why, spent: {} }), 'rules')
  assert.equal(await layOut(shape, proposing('title')), 'model')
  assert.equal(told.length, 1)
})

test('one model is asked at a time: another shape is laid out by the rules meanwhile', async () => {
  const { calls, layouts, layOut } = rig()
  const first = layouts.layoutFor(shape)
  assert.equal(await layouts.layoutFor(other), null)
  calls[0]?.reply.resolve(proposing('title'))
  assert.ok((await first) !== null)
  assert.equal(await layOut(other, proposing('status')), 'model')
})

test('a model that throws is one that failed, and the close ends a call and lets no other begin', async () => {
  const { calls, layouts, told } = rig()
  const first = layouts.layoutFor(shape)
  calls[0]?.reply.reject(new Error('No such package.'))
  assert.equal(await first, null)
  const second = layouts.layoutFor(other)
  layouts.close()
  assert.equal(await second, null)
  assert.equal(await layouts.layoutFor(shapeOf('export_leads', [part('text', 'advice', 'c1')])), null)
  assert.equal(calls.length, 2)
  assert.deepEqual(
    told.map((report) => (report as { verdict: string }).verdict),
    ['failed', 'stopped'],
  )
  const [counter] = Object.values(layouts.gauges())
  assert.deepEqual(counter?.value, [
    { labels: { verdict: 'failed' }, value: 1 },
    { labels: { verdict: 'stopped' }, value: 1 },
  ])
})

test('however many shapes there are, so many are asked about', async () => {
  const { calls, layOut } = rig()
  for (let at = 0; at < shapesMax + 5; at++) {
    const name = `part-${at}`
    assert.equal(await layOut(shapeOf('get_session', [part('text', name, 'c1')]), proposing(name)), at < shapesMax ? 'model' : 'rules')
  }
  assert.equal(calls.length, shapesMax)
})
