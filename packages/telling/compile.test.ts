import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tries } from '../../test/support/seed.ts'
import { slideText } from '../../test/support/slides.ts'
import { languageTags } from '@rostrum/languages/languages'
import type { ScriptInput, ScriptSlide } from './beat.ts'
import type { PollSpec } from '@rostrum/contract/poll'
import { compileScript } from './compile.ts'
import { forLint, readDirectives, withPolls } from './directives.ts'
import { lintScript } from './lint.ts'
import { speakable } from './speak-line.ts'
import { clauseMax } from '@rostrum/contract/spoken'

function deck(texts: readonly string[], notes: readonly string[] = [], more: Partial<ScriptInput> = {}): ScriptInput {
  const slides = texts.map((text, index): ScriptSlide =>
    slideText({
      id: `s${index}`,
      index,
      text,
      ...(notes[index] === undefined ? {} : { agentNotes: notes[index] }),
    }),
  )
  return { title: 'Acme: anvils by post', language: 'en', slides, ...more }
}

const lines = fc.array(fc.string({ unit: 'grapheme', maxLength: 400 }), { maxLength: 6 }).map((list) => list.join('\n- '))
const language = fc.constantFrom(...languageTags(), 'nl', 'xx')

test('a deck in a language that nobody has written is told in its own words, without English between them', () => {
  const texts = ['Zonnedaken', 'Opslag\n- Minder dan <10% verlies\n- 20 GiB – 16 TiB\n- Batterij & omvormer', 'Prijzen']
  const { beats } = compileScript(deck(texts, [], { title: 'Zonnedaken', language: 'nl' }))
  const told = beats.filter(({ slideIndex, kind }) => slideIndex === 1 || (slideIndex === 2 && kind === 'narration'))
  const words = told.map(({ text }) => text).join(' ')
  for (const own of ['Opslag', '<10%', '20 GiB', 'Batterij & omvormer']) assert.ok(words.includes(own), `${own} in: ${words}`)
  assert.doesNotMatch(words, /\b(?:now|next|on to|under|percent|gibibytes|and|to|here)\b/iu)
})

test('the same deck gives the same bytes', () => {
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 6 }), language, (texts, tag) => {
      const input = deck(texts, [], { language: tag, ctaText: 'Order now' })
      assert.equal(JSON.stringify(compileScript(input)), JSON.stringify(compileScript(structuredClone(input))))
    }),
    { numRuns: tries(30) },
  )
})

test('every slide has a beat unless its notes skip it, and no beat is over 240 characters', () => {
  fc.assert(
    fc.property(fc.array(lines, { minLength: 1, maxLength: 6 }), language, fc.boolean(), (texts, tag, skipsFirst) => {
      const script = compileScript(deck(texts, skipsFirst ? ['[skip]'] : [], { language: tag }))
      texts.forEach((_, index) => {
        assert.equal(
          script.beats.some((beat) => beat.slideIndex === index),
          !(skipsFirst && index === 0),
        )
      })
      for (const beat of script.beats) {
        assert.ok(beat.text.length <= 240, `${beat.text.length}`)
        // What cannot be told is looked at for a while.
        assert.ok(beat.text !== '' || (beat.waitMs ?? 0) >= 1_000, JSON.stringify(beat))
        assert.ok(beat.text.isWellFormed())
        assert.deepEqual(
          beat.clauses.toSorted((a, b) => a - b),
          beat.clauses,
        )
        const ends = [...beat.clauses.slice(1), beat.text.length]
        beat.clauses.forEach((start, at) => assert.ok((ends[at] ?? 0) - start <= clauseMax))
      }
      assert.equal(new Set(script.beats.map(({ beatId }) => beatId)).size, script.beats.length)
      assert.deepEqual(
        script.beats.map(({ index }) => index),
        script.beats.map((_, at) => at),
      )
    }),
    { numRuns: tries(60) },
  )
})

