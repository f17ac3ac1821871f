import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { slideText } from '../../test/support/slides.ts'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import { answerPrompt, materialMax } from './model-desk.ts'

const markers = { material: '=====m=====', ask: '=====q=====' }

function contextOf(slides: readonly string[], passages: readonly string[] = []) {
  const content = {
    title: 'Grid "storage"',
    language: 'en',
    slides: slides.map((text, index) => slideText({ id: `slide-${index}`, index, title: text.split('\n')[0] ?? '', text })),
    passages: passages.map((text, index) => ({ id: `passage-${index}`, index, content: text })),
  }
  return { session: { sessionId: 's', title: content.title, content, index: buildSessionIndex('s', content) } }
}

test('a talk that fits is given whole, in its order, and the names of its sources lead back to their ids', () => {
  const { prompt, sources } = answerPrompt('What?', contextOf(['One\n- a', 'Two\n- b'], ['Background.']), markers)
  assert.match(prompt.material, /\[s1\]\nOne\n- a\n\n\[s2\]\nTwo\n- b\n\n\[k1\]\nBackground\./)
  assert.deepEqual([...sources.keys()], ['s1', 's2', 'k1'])
  assert.deepEqual(sources.get('k1'), { type: 'knowledge', id: 'passage-0', index: 0 })
})

test('of a talk that does not fit, what the question finds and the slide on screen are given, in the order of the talk', () => {
  const filler = (at: number) => `Part ${at}\n${'- words without end about nothing at all\n'.repeat(40)}`
  const slides = Array.from({ length: 40 }, (_, at) => (at === 33 ? 'Warranty\n- Ten years on every inverter' : filler(at)))
  const { prompt, sources } = answerPrompt('How long is the warranty on an inverter?', { ...contextOf(slides), slideIndex: 3 }, markers)
  assert.ok(prompt.material.length <= materialMax + 200)
  assert.ok(sources.has('s34') && sources.has('s4') && sources.size < 40)
  assert.ok(prompt.material.indexOf('[s4]') < prompt.material.indexOf('[s34]'))
  assert.match(prompt.ask, /^On the screen: s4/)
})

test('a passage beyond the budget is given around what the question finds in it', () => {
  const long = `${'Nothing of note was said here. '.repeat(1_200)}The inverter has a warranty of ten years. ${'More of the same follows. '.repeat(400)}`
  const { prompt } = answerPrompt('How long is the warranty of the inverter?', contextOf([], [long]), markers)
  assert.ok(prompt.material.includes('warranty of ten years'))
  assert.ok(prompt.material.length <= materialMax + 200)
})

test('only the last six exchanges are given, and they stand with the question, not in the front that is cached', () => {
  const history = Array.from({ length: 9 }, (_, at) => ({ question: `q${at}`, answer: `a${at}` }))
  const { prompt } = answerPrompt('And now?', { ...contextOf(['One\n- a']), history }, markers)
  assert.ok(!prompt.ask.includes('q2') && prompt.ask.includes('q3') && prompt.ask.includes('a8'))
  assert.ok(!prompt.material.includes('q3'))
})

test('whatever is asked, the markers stand where they were put, and no control or bidi character is passed on', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (question) => {
      const { prompt } = answerPrompt(question, contextOf(['One\n- a']), markers, 2_000)
      assert.equal(prompt.ask.split(markers.ask).length, 3 + question.split(markers.ask).length - 1)
      assert.ok(!/[^\P{Cc}\n]|\p{Cf}/u.test(prompt.ask + prompt.material))
    }),
  )
})
