import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { slideText } from '../../../test/support/slides.ts'
import { titleOf, writeBlocks } from '@rostrum/deck/block-text'
import { sentenceSpans } from '@rostrum/deck/sentences'
import { canonicalNumber, tokenise } from './tokens.ts'
import { buildSessionIndex, createIndexCache } from './session-index.ts'
import { questionTypeOf } from './question.ts'
import { rank } from './rank.ts'
import { chunksBySource } from './units.ts'

const chunksOfDeck = (content: Parameters<typeof chunksBySource>[0]) => [...chunksBySource(content)].flat()
import { valueBit, valueBitsOf } from './values.ts'

const languages = ['en', 'es', 'fr', 'de', 'pt-BR', 'ja', 'zh-Hans', 'ar', 'th', 'xx', '']
const anyText = fc.string({ unit: 'binary', maxLength: 400 })
const slideOf = (text: string, index = 0) => slideText({ id: `s${index}`, index, title: titleOf(text), text })

test('tokenising never throws and never yields an empty term', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom(...languages), (text, language) => {
      for (const { term } of tokenise(text, language)) assert.ok(term.length > 0)
    }),
  )
})

test('numbers are one whatever their notation, ordinals and units fall away', () => {
  assert.deepEqual(['18,500', '18.500', '18500'].map(canonicalNumber), ['18500', '18500', '18500'])
  assert.deepEqual(['3.90', '3,9', '3.0'].map(canonicalNumber), ['3.9', '3.9', '3'])
  const terms = (text: string) => tokenise(text, 'en').map(({ term }) => term)
  assert.deepEqual(terms('14h'), ['14', 'h'])
  assert.deepEqual(terms('10th'), ['10'])
})

test('a small number says less than a year or a price, and words met before read the same again', () => {
  const read = (text: string) => tokenise(text, 'en').map(({ term, weight, isNumber }) => [term, weight, isNumber])
  assert.deepEqual(read('four 4 1806 3.90'), [
    ['4', 0.5, true],
    ['4', 0.5, true],
    ['1806', 1, true],
    ['3.9', 1, true],
  ])
  const long = 'b'.repeat(5_000)
  for (const text of ["The mill's wheel", "l'atelier", `${long} mill`, '漢字の本'])
    assert.deepEqual(read(text), read(text), text.slice(0, 20))
})

test('a word that is one slip away is still found: a letter lost, added, replaced or swapped', () => {
  const slides = [slideOf('Tools\n- The receptor is blue\n- The hammer is red')]
  const index = buildSessionIndex('a', { language: 'en', slides, passages: [] })
  for (const slip of ['recptor', 'recceptor', 'recepter', 'recpetor']) {
    const [best] = rank(`Which colour has the ${slip}?`, index).candidates
    assert.equal(best?.unit.text, 'The receptor is blue', slip)
  }
  assert.equal(rank('Where is the rectangle?', index).candidates.length, 0)
})

test('asked for a price, a line that names the plan alone came before the one with its price', () => {
  const slides = [
    slideOf('Pricing\n- Starter: $19 per user\n- Pro: $49 per user'),
    slideOf('Security\n- Single sign-on on the Pro plan', 1),
  ]
  const index = buildSessionIndex('a', { language: 'en', slides, passages: [] })
  const [best] = rank('What is the price of the Pro plan?', index).candidates
  assert.equal(best?.unit.text, 'Pro: $49 per user')
})

test('every unit is a verbatim slice of its source and sentences lose no word', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const passage = { id: 'k', index: 0, content: text }
      for (const { source, units } of chunksOfDeck({ slides: [slideOf(text)], passages: [passage] })) {
        for (const unit of units) assert.equal(text.slice(unit.start, unit.end), unit.text, source.type)
      }
      const kept = sentenceSpans(text)
        .map(({ start, end }) => text.slice(start, end))
        .join('')
        .replace(/\s+/gu, '')
      assert.equal(kept, text.replace(/\s+/gu, ''))
    }),
  )
})

test('a sentence does not end at an abbreviation, an initial or a decimal', () => {
  const text = 'Alarms fell at St. Anna by 6.2 percent. Dr. J. Smith was there! 本当です。はい。'
  assert.deepEqual(
    sentenceSpans(text).map(({ start, end }) => text.slice(start, end)),
    ['Alarms fell at St. Anna by 6.2 percent.', 'Dr. J. Smith was there!', '本当です。', 'はい。'],
  )
})

test('words of a picture that are unsure lead to their slide and are quoted by nobody', () => {
  const read = (confidence: number) => {
    const { title, text, reading } = writeBlocks({
      title: 'What it costs',
      titleFrom: 'recognised',
      isTitleSure: true,
      blocks: [{ kind: 'paragraph', text: 'Fcrty euros a mcnth', confidence }],
      furniture: [],
    })
    return chunksOfDeck({ slides: [{ id: 'a', index: 0, title, text, blocks: reading.blocks }], passages: [] }).flatMap(
      ({ units }) => units,
    )
  }
  assert.deepEqual(
    read(0.6).map(({ text, context }) => [text, context]),
    [['What it costs', 'Fcrty euros a mcnth']],
  )
  assert.deepEqual(
    read(0.9).map(({ text }) => text),
    ['Fcrty euros a mcnth', 'What it costs'],
  )
})