test('no word of private notes is spoken, whatever the notes look like', () => {
  const canary = fc.constantFrom('zebrafink', 'quokkapult', 'morgulith')
  const shape = fc.constantFrom(
    '%',
    'Say %.',
    'ask: %?',
    'slow %',
    '[emphasise: %]',
    '[pause % 2s]',
    '[note: %]',
    'cta %',
    '[skip this: %]',
    '[seconds: %]',
    '[[ask: %]',
    '[ask %',
    '# %\n- %',
    '"[ask:]" %',
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(canary, shape), { minLength: 1, maxLength: 8 }), (notes) => {
      const texts = ['Anvils\n- Made in 4 sizes', 'Prices\n- Small: EUR 20']
      const secret = notes.map(([word, form]) => form.replaceAll('%', word)).join('\n')
      const spoken = JSON.stringify(compileScript(deck(texts, [secret, secret], { ctaText: 'Order' })).beats)
      // "[[ask: x]" holds a well-formed directive, so its words are meant to be public.
      const asked = notes.filter(([, form]) => form === '[[ask: %]').map(([word]) => word)
      for (const [word] of notes) if (!asked.includes(word)) assert.ok(!spoken.includes(word), spoken)
    }),
  )
})

test('directives act: ask is spoken and waited for, slow and pause take time, cta shows, seconds fits', () => {
  const texts = ['Anvils\n- Made in 4 sizes\n- Sent by post', 'Prices\n- Small: EUR 20\n- Large: EUR 90']
  const plain = compileScript(deck(texts))
  const script = compileScript(
    deck(texts, ['[slow] [pause 3s]\n[ask: Who owns an anvil?]', '[cta]\n[emphasise: 20 euros]\n[seconds: 30]'], { ctaText: 'Order' }),
  )
  const ask = script.beats.find(({ text }) => text === 'Who owns an anvil?')
  assert.equal(ask?.waitMs, 8000)
  assert.ok(script.beats.some(({ pace }) => pace === 'slow'))
  assert.ok(script.totalMs > plain.totalMs + 11_000)
  assert.ok(script.beats.some(({ showsCta, kind }) => showsCta === true && kind === 'narration'))
  assert.deepEqual(script.beats.find(({ emphasis }) => emphasis !== undefined)?.emphasis, ['20 euros'])
})

test('figures, units, currencies, sizes, dates and changes are said by rule', () => {
  const spoken = (line: string, tag = 'en') => speakable(line, tag)
  assert.equal(spoken('Turnaround 11.2 -> 8.7 days'), 'Turnaround from 11.2 to 8.7 days')
  assert.equal(spoken('EUR 3.90 / month'), '3.90 euros per month')
  assert.equal(spoken('-40 to +85 degrees, IP69K'), 'Minus 40 to plus 85 degrees, IP69K')
  assert.equal(spoken('Battery 14 h at 25 ml/h, +/- 3 %'), 'Battery 14 hours at 25 millilitres per hour, plus or minus 3 percent')
  assert.equal(spoken('Empty / part / full'), 'Empty, part or full')
  assert.equal(spoken('Quote -> order -> invoice'), 'Quote, then order, then invoice')
  assert.equal(spoken('Friday 3:30 – 5:00'), 'Friday 3:30 to 5:00')
  assert.equal(spoken('Over 250+ chapters'), 'Over 250 chapters')
  assert.equal(spoken('secureCodeBox is a toolchain'), 'secureCodeBox is a toolchain')
  assert.equal(spoken('The list (http, ..) is often overlooked.”'), 'The list (http, …) is often overlooked.')
  assert.equal(spoken('I3. Insecure networks'), 'I3 Insecure networks')
  assert.equal(spoken('Programs we know (ie. LFX)'), 'Programs we know (that is, LFX)')
  assert.equal(spoken('Teams of 1-30, released 2024-05-01'), 'Teams of 1 to 30, released 1 May 2024')
  assert.equal(spoken('FL-3 since the 1990s'), 'FL-3 since the 1990s')
  assert.equal(spoken('$5.5M of revenue, 400K events/sec'), '5.5 million dollars of revenue, 400 thousand events per second')
  assert.equal(spoken('$10-20M, then €3bn, $5,500 USD'), '10 to 20 million dollars, then 3 billion euros, 5,500 dollars')
  assert.equal(spoken('Price: USD $5,000*'), 'Price: 5,000 dollars')
  assert.equal(spoken('+500 attendees in 4K, 1,000+ instances'), 'Over 500 attendees in 4K, over 1,000 instances')
  assert.equal(spoken('Top 10 - 2013'), 'Top 10, 2013')
  assert.equal(spoken('ISBN 978-1558604360'), 'ISBN 978-1558604360')
  assert.equal(spoken('Ausschuss 6,1 -> 2,4 %, 489 EUR', 'de'), 'Ausschuss von 6,1 auf 2,4 Prozent, 489 Euro')
  assert.equal(spoken('Umsatz 3,5 Mio. EUR am 2024-05-01', 'de'), 'Umsatz 3,5 Millionen Euro am 1. Mai 2024')
  assert.equal(spoken('Un budget de 3M€', 'fr'), 'Un budget de 3 millions d’euros')
  assert.equal(spoken('Ingresos de $2bn', 'es'), 'Ingresos de 2 mil millones de dólares')
  assert.equal(spoken('Receita de R$ 4M', 'pt'), 'Receita de 4 milhões de reais')
  assert.equal(spoken('売上は$5.5M', 'ja'), '売上は550万ドル')
  assert.equal(spoken('收入 $2bn', 'zh'), '收入 20亿美元')
  assert.equal(spoken('€20K', 'ar'), '20 ألف يورو')
})

