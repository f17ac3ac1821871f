import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Places, wantsOf } from './intents.ts'

const intentOf = (question: string, places: Places) => wantsOf(question, 'en', places)[0]

const places = { count: 7, at: 3 }
const said = (slide: number) => ({ type: 'slide_text', slide })
const going = (slide: number) => ({ type: 'goto', slide })

/** By language: what the first slide says, what the last one does, and this one; back to the beginning. */
const byPlace: Record<string, readonly [string, string, string, string]> = {
  en: ['What does the first slide say?', "What's on the last slide?", 'Can you explain this slide?', 'Could you start over?'],
  es: [
    '¿Qué dice la primera diapositiva?',
    '¿Qué hay en la última diapositiva?',
    '¿Qué dice esta diapositiva?',
    'Desde el principio, por favor',
  ],
  fr: ['Que dit la première diapositive ?', 'Que dit la dernière diapositive ?', 'Que dit cette diapositive ?', 'Depuis le début'],
  de: ['Was steht auf der ersten Folie?', 'Was steht auf der letzten Folie?', 'Was steht auf dieser Folie?', 'Noch mal von vorn'],
  pt: ['O que diz o primeiro slide?', 'O que tem no último slide?', 'O que diz este slide?', 'Do começo'],
  ja: [
    '最初のスライドに何が書いてありますか',
    '最後のスライドに何が書いてありますか',
    'このスライドに何が書いてありますか',
    '最初からお願いします',
  ],
  zh: ['第一张幻灯片讲什么', '最后一张幻灯片讲什么', '这张幻灯片讲什么', '从头开始'],
  ar: ['ماذا تقول الشريحة الأولى', 'ماذا تقول الشريحة الأخيرة', 'ماذا تقول هذه الشريحة', 'من البداية'],
}

for (const [language, [first, last, shown, start]] of Object.entries(byPlace))
  test(`slides are found by their place (${language})`, () => {
    const found = [first, last, shown, start].map((question) => intentOf(question, places))
    assert.deepEqual(found, [said(1), said(7), said(4), going(1)])
  })

test('slides are found by words for their number', () => {
  const found = ['Go to slide two', 'What does the third slide say?', '¿Qué dice la diapositiva tres?', 'Folie fünf'].map((question) =>
    intentOf(question, places),
  )
  assert.deepEqual(found, [going(2), said(3), said(3), going(5)])
})

test('"the last slide" alone is the one before, "this slide" none where nothing is shown, and other questions stay', () => {
  assert.deepEqual(intentOf('The last slide, please', places), { type: 'previous' })
  assert.equal(intentOf('What does this slide say?', { count: 7 }), undefined)
  assert.equal(intentOf('Who made the first slide rule?', places), undefined)
  assert.equal(intentOf('What was the first page of the contract about?', places), undefined)
})

test('"Next slide, please" was asked of the deck for its comma', () => {
  assert.deepEqual(intentOf('Next slide, please.', places), { type: 'next' })
})
