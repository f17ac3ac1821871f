// The verifier as rates over planted sets (bench/model): the bench prints them, this holds them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { falsehoodKinds, falsehoods, paraphrases, truths } from '../../bench/model/planted.ts'
import { judgeAll, shareOf } from '../../bench/model/verdicts.ts'
import { verifyClaim } from '@rostrum/answers/verify-claim'

const passes = ({ verdict }: { verdict: string }) => verdict === 'ok'

for (const seed of [1, 77, 2_026]) {
  test(`of more than 500 planted falsehoods at least 99 % are stopped, and 94 % of each kind (seed ${seed})`, () => {
    const judged = judgeAll(falsehoods(seed))
    assert.ok(judged.length >= 500, `only ${judged.length}`)
    const passed = judged.filter(passes).map(({ kind, text }) => `${kind}: ${text}`)
    assert.ok(shareOf(judged, passes) <= 0.01, passed.join('\n'))
    for (const kind of falsehoodKinds) {
      const own = judged.filter((each) => each.kind === kind)
      assert.ok(own.length >= 40, `${kind}: only ${own.length}`)
      assert.ok(shareOf(own, passes) <= 0.06, `${kind}: ${passed.join('\n')}`)
    }
  })
}

test('of true sentences, as they stand and in fair other words, at most 2 % are lost', () => {
  for (const set of [truths(), paraphrases()]) {
    const lost = judgeAll(set).filter((each) => !passes(each))
    assert.ok(lost.length / set.length <= 0.02, lost.map(({ verdict, text }) => `${verdict}: ${text}`).join('\n'))
  }
})

test('whatever a model writes gets a verdict, and no figure or source of its own is ever let through', () => {
  const all = truths()
  fc.assert(
    fc.property(fc.nat(), fc.string({ maxLength: 60 }), fc.integer({ min: 100_000, max: 9_999_999 }), (at, tail, figure) => {
      const truth = all[at % all.length]
      if (truth === undefined) return
      const { session, text, sources } = truth
      const context = { index: session.index, title: session.title, question: '', leaks: () => false }
      verifyClaim({ text: tail, sources }, context)
      verifyClaim({ text: `${text} ${tail}`, sources }, context)
      assert.ok(!verifyClaim({ text: `${text} ${figure}`, sources }, context).ok)
      assert.ok(!verifyClaim({ text, sources: [...sources, `no ${tail}`] }, context).ok)
    }),
    { numRuns: 500 },
  )
})
