// Writing to a crowd: each reader gets what it may see once and in order, and what comes fast shares writes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ManualClock, manualClock, settle } from '../../../test/support/clock.ts'
import type { RunEventRow } from '../tables.ts'
import { maySee } from '../log/run-log.ts'
import { type FanOut, fanOut, noteEveryMs, type Reader } from './fan-out.ts'

const crowd = 300

function row(seq: number, audience = 'room', type = 'beat'): RunEventRow {
  return { run_id: 'run', seq, epoch: 1, at: 1_000 + seq, audience, type, data: `{"n":${seq}}` }
}

interface Listener extends Reader {
  /** `seq` of what came, and when. */
  readonly got: { seq: number; at: number }[]
  readonly notes: string[]
  writes: number
  isOpen: boolean
  lags: boolean
}

function listener(clock: ManualClock, sees = 'somebody', seq = 0): Listener {
  const made: Listener = {
    seq,
    sees,
    got: [],
    notes: [],
    writes: 0,
    isOpen: true,
    lags: false,
    sink: {
      write(chunk) {
        if (!made.isOpen) return false
        made.writes++
        const text = Buffer.from(chunk).toString()
        for (const [, id] of text.matchAll(/^id: 1-(\d+)$/gm)) made.got.push({ seq: Number(id), at: clock.elapsed() })
        made.notes.push(...[...text.matchAll(/^event: presence\ndata: (.*)$/gm)].map(([, data = '']) => data))
        return !made.lags
      },
      close: () => void (made.isOpen = false),
    },
    end: () => void (made.isOpen = false),
  }
  return made
}

function filled(readers: FanOut, clock: ManualClock, count: number): Listener[] {
  const all = Array.from({ length: count }, () => listener(clock))
  for (const each of all) readers.add(each)
  return all
}

test('fifty events a second to a crowd take at most 0.35 of the writes, and none waits longer than 50 ms', async () => {
  const clock = manualClock()
  const readers = fanOut(clock)
  const all = filled(readers, clock, crowd)
  const sentAt = new Map<number, number>()
  for (let seq = 1; seq <= 200; seq++) {
    sentAt.set(seq, clock.elapsed())
    readers.send([row(seq)])
    await clock.advance(20)
  }
  await clock.advance(50)
  for (const { got, writes } of all) {
    assert.deepEqual(
      got.map(({ seq }) => seq),
      Array.from({ length: 200 }, (_, i) => i + 1),
    )
    assert.ok(writes <= 0.35 * 200, `${writes} writes`)
    for (const { seq, at } of got) assert.ok(at - (sentAt.get(seq) ?? 0) <= 50, `event ${seq} waited ${at - (sentAt.get(seq) ?? 0)} ms`)
  }
})

test('an event after a silence goes to a crowd at once, and to a small room always', async () => {
  const clock = manualClock()
  const large = fanOut(clock)
  const [first] = filled(large, clock, crowd)
  large.send([row(1)])
  await settle()
  assert.equal(first?.got.length, 1)
  await clock.advance(60)
  large.send([row(2)])
  await settle()
  assert.equal(first.got.length, 2)

  const small = fanOut(clock)
  const [only] = filled(small, clock, 1)
  for (let seq = 1; seq <= 3; seq++) small.send([row(seq)])
  assert.equal(only?.writes, 3)
})

test('an event that comes while a crowd is written to goes along to those whose turn is yet to come', async () => {
  const clock = manualClock()
  const readers = fanOut(clock)
  const all = filled(readers, clock, crowd)
  const [first, last] = [all[0], all.at(-1)]
  assert.ok(first && last)
  readers.send([row(1)])
  readers.send([row(2)])
  readers.note(Buffer.from('event: presence\ndata: 7\n\n'))
  readers.send([row(3, 'nobody'), row(4)])
  const seen = ({ got }: Listener) => got.map(({ seq }) => seq)
  assert.deepEqual([seen(first), seen(last)], [[1], []])
  await settle()
  assert.deepEqual([seen(first), seen(last), last.writes, last.notes], [[1], [1, 2, 4], 1, []])
  await clock.advance(50)
  assert.deepEqual([seen(first), seen(last), last.writes, last.notes], [[1, 2, 4], [1, 2, 4], 2, ['7']])
})

