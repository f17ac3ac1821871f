import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock, settle } from '../../test/support/clock.ts'
import fc from 'fast-check'
import { askChain, chainTimes } from './chain.ts'
import type { ModelPart } from './language-model.ts'

const prompt = { rules: 'R', material: '', ask: 'A', outputTokensMax: 10 }
const never = new AbortController().signal
/** A stream of pieces at their times from the call; then it ends, fails or hangs. */
interface Script {
  pieces: readonly (readonly [at: number, text: string])[]
  ends: 'well' | 'fails' | 'hangs'
}

const claim = `${JSON.stringify({ text: 'It is so.', sources: ['s1'] })}\n`
const lie = `${JSON.stringify({ text: 'It is not.', sources: ['s1'] })}\n`

/** The chain in virtual time: what was said and asked, with its times, and how each call was counted. */
async function play(scripts: readonly Script[], forMs = 2_000) {
  const clock = manualClock(0)
  const until = (at: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      clock.after(at - clock.now(), resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  const log: string[] = []
  const outcomes: string[] = []
  const open = new Set<number>()
  const models = scripts.map(({ pieces, ends }, at) => {
    async function* stream(_prompt: unknown, signal: AbortSignal): AsyncIterable<ModelPart> {
      const began = clock.now()
      open.add(at)
      try {
        for (const [piece, text] of pieces) {
          await until(began + piece, signal)
          if (signal.aborted) return
          yield { type: 'text', text }
        }
        if (ends === 'hangs') await until(began + 1_000_000, signal)
        if (ends === 'fails') throw new Error('The model failed.')
      } finally {
        open.delete(at)
      }
    }
    return { at, model: { name: `test:${at}`, price: null, stream } }
  })
  let end: { why: string; at: number; calls: readonly { outcome: string }[] } | undefined
  const spoken: { at: number; until: number }[] = []
  const listening = (async () => {
    const chain = askChain({
      clock,
      models,
      prompt,
      askedAt: 0,
      signal: never,
      judge: ({ text }) => (text === 'It is so.' ? { verdict: 'ok', said: text, forMs } : { verdict: 'denial', said: null, forMs: 0 }),
      onCall: (at) => void log.push(`${clock.now()} ask ${at}`),
      onOutcome: (at, outcome) => void outcomes.push(`${at} ${outcome}`),
    })
    for await (const part of chain) {
      if (part.type === 'end') end = { why: part.why, at: clock.now(), calls: part.calls }
      else {
        log.push(`${clock.now()} said`)
        spoken.push({ at: clock.now(), until: Math.max(clock.now(), spoken.at(-1)?.until ?? 0) + forMs })
      }
    }
  })()
  for (let due = clock.now(); end === undefined && due <= 30_000; due = clock.nextDue() ?? 30_001)
    await clock.advance(Math.max(0, due - clock.now()))
  assert.ok(end, 'the chain never ended')
  await listening
  await settle()
  return { log, outcomes, open, spoken, end, calls: end.calls.map(({ outcome }) => outcome) }
}

test('a model that has not begun after 900 ms is left for the next, which speaks', async () => {
  const { log, outcomes, end, calls } = await play([
    { pieces: [[1_000, claim]], ends: 'well' },
    { pieces: [[300, claim]], ends: 'well' },
  ])
  assert.deepEqual(log, ['0 ask 0', '900 ask 1', '1200 said'])
  assert.deepEqual([end.why, calls, outcomes], ['ended', ['failed', 'won'], ['0 failed', '1 good']])
})

test('where nobody begins, the chain is over 900 ms after its last start, and two seconds are never reached', async () => {
  const silent: Script = { pieces: [], ends: 'hangs' }
  assert.deepEqual((await play([silent])).end, { why: 'slow', at: 900, calls: (await play([silent])).end.calls })
  assert.equal((await play([silent, silent])).end.at, 1_800)
  assert.equal((await play([silent, silent, silent, silent])).end.at, chainTimes.quietMs)
  assert.equal((await play([])).end.why, 'no_model')
})

test('a model that fails, or says nothing that may be said, is replaced at once; the last one ends the chain', async () => {
  const { log, end, outcomes } = await play([
    { pieces: [[100, 'Sure']], ends: 'fails' },
    { pieces: [[200, lie]], ends: 'well' },
  ])
  assert.deepEqual(log, ['0 ask 0', '100 ask 1'])
  assert.deepEqual([end.why, end.at, outcomes], ['nothing_verified', 300, ['0 failed', '1 good']])
})

test('a stream that stalls after a sentence ends the answer with what was said, and counts as a failure', async () => {
  const { log, end, outcomes, calls } = await play([{ pieces: [[100, claim]], ends: 'hangs' }], 9_000)
  assert.deepEqual([log, end.why, end.at, outcomes, calls], [['0 ask 0', '100 said'], 'stalled', 2_600, ['0 failed'], ['won']])
})

test('for any timing: one end by twenty seconds, every stream closed, never two seconds of silence', async () => {
  const piece = fc.tuple(fc.nat(25_000), fc.constantFrom(claim, lie, 'Well', claim.slice(0, 9)))
  const script = fc.record({
    pieces: fc.array(piece, { maxLength: 8 }).map((all) => all.toSorted(([one], [other]) => one - other)),
    ends: fc.constantFrom('well' as const, 'fails' as const, 'hangs' as const),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(script, { maxLength: 3 }), fc.nat(5_000), async (scripts, forMs) => {
      const { end, open, spoken } = await play(scripts, forMs)
      assert.ok(end.at <= chainTimes.totalMs)
      assert.deepEqual([...open], [])
      let quietSince = 0
      for (const { at, until } of [...spoken, { at: end.at, until: end.at }]) {
        assert.ok(at - quietSince < 2_000, `${at - quietSince} ms of silence`)
        quietSince = Math.max(quietSince, until)
      }
    }),
    { numRuns: 200 },
  )
})