test('a slide that is only a picture gets its description or a neutral sentence', () => {
  const [described, bare] = ['![A crane lifts an anvil]', ''].map((text) => {
    const slides = ['Acme', text, 'Thank you'].map((each, index): ScriptSlide =>
      slideText({ id: `s${index}`, index, text: each, title: text === each ? '' : each }),
    )
    return compileScript({ title: 'Acme', language: 'en', slides }).beats.find(({ slideIndex }) => slideIndex === 1)?.text
  })
  assert.equal(described, 'Have a look at this picture: A crane lifts an anvil.')
  assert.equal(bare, 'Have a look at this picture.')
})

test('a time budget is met within 10 % wherever pauses and droppable lines allow, and each title is said once', () => {
  const texts = Array.from(
    { length: 10 },
    (_, at) =>
      `Part ${at}\n${Array.from({ length: 6 }, (__, line) => `- Statement ${at * line} about topic ${at} with figure ${line * 7}`).join('\n')}`,
  )
  for (const targetSeconds of [150, 200, 240, 300]) {
    const script = compileScript(deck(texts, [], { targetSeconds }))
    assert.ok(Math.abs(script.totalMs / 1000 / targetSeconds - 1) <= 0.1, `${targetSeconds}: ${script.totalMs}`)
    assert.deepEqual(script.warnings, [])
    const naming = script.beats.filter(({ kind }) => kind !== 'opening' && kind !== 'closing').map(({ text }) => text)
    for (let at = 1; at < 10; at++) assert.equal(naming.filter((text) => text.includes(`Part ${at}`)).length, 1, `title ${at}`)
  }
  assert.equal(compileScript(deck(texts, [], { targetSeconds: 10 })).warnings.length, 1)
})

test('speech at 60,000 words a minute takes next to no time', () => {
  const slow = compileScript(deck(['Anvils\n- Made in 4 sizes']))
  const fast = compileScript(deck(['Anvils\n- Made in 4 sizes'], [], { speechWpm: 60_000 }))
  assert.ok(fast.totalMs < slow.totalMs / 100)
})

test('the longest deck is a talk of at most eight hours, however it is written', () => {
  const item = (slide: number) => Array.from({ length: 900 }, (_, n) => `- Item ${n} of ${slide} is blue`).join('\n')
  const prose = (slide: number) =>
    `Title ${slide}\n${Array.from({ length: 200 }, (_, n) => `Sentence ${n} of slide ${slide} says that thing ${n * slide} is blue.`).join(' ')}`
  for (const text of [item, prose]) {
    const { beats, totalMs } = compileScript(deck(Array.from({ length: 300 }, (_, slide) => text(slide).slice(0, 20_000))))
    const said = beats.filter(({ sources }) => sources.length > 0)
    assert.ok(said.length > 290 && said.length <= 6_000, String(said.length))
    assert.ok(totalMs < 8 * 3_600_000)
    assert.equal(new Set(beats.map(({ slideIndex }) => slideIndex)).size, 300)
  }
})

