import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ScriptSlideView } from '../data/wire.ts'
import type { ScriptText } from './script-text.ts'
import * as text from './script-text.ts'

const view = (slideId: string, texts: readonly string[], more: Partial<ScriptSlideView> = {}): ScriptSlideView => ({
  slideId,
  index: 0,
  title: slideId,
  seconds: 1,
  sentences: texts.map((each, at) => ({ beatId: `${slideId}.${at}`, text: each, sources: [], from: 'rules' })),
  ...more,
})
const script = (...slides: readonly (readonly string[])[]): ScriptText => text.textOf(slides.map((texts, at) => view(`s${at}`, texts)))
const textsOf = (of: ScriptText) => of.map((slide) => slide.text)

test('a sentence is split where it stands: the first ends, the second begins', () => {
  const line = 'It is quiet, and nobody hears it.'
  assert.deepEqual(text.split(line, 12, 'en'), { text: 'It is quiet.\nAnd nobody hears it.', caret: 13 })
  assert.deepEqual(text.split(line, line.length, 'en'), { text: `${line}\n`, caret: line.length + 1 })
  assert.deepEqual(text.split('静かです、誰も聞きません。', 5, 'ja').text, '静かです。\n誰も聞きません。')
  assert.deepEqual(text.split('One.\nTwo.', 4, 'en').text, 'One.\n\nTwo.')
})

test('two sentences are joined with a comma, and what ends with another mark keeps it', () => {
  assert.deepEqual(text.join('It is quiet.\nNobody hears it.\nSo.', 0, 'en'), { text: 'It is quiet, Nobody hears it.\nSo.', caret: 13 })
  assert.equal(text.join('Is it?\nYes.', 0, 'en').text, 'Is it? Yes.')
  assert.equal(text.join('静かです。\n誰も聞きません。', 0, 'ja').text, '静かです、誰も聞きません。')
  assert.equal(text.join('Last.', 0, 'en').text, 'Last.')
})

test('a sentence moves within its slide, and over its edge to the next', () => {
  const before = script(['A.', 'B.'], ['C.'])
  assert.deepEqual(textsOf(text.moved(before, { at: 0, caret: 0 }, 1).script), ['B.\nA.', 'C.'])
  const over = text.moved(before, { at: 0, caret: 3 }, 1)
  assert.deepEqual([textsOf(over.script), over.place], [['A.', 'B.\nC.'], { at: 1, caret: 0 }])
  assert.deepEqual(textsOf(text.moved(before, { at: 1, caret: 0 }, -1).script), ['A.\nB.\nC.', ''])
  assert.equal(text.moved(before, { at: 1, caret: 0 }, 1).script, before)
})

test('moving and splitting lose no word, whatever the text', () => {
  const words = (of: string) =>
    of
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.toSorted()
      .join(' ') ?? ''
  const lines = fc.array(fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,4}\.$/), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(
      fc.array(lines, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.nat(),
      fc.constantFrom(-1 as const, 1 as const),
      (slides, a, b, step) => {
        const of = script(...slides)
        const at = a % slides.length
        const own = of[at]?.text ?? ''
        const all = words(textsOf(of).join('\n'))
        assert.equal(words(textsOf(text.moved(of, { at, caret: b % (own.length + 1) }, step).script).join('\n')), all)
        const joined = text.join(own, b % 5, 'en').text
        assert.equal(words(joined), words(own))
        // A caret in the middle of a word parts it.
        assert.equal(words(text.split(own, own.lastIndexOf(' ') + 1, 'en').text), words(own))
      },
    ),
  )
})

test('words are found in either case and replaced at once', () => {
  const before = script(['The Pump pumps.', 'A pump.'], ['No PUMP here.'])
  assert.equal(text.found(before, 'pump', false).length, 4)
  assert.equal(text.found(before, 'pump', true).length, 2)
  assert.deepEqual(textsOf(text.replaced(before, text.found(before, 'pump', false), 'fan')), ['The fan fans.\nA fan.', 'No fan here.'])
  assert.deepEqual(text.found(before, '', false), [])
})

