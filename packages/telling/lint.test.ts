import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slideText } from '../../test/support/slides.ts'
import { compileScript } from './compile.ts'
import { forLint } from './directives.ts'
import { type LintBeat, lintCodes, type LintInput, lintScore, lintScript } from './lint.ts'

const slide = (text: string, index: number) => slideText({ id: `s${index}`, index, text })
const beat = (text: string, slideIndex = 0, more: Partial<LintBeat> = {}): LintBeat => ({
  beatId: `b${text}`,
  slideIndex,
  kind: 'narration',
  text,
  estMs: 2_000,
  ...more,
})

function codesOf(beats: readonly LintBeat[], more: Partial<LintInput> = {}) {
  return lintScript({ language: 'en', slides: [], beats, ...more }).map(({ code }) => code)
}

test('a sentence that a listener can follow has no finding', () => {
  assert.deepEqual(codesOf([beat('A heat pump moves warmth from the air outside into a house.'), beat('What does it cost?')]), [])
})

test('each fault is found, with a reason, and with a fix where nothing is lost by it', () => {
  const long = `It ${'really '.repeat(40)}works.`
  const slides = ['Tools\n- Fast rendering\n- Wire', 'Other\nA full sentence stands here, for who reads.'].map(slide)
  const beats = [
    beat('We sell it in the countries of the.'),
    beat('Copyright 2016 Acme.'),
    beat('Load Balancer.'),
    beat('See https://example.org for more of it.'),
    beat('K C D L I M A and more.'),
    beat('Fast rendering today.'),
    beat(long),
    beat('The talk says this once, and then again.'),
    beat('The talk says this once, and then again.', 1, { beatId: 'again' }),
    beat('It rose to about, as they say, 29.'),
    beat('The QXZ of every house is checked in May.'),
    beat(
      'Das ist ein Satz in einer anderen Sprache als der des Vortrags, und er ist mit Absicht lang genug, dass man ihn auch sicher erkennt.',
    ),
    beat('Wire and the rest.', 1, { estMs: 95_000 }),
  ]
  const found = lintScript({
    language: 'en',
    slides: [...slides, ...forLint([{ ...slide('Third\n- Nothing is said of it', 2), agentNotes: '[poll: Which one?]' }])],
    beats,
  })
  assert.deepEqual(new Set(found.map(({ code }) => code)), new Set(lintCodes.filter((code) => code !== 'verbatim_bullet')))
  for (const { detail, code, fix } of found) {
    assert.ok(detail.length > 20)
    assert.equal(fix === null, ['furniture', 'junk', 'label', 'repeat'].includes(code), code)
  }
  assert.deepEqual(codesOf([beat('Fast rendering of pages.')], { slides: [slide('Tools\n- Fast rendering of pages', 0)] }), [
    'verbatim_bullet',
  ])
})

test('words that shout are no abbreviations', () => {
  assert.deepEqual(codesOf([beat('Sources are joined by POLICY BASED SYNC and backup.')]), [])
  assert.deepEqual(codesOf([beat('The QXR of every house looks at it.')]), ['unknown_abbreviation'])
})

test('a long sentence is parted where both halves stand alone, and no word is lost by it', () => {
  const half = 'the pump of the school takes warmth from the ground under the yard all winter long'
  const fixOf = (text: string, language = 'en') => lintScript({ language, slides: [], beats: [beat(text)] })[0]?.fix
  assert.equal(
    fixOf(`As you can see here, ${half}; nobody in the whole town has heard it run since the day of its first winter here.`),
    `As you can see here, ${half}.\nNobody in the whole town has heard it run since the day of its first winter here.`,
  )
  assert.equal(
    fixOf(`As you can see here, ${half}, and nobody in the whole town has heard it run since the day of its first winter here.`),
    `As you can see here, ${half}.\nAnd nobody in the whole town has heard it run since the day of its first winter here.`,
  )
  // "Which nobody ..." is no sentence.
  assert.equal(
    fixOf(`As you can see here, ${half}, which nobody in the whole of this town has ever heard since the day of its first winter here.`),
    undefined,
  )
})

const messy = [
  'Acme Inc.\nQuarterly review',
  'Goals\n- Growth\n- Customer\n- The platform is for teams that\n- https://example.org/goals\n© 2016 Acme',
  'Architecture\nClient\nServer\nLoad Balancer\nNS\nServer\nQueue\n© 2016 Acme',
  'Numbers\n- 12 %\n- Revenue\n- Cost of\n- npm install --save x\n© 2016 Acme',
  'Team\n- Ada\n- Grace\n- www.example.org\n- and the others of the\n© 2016 Acme',
]

/** As lines are read out one by one. */
function readOut(texts: readonly string[]): LintBeat[] {
  return texts.flatMap((text, slideIndex) =>
    text
      .split('\n')
      .map((line, at) =>
        beat(`${line.replace(/^- /u, '')}.`, slideIndex, { beatId: `${slideIndex}.${at}`, kind: at === 0 ? 'title' : 'narration' }),
      ),
  )
}

test('a talk that reads the lines of its slides out is worth nothing to who listens, and each slide is told why', () => {
  const slides = messy.map(slide)
  const beats = readOut(messy)
  const findings = lintScript({ language: 'en', slides, beats })
  assert.equal(lintScore(findings, beats), 0)
  assert.deepEqual([...new Set(findings.map(({ slideIndex }) => slideIndex))], [0, 1, 2, 3, 4])
})

test('what is compiled from the same slides has next to nothing to mend', () => {
  const slides = messy.map(slide)
  const { beats } = compileScript({ title: 'Review', language: 'en', slides })
  const findings = lintScript({ language: 'en', slides, beats })
  assert.ok(lintScore(findings, beats) > 0.9, JSON.stringify(findings))
})
