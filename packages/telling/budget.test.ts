import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tries } from '../../test/support/seed.ts'
import { slideText } from '../../test/support/slides.ts'
import { compileScript } from './compile.ts'

const words =
  'battery peak evening plant smoke price tariff roof panel meter cable street winter storage hour megawatt grid signal cost permit'.split(
    ' ',
  )
const line = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 14 }).map((some) => some.join(' '))
const slide = fc.record({ title: line, bullets: fc.array(line, { maxLength: 7 }) })
const decks = fc.array(slide, { minLength: 1, maxLength: 25 })

const compiled = (deck: readonly { title: string; bullets: readonly string[] }[], targetSeconds?: number, language = 'en') =>
  compileScript({
    title: 'The evening peak',
    language,
    slides: deck.map(({ title, bullets }, index) =>
      slideText({
        id: `s${index}`,
        index,
        title,
        text: [title, ...bullets.map((bullet) => `- ${bullet}`)].join('\n'),
      }),
    ),
    ...(targetSeconds === undefined ? {} : { targetSeconds }),
  })

/** Silence after a sentence stretches no further. */
const pauseMaxMs = 1_200

test('whatever the deck, a length between its shortest and its longest telling is met within 10 %', () => {
  fc.assert(
    fc.property(decks, fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom('en', 'de', 'ja'), (deck, share, language) => {
      const shortest = compiled(deck, 1, language).totalMs
      const whole = compiled(deck, undefined, language)
      const longest = whole.beats.reduce((sum, { estMs, waitMs = 0 }) => sum + estMs + waitMs + pauseMaxMs, 0)
      const targetMs = shortest + share * (longest - shortest)
      const script = compiled(deck, targetMs / 1_000, language)
      assert.ok(Math.abs(script.totalMs / targetMs - 1) <= 0.1, `${script.totalMs} ms for ${targetMs} between ${shortest} and ${longest}`)
      assert.deepEqual(script.warnings, [])
    }),
    { numRuns: tries(75) },
  )
})

test('a length that cannot be met is said, and every slide is still spoken about', () => {
  fc.assert(
    fc.property(decks, fc.constantFrom(1, 100_000), (deck, targetSeconds) => {
      const script = compiled(deck, targetSeconds)
      assert.equal(script.warnings.length, 1)
      assert.deepEqual(new Set(script.beats.map(({ slideIndex }) => slideIndex)), new Set(deck.map((_, index) => index)))
    }),
    { numRuns: tries(30) },
  )
})
