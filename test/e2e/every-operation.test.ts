// No text of a stranger is worked on the server's thread: every operation that takes text or files is sent the worst texts at the largest
// that its schema takes, one member of its input after the other, and each call costs the thread a turn of 100 ms at most. An operation
// that is added is covered by its schema. `ROSTRUM_TEST_PUMPS=all` sends every pump, which takes an hour; else the five that were worst.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pumps } from '../support/hostile.ts'
import { startEveryOperation } from '../support/hostile-operations.ts'

/** In ms of the processor's time, which a busy machine does not lengthen by its other work. */
const stallMost = 100
const usual = ['headings', 'headings below headings', 'Chinese', 'many short sentences', 'signs that stand for eighteen letters']
const wanted = process.env['ROSTRUM_TEST_PUMPS'] === 'all' ? Object.keys(pumps) : usual

let every: Awaited<ReturnType<typeof startEveryOperation>>
before(async () => {
  every = await startEveryOperation()
})
after(() => every.stop())

test(`no operation that takes text holds the server up for ${stallMost} ms, however much it is sent`, async (t) => {
  const held: string[] = []
  const statuses = new Map<string, number>()
  for (const { name, send } of every.targets) {
    for (const what of wanted) {
      const pump = pumps[what] ?? ''
      const { status, stallMs: first } = await send(pump)
      let stallMs = first
      // What is slow is slow each time; a collection of garbage that happened to fall into a turn is not.
      for (let again = 0; again < 3 && stallMs > stallMost; again++) stallMs = Math.min(stallMs, (await send(pump)).stallMs)
      if (stallMs > stallMost) held.push(`${name}: ${stallMs.toFixed(0)} ms of ${what}`)
      statuses.set(`${status}`, (statuses.get(`${status}`) ?? 0) + 1)
    }
  }
  t.diagnostic(`${every.targets.length} members, answers by status: ${JSON.stringify(Object.fromEntries(statuses))}`)
  assert.deepEqual(held, [])
})

test('every operation that takes much text is among those that are sent it', () => {
  for (const name of [
    'create_session slides',
    'put_knowledge passages',
    'lint_script slides',
    'add_knowledge as ten files',
    'ask_question text',
  ])
    assert.ok(
      every.targets.some((target) => target.name === name),
      name,
    )
})
