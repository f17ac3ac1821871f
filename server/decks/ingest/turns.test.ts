// Turns of accounts, whatever these send and when: nobody waits for more than one reading of each other, claimed ones come first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextOf, placeOf, type Turns, type Waiting } from './turns.ts'

const file = (key: string, account: string, sizeBytes = 1_000, since = 0, isGuest = false): Waiting => ({
  key,
  account,
  isGuest,
  sizeBytes,
  since,
})

function readAll(files: readonly Waiting[], turns: Turns = new Map()): string[] {
  const last = new Map(turns)
  let left = [...files]
  const read: string[] = []
  for (let now = 1_000; ; now++) {
    const next = nextOf(left, last)
    if (next === undefined) return read
    read.push(next.key)
    last.set(next.account, now)
    left = left.filter((one) => one !== next)
  }
}

test('three heavy files of one account kept the one page of another waiting for all of them', () => {
  const heavy = ['a1', 'a2', 'a3'].map((key, at) => file(key, 'a', 15_000, at))
  assert.deepEqual(readAll([...heavy, file('host', 'b', 900_000, 3)]), ['a1', 'host', 'a2', 'a3'])
})

test('small files go first within an account, and among those whose turn it is', () => {
  const files = [file('large', 'a', 9_000, 0), file('small', 'a', 10, 1), file('middle', 'b', 500, 2)]
  assert.deepEqual(readAll(files), ['small', 'middle', 'large'])
})

test('agents that nobody has claimed wait for those that somebody has', () => {
  const files = [file('guest', 'g', 1, 0, true), file('one', 'a', 5_000, 5), file('two', 'a', 5_000, 6)]
  assert.deepEqual(readAll(files), ['one', 'two', 'guest'])
  assert.equal(placeOf('guest', files, new Map()), 2)
})

const arrival = fc.record({
  account: fc.integer({ min: 0, max: 4 }).map((at) => ({ name: `account ${at}`, isGuest: at > 2 })),
  sizeBytes: fc.integer({ min: 1, max: 5 }),
})
/** An arrival, or a reader that is free. */
const step = fc.oneof(arrival, fc.constant(undefined))

test('no account waits for more than one reading of each other account', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const turns = new Map<string, number>()
      /** Since an account began to wait, or had its last turn: whose files were read. */
      const meanwhile = new Map<string, string[]>()
      let waiting: Waiting[] = []
      const free = Array.from({ length: steps.length }, () => undefined)
      for (const [now, sent] of [...steps, ...free].entries()) {
        if (sent !== undefined) {
          waiting.push(file(`file ${now}`, sent.account.name, sent.sizeBytes, now, sent.account.isGuest))
          if (!meanwhile.has(sent.account.name)) meanwhile.set(sent.account.name, [])
          continue
        }
        const next = nextOf(waiting, turns)
        assert.equal(next === undefined, waiting.length === 0, 'a reader is idle while files wait')
        if (next === undefined) continue
        assert.equal(placeOf(next.key, waiting, turns), 0)
        const isClaimedWaiting = waiting.some(({ isGuest }) => !isGuest)
        assert.ok(!(next.isGuest && isClaimedWaiting), 'an agent that nobody has claimed came first')
        turns.set(next.account, now)
        waiting = waiting.filter((one) => one !== next)
        meanwhile.delete(next.account)
        if (waiting.some(({ account }) => account === next.account)) meanwhile.set(next.account, [])
        for (const [account, read] of meanwhile) {
          const isGuest = waiting.some((one) => one.account === account && one.isGuest)
          if (account === next.account || isGuest !== next.isGuest) continue
          assert.ok(!read.includes(next.account), `${account} waited for two readings of ${next.account}`)
          read.push(next.account)
        }
      }
      assert.deepEqual(waiting, [])
    }),
    { numRuns: 1_000 },
  )
})

test('a line of hundreds of accounts is asked for a place in time that grows with it', () => {
  const files = Array.from({ length: 500 }, (_, at) => file(`${at}`, `account ${at}`, 1_000, at))
  assert.equal(placeOf('499', files, new Map()), 499)
  assert.equal(placeOf('40', files, new Map()), 40)
})