test('of words that somebody wrote for the presenter, twenty sentences a slide are said in the longest deck, and it is told which were cut', () => {
  const narration = Array.from({ length: 40 }, (_, n) => `Word ${n} is said.`).join(' ')
  const { slides } = deck(Array.from({ length: 300 }, (_, slide) => `Part ${slide}`))
  const { beats, warnings } = compileScript({ title: 'Acme', language: 'en', slides: slides.map((slide) => ({ ...slide, narration })) })
  assert.equal(beats.filter(({ isAuthored }) => isAuthored).length, 6_000)
  assert.equal(warnings.length, 300)
  assert.match(warnings[299] ?? '', /^Slide 300 holds more than 20 sentences/)
})

test('notes of nothing but directives ask twenty questions and stress forty words', () => {
  const notes = `${'[ask: Why?]'.repeat(900)}${'[emphasize: blue]'.repeat(500)}`
  const { beats } = compileScript(deck(['Sky\n- It is blue'], [notes]))
  assert.equal(beats.filter(({ waitMs }) => waitMs !== undefined).length, 20)
  assert.equal(Math.max(...beats.map(({ emphasis }) => emphasis?.length ?? 0)), 40)
})

test('a wished length is met by what is told: less, with the heaviest kept, or more of the slide and the background', () => {
  const points = Array.from({ length: 16 }, (_, n) => `The pump of house number ${n} saves ${n + 3} tons of coal in every winter.`)
  const slides = [
    slideText({ id: 'a', index: 0, text: 'Heat for the town' }),
    slideText({ id: 'b', index: 1, text: `Pumps of the town\n${points.join('\n')}` }),
    slideText({ id: 'c', index: 2, text: 'Thanks' }),
  ]
  const content = Array.from(
    { length: 4 },
    (_, n) => `The pumps of the town were paid from fund number ${n}, which the council had set up.`,
  ).join(' ')
  const saidFor = (targetSeconds?: number) => {
    const { beats, totalMs } = compileScript({
      title: 'Heat',
      language: 'en',
      slides,
      passages: [{ id: 'p', index: 0, title: 'Pumps of the town', content }],
      ...(targetSeconds !== undefined && { targetSeconds }),
    })
    const own = beats.filter(({ kind }) => kind === 'narration')
    return { seconds: totalMs / 1_000, own: own.length, explained: own.filter(({ sources }) => sources[0]?.type === 'knowledge').length }
  }
  const [usual, short, long] = [saidFor(), saidFor(40), saidFor(150)]
  assert.ok(short.own < usual.own && Math.abs(short.seconds - 40) < 4, JSON.stringify(short))
  assert.ok(long.own > usual.own && long.explained > usual.explained && Math.abs(long.seconds - 150) < 15, JSON.stringify({ usual, long }))
})

test('silences stay those of a talk: a length that is out of reach is told, a pause and a time that were wished are kept', () => {
  const texts = ['Cover', 'Pumps\nThe pump takes warmth from the ground.', 'More\nIt is quiet, and nobody hears it.', 'Thanks']
  const { beats, warnings } = compileScript({ ...deck(texts, ['', '[pause 10s]', '[seconds: 20]', '']), targetSeconds: 600 })
  assert.equal(warnings.length, 1)
  const pauses = beats.map(({ slideIndex, pauseMs }) => [slideIndex, pauseMs] as const)
  assert.ok(
    pauses.every(([slideIndex, pauseMs]) => slideIndex === 1 || slideIndex === 2 || pauseMs <= 1_200),
    JSON.stringify(pauses),
  )
  assert.ok((pauses.findLast(([slideIndex]) => slideIndex === 1)?.[1] ?? 0) >= 10_000)
  const looked = beats.filter(({ slideIndex }) => slideIndex === 2).reduce((sum, { estMs, pauseMs }) => sum + estMs + pauseMs, 0)
  assert.ok(Math.abs(looked - 20_000) < 1_500, `${looked}`)
})