test('a row for the host or for one attendee leaves the others sharing their bytes', async () => {
  const clock = manualClock()
  const readers = fanOut(clock)
  const got: { sees: string; bytes: Uint8Array }[] = []
  for (const sees of ['ann', 'bob', 'cleo', 'host']) {
    const write = (bytes: Uint8Array) => got.push({ sees, bytes }) > 0
    readers.add({ seq: 0, sees, sink: { write, close() {} }, end() {} })
  }
  readers.send([row(1), row(2, 'host', 'audit'), row(3, 'ann', 'answer')])
  await settle()
  const [ann, bob, cleo, host] = got.map(({ bytes }) => bytes)
  assert.equal(bob, cleo)
  const seen = [ann, bob, host].map((bytes) =>
    [
      ...Buffer.from(bytes ?? [])
        .toString()
        .matchAll(/^id: 1-(\d+)$/gm),
    ].map(([, id]) => id),
  )
  assert.deepEqual(seen, [['1', '3'], ['1'], ['1', '2']])
})

test('a word to one of a crowd comes at once, and nobody else is written to', async () => {
  const clock = manualClock()
  const readers = fanOut(clock)
  const all = filled(readers, clock, crowd)
  const ann = listener(clock, 'ann')
  readers.add(ann)
  readers.send([row(1, 'ann', 'answer')])
  assert.equal(ann.got.length, 1)
  await settle()
  assert.equal(
    all.some(({ writes }) => writes > 0),
    false,
  )
  await clock.advance(50)
  readers.send([row(2)])
  await settle()
  assert.deepEqual([all.at(-1)?.got.length, ann.got.length], [1, 2])
})

test('whoever leaves in the write that closes the room does not keep the streams of the others open', async () => {
  const clock = manualClock()
  const readers = fanOut(clock)
  const [leaver, other] = [listener(clock, 'leaver'), listener(clock, 'other')]
  for (const each of [leaver, other]) readers.add(each)
  readers.send([row(1, 'leaver', 'closed'), row(2, 'room', 'closed')])
  await settle()
  assert.deepEqual([leaver.isOpen, other.isOpen, readers.size], [false, false, 0])
})

test('of the counts of presence that share a write the latest is told', async () => {
  const clock = manualClock()
  const readers = fanOut(clock)
  const [first] = filled(readers, clock, crowd)
  readers.send([row(1)])
  for (const count of [1, 2]) readers.note(Buffer.from(`event: presence\ndata: ${count}\n\n`))
  await clock.advance(60)
  assert.deepEqual(first?.notes, ['2'])
})

test('a small room hears each second how many there are, a crowd of ten thousand every five', () => {
  assert.deepEqual([1, 2_000, 10_000].map(noteEveryMs), [1_000, 1_000, 5_000])
})

test('a reader that lags is closed, and the others go on', async () => {
  const clock = manualClock()
  const readers = fanOut(clock)
  const [slow, quick] = filled(readers, clock, 2)
  assert.ok(slow && quick)
  slow.lags = true
  for (const seq of [1, 2]) readers.send([row(seq)])
  assert.deepEqual([slow.isOpen, slow.got.length, quick.got.length, readers.size], [false, 1, 2, 1])
})

test('whoever comes and goes, each reader gets what it may see once and in order', async () => {
  const act = fc.oneof(
    fc.record({
      do: fc.constant('send' as const),
      audiences: fc.array(fc.constantFrom('room', 'host', 'ann', 'log'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ do: fc.constant('enter' as const), sees: fc.constantFrom('host', 'ann', 'bob') }),
    fc.record({ do: fc.constant('leave' as const), which: fc.nat(20) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 80 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 40 }), fc.constantFrom(0, crowd), async (acts, others) => {
      const clock = manualClock()
      const readers = fanOut(clock)
      filled(readers, clock, others)
      const log: RunEventRow[] = []
      const watched: { reader: Listener; from: number; upTo: number | null }[] = []
      for (const each of acts) {
        if (each.do === 'wait') await clock.advance(each.ms)
        else if (each.do === 'send') {
          const rows = each.audiences.map((audience, i) => row(log.length + 1 + i, audience, audience === 'host' ? 'question' : 'beat'))
          log.push(...rows)
          readers.send(rows)
        } else if (each.do === 'enter') {
          const reader = listener(clock, each.sees, log.length)
          readers.add(reader)
          watched.push({ reader, from: log.length, upTo: null })
        } else {
          const leaver = watched[each.which]
          if (leaver === undefined || leaver.upTo !== null) continue
          leaver.upTo = log.length
          leaver.reader.isOpen = false
          readers.remove(leaver.reader)
        }
      }
      await clock.advance(100)
      for (const { reader, from, upTo } of watched) {
        const got = reader.got.map(({ seq }) => seq)
        const owed = log
          .filter(({ seq }) => seq > from)
          .filter((each) => maySee(reader.sees, each))
          .map(({ seq }) => seq)
        assert.deepEqual(got, upTo === null ? owed : owed.slice(0, got.length))
      }
    }),
    { numRuns: 60 },
  )
})