test('a bullet is found by the words of its title and its parent', () => {
  const slides = [
    slideOf('The pump\n- 1.4 kg\n- Battery 14 h'),
    slideOf('The dock\n- 6 kg\n- Mains', 1),
    slideOf('Prices\n- Pump\n  - 1,950 CHF\n- Dock\n  - 640 CHF', 2),
  ]
  const index = buildSessionIndex('a', { language: 'en', slides, passages: [] })
  const best = (question: string) => rank(question, index).candidates[0]?.unit.text
  assert.equal(best('How heavy is the pump?'), '1.4 kg')
  assert.equal(best('How heavy is the dock?'), '6 kg')
  assert.equal(best('What does the dock cost?'), '640 CHF')
})

test('question types and values meet in every language that has a lexicon', () => {
  const pairs: [string, string, string][] = [
    ['en', 'How long does it last?', '14 h'],
    ['es', '¿Cuánto cuesta?', '540 EUR'],
    ['fr', 'Combien coûte une fenêtre ?', 'dès 890 €'],
    ['de', 'Wie schwer ist der Ofen?', '610 kg'],
    ['pt', 'Quanto tempo leva?', 'Pronto em 3 horas'],
    ['ja', '価格はいくらですか', '500円'],
    ['zh', '多少钱？', '300元'],
    ['ar', 'ما هو السعر؟', '20 USD'],
  ]
  for (const [language, question, text] of pairs) {
    const type = questionTypeOf(question, language)
    assert.ok(type !== undefined && (valueBitsOf(text) & valueBit[type]) !== 0, `${language}: ${type}`)
  }
})

test('an index answers from its own session only', () => {
  const one = buildSessionIndex('one', { language: 'en', slides: [slideOf('Title\n- The zebra is here')], passages: [] })
  assert.deepEqual(rank('Where is the quokka?', one).candidates, [])
})

test('indexes are kept up to so many bytes, the one asked longest ago goes first, and a failed one is made anew', async () => {
  const cache = createIndexCache<number>((size) => size, 100)
  const made: string[] = []
  const get = (name: string, size = 40) => cache.get(name, async () => (made.push(name), size))
  for (const name of ['a', 'b', 'a', 'c', 'a', 'c']) await get(name)
  assert.deepEqual(made, ['a', 'b', 'c'])
  await get('b')
  assert.deepEqual(made, ['a', 'b', 'c', 'b'])
  await get('huge', 1_000)
  await get('huge', 1_000)
  assert.deepEqual(made, ['a', 'b', 'c', 'b', 'huge'])
  cache.drop('hu')
  await get('huge', 1)
  assert.equal(made.length, 6)
  await assert.rejects(cache.get('d', () => Promise.reject(new Error('no'))))
  assert.equal(await get('d'), 40)
})

test('the words of a session are indexed up to two million', () => {
  const passages = Array.from({ length: 200 }, (_, index) => ({
    id: `p${index}`,
    index,
    content: `Item ${index}. ${'a b. '.repeat(9_990)}`,
  }))
  const index = buildSessionIndex('h', { language: 'en', slides: [], passages })
  const words = index.chunks.reduce((sum, { units }) => sum + units.reduce((all, unit) => all + unit.words.length, 0), 0)
  assert.ok(words >= 2_000_000 && words < 2_050_000, String(words))
})

/** Milliseconds of this process's CPU to index the text and to ask with it: on a busy machine the only time that means something. */
function costOf(text: string): number {
  const from = process.cpuUsage()
  const slides = [slideOf(text.slice(0, 20_000))]
  const index = buildSessionIndex('h', { language: 'en', slides, passages: [{ id: 'k', index: 0, content: text }] })
  rank(text.slice(0, 4_000), index)
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1_000
}

test('hostile text is indexed in linear time', () => {
  const prose = 'The pump runs at 32 decibels in a cellar, and its warranty lasts five years from the day of delivery. '.repeat(500)
  const texts = [
    'a'.repeat(50_000),
    '- '.repeat(20_000),
    '. '.repeat(20_000),
    '1.'.repeat(20_000),
    `${'['.repeat(10_000)}${'/'.repeat(10_000)}`,
    '\u0000\ud800'.repeat(5_000),
    '漢'.repeat(20_000),
    'A. '.repeat(15_000),
    '> -> '.repeat(9_000),
  ]
  const plainMs = Math.max(costOf(prose), costOf(prose))
  for (const text of texts) {
    const ms = costOf(text)
    assert.ok(ms < 10 * plainMs, `${text.slice(0, 10)}: ${ms} ms, prose ${plainMs} ms`)
  }
})

test('"rewritten" found nothing where the slide says "re-written"', () => {
  const slides = [slideOf('Pumps\nAda Brown'), slideOf('Valves\n- Now completely re-written for frost', 1)]
  const index = buildSessionIndex('t', { language: 'en', slides, passages: [] })
  assert.equal(rank('What was rewritten?', index).candidates[0]?.chunk.source.index, 1)
})