test('findings go with their sentence, and end with it', () => {
  const base = script(['Copyright.', 'It is so.'], ['Long, so.'])
  const findings = [
    { code: 'furniture' as const, slideIndex: 0, text: 'Copyright.', detail: '', fix: null },
    { code: 'too_long' as const, slideIndex: 1, text: 'Long, so.', detail: '', fix: 'Long.\nSo.' },
    { code: 'too_dense' as const, slideIndex: 1, detail: '' },
  ]
  const now = text.movedSlide(base, 0, 1)
  const there = text.findingsIn(now, base, findings)
  assert.deepEqual(
    there.map(({ code, at, line }) => [code, at, line]),
    [
      ['furniture', 1, 0],
      ['too_long', 0, 0],
      ['too_dense', 0, undefined],
    ],
  )
  assert.deepEqual(textsOf(text.mended(now, there)), ['Long.\nSo.', 'It is so.'])
  assert.deepEqual(
    text.findingsIn(text.withText(base, 1, 'Other.'), base, findings).map(({ code }) => code),
    ['furniture'],
  )
  // The only sentence of a slide stays.
  const alone = script(['Copyright.'])
  assert.deepEqual(textsOf(text.mended(alone, text.findingsIn(alone, alone, findings))), ['Copyright.'])
})

test('changes of two people to different slides are both kept; to one slide they are told', () => {
  const base = script(['A.'], ['B.'], ['C.'])
  const mine = text.withText(base, 0, 'A of mine.')
  const theirs = text.withText(base, 1, 'B of theirs.')
  assert.deepEqual(textsOf(text.merged(base, mine, theirs).script), ['A of mine.', 'B of theirs.', 'C.'])
  assert.deepEqual(text.merged(base, mine, theirs).both, [])
  const same = text.merged(base, mine, text.withText(base, 0, 'A of theirs.'))
  assert.deepEqual([textsOf(same.script)[0], same.both], ['A of mine.', ['s0']])
  // My order stays, and what they have taken away is gone.
  assert.deepEqual(textsOf(text.merged(base, text.movedSlide(mine, 0, 2), theirs.slice(0, 2)).script), ['B of theirs.', 'A of mine.'])
})

test('a text goes back as it came: ids with unchanged sentences, and with one that was put otherwise in its place', () => {
  const base = [view('s0', ['Hello.', 'A.', 'B.']), view('s1', ['C.'], {})]
  const opening = base[0]?.sentences[0]
  assert.ok(opening !== undefined)
  Object.assign(opening, { fixed: true, opening: true })
  const now = text.textOf(base)
  assert.deepEqual(text.wireOf(now, base)[0]?.sentences, [
    { beatId: 's0.0', text: 'Hello.' },
    { beatId: 's0.1', text: 'A.' },
    { beatId: 's0.2', text: 'B.' },
  ])
  assert.deepEqual(text.wireOf(text.withText(now, 0, 'A.\nB, otherwise.'), base)[0]?.sentences?.slice(1), [
    { beatId: 's0.1', text: 'A.' },
    { beatId: 's0.2', text: 'B, otherwise.' },
  ])
  assert.deepEqual(text.wireOf(text.withText(now, 0, 'New.\n\nB.\nA.'), base)[0]?.sentences?.slice(1), [
    { text: 'New.' },
    { beatId: 's0.2', text: 'B.' },
    { beatId: 's0.1', text: 'A.' },
  ])
  assert.deepEqual(text.wireOf(text.silenced(now, 0), base)[0], {
    slideId: 's0',
    silent: true,
    sentences: [{ beatId: 's0.0', text: 'Hello.' }],
  })
  assert.deepEqual(text.wireOf(text.recompiled(now, 1), base)[1], { slideId: 's1' })
  assert.equal(text.isSame(now, text.withText(now, 1, 'C. ')), true)
  assert.equal(text.isSame(now, text.silenced(now, 1)), false)
})