test('polls of the notes are asked after their slide, and what came of them is said; a wish about their time is kept', () => {
  const notes = [
    'Private. [poll 45s: Which one? | This | That]\n[quiz: What is 2 + 2? | 3 | *4]\n[poll rating: How clear is it?] [POLL words: What comes to mind?]',
  ]
  const script = compileScript(deck(['Anvils\n- Heavy anvils of steel\n- Light anvils of tin', 'End\n- Order today'], notes))
  const polls = script.beats.filter(({ poll }) => poll !== undefined)
  assert.deepEqual(
    polls.map(({ text, waitMs, poll }) => ({ text, waitMs, ...poll, pollId: '' })),
    [
      {
        text: 'Which one? Please answer on your screen.',
        waitMs: 45_000,
        pollId: '',
        kind: 'choice',
        question: 'Which one?',
        options: ['This', 'That'],
      },
      {
        text: 'What is 2 + 2? Please answer on your screen.',
        waitMs: 20_000,
        pollId: '',
        kind: 'choice',
        question: 'What is 2 + 2?',
        options: ['3', '4'],
        right: 1,
      },
      { text: 'How clear is it? Please answer on your screen.', waitMs: 20_000, pollId: '', kind: 'rating', question: 'How clear is it?' },
      {
        text: 'What comes to mind? Please answer on your screen.',
        waitMs: 20_000,
        pollId: '',
        kind: 'words',
        question: 'What comes to mind?',
      },
    ],
  )
  for (const { index, poll } of polls) assert.equal(script.beats[index + 1]?.resultOf, poll?.pollId)
  assert.equal(new Set(polls.map(({ poll }) => poll?.pollId)).size, 4)
  assert.doesNotMatch(JSON.stringify(script), /Private/)
  const again = compileScript(deck(['Anvils\n- Heavy anvils', 'End'], [notes[0]?.replace('*4', '4').replace('45s', '60s') ?? '']))
  const ids = (beats: typeof script.beats) => beats.flatMap(({ poll }) => poll?.pollId ?? [])
  assert.deepEqual(ids(again.beats), ids(script.beats), 'a poll that asks the same is the same')
})

test('what a poll says and how it is written are one, and a poll that is none is told with what to write', () => {
  const polls: PollSpec[] = [
    { kind: 'choice', question: 'Which one?', options: ['This', 'That'], right: 1, seconds: 30 },
    { kind: 'rating', question: 'How clear?' },
    { kind: 'words', question: 'Which word?', seconds: 5 },
  ]
  const written = withPolls('Mind the CFO. [pause 2s]\n[poll: Old? | A | B]\n\nThanks [cta]', polls)
  assert.equal(
    written,
    'Mind the CFO. [pause 2s]\n\nThanks [cta]\n[poll 30s: Which one? | This | *That]\n[poll rating: How clear?]\n[poll words 5s: Which word?]',
  )
  assert.deepEqual(readDirectives(written).polls, polls)
  assert.equal(withPolls(written, []), 'Mind the CFO. [pause 2s]\n\nThanks [cta]')
  for (const [notes, words] of [
    ['[poll: Which one?]', /options: send 2 to 8 options.*Write \[poll: Question\? \| One \| Two\]/],
    ['[poll: Which one? | A]', /options/],
    ['[poll: Which one? | A | A]', /send each option once/],
    ['[poll: Which? | *A | *B]', /Only one option is right/],
    ['[poll rating: How? | A | B]', /leave it out/],
    ['[poll 900s: How? | A | B]', /seconds/],
    ['[poll]', /question/],
  ] as const) {
    const { polls: read, wrongPolls } = readDirectives(notes)
    assert.deepEqual(read, [], notes)
    assert.match(wrongPolls.join(), words, notes)
    const [finding] = lintScript({
      language: 'en',
      slides: forLint([{ ...slideText({ id: 's', index: 0, text: 'A' }), agentNotes: notes }]),
      beats: [],
    })
    assert.equal(finding?.code, 'poll')
  }
})
