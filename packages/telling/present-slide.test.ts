import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { drawn, told, written } from '../../test/support/told.ts'
import { languageTags } from '@rostrum/languages/languages'
import type { Block, Draft } from '@rostrum/contract/block'
import { compileScript } from './compile.ts'
import { countWords, keyOf } from './spoken-words.ts'

test('a long sentence was cut at a comma into two halves with a stop each: it goes on after the comma', () => {
  const long =
    'In 2003 a large group of scientists from the national institutes, from the food agencies, from the drug and imaging industries, from universities of four countries and from several foundations joined in one effort to find the markers of a disease'
  const [first = '', second = ''] = told([`Effort\n${long}.`]).slice(1)
  assert.match(first, /,$/)
  assert.match(second, /^\p{Ll}.*\.$/u)
  assert.equal(`${first} ${second}`, `${long}.`)
})

test('a long German sentence was cut after "inkl.": a stop that ends no sentence is no place to cut', () => {
  const long =
    'Wir nehmen die technischen und die fachlichen Anforderungen mit dem ganzen Fachbereich auf, inkl. dem Schutzbedarf aller Daten in Bezug auf Vertraulichkeit, Authentizität, Integrität und Verfügbarkeit sowie der erwarteten Logik der Anwendung und ihrer Grenzen.'
  const texts = told([`Anforderungen\n${long}`], { language: 'de' })
  assert.equal(texts.join(' ').includes('inkl. Dem'), false)
  assert.ok(
    texts.every((text) => !text.endsWith('inkl.')),
    texts.join('\n'),
  )
})

test('the figures of a quarter were left out because the last of them is a bare number', () => {
  const figures = 'Revenue: 4.8 million EUR\n\nOperating margin: 12 %\n\nStaff: 220'
  const texts = told([
    `Our year\nWe tell it quarter by quarter to all who came.`,
    `Q2 2025\n\n${figures}`,
    'Thanks\nWe go on with all of it next year.',
  ])
  for (const figure of ['4.8 million', '12 percent', 'Staff: 220'])
    assert.ok(
      texts.some((text) => text.includes(figure)),
      `${figure}: ${texts.join('\n')}`,
    )
})

test('two points are said without counting them, and a part of a list is never counted as the whole', () => {
  const two = '- Trust but verify\n- Test for access'
  const long = '- Test each new version against the rules that were first agreed upon in the contract'
  assert.deepEqual(
    told([`Rules\nWe check what we buy in every single year that we use it.\n${two}`]).at(-1),
    'Trust but verify and test for access.',
  )
  assert.deepEqual(told([`Rules\n${two}\n- Ask your vendor\n${long}`])[0]?.includes('points'), false)
})

test('a label below a label was said with commas alone: "Location: City, Guadalajara, Mexico"', () => {
  const slide = 'Facts\n- Location\n  - City: Guadalajara, Mexico\n  - Venue: Holiday Inn'
  assert.deepEqual(told([slide]).at(-1), 'Location: City (Guadalajara, Mexico); and Venue (Holiday Inn).')
})

test('what announces a list was said as a sentence that ends in "be able to"', () => {
  const slide = 'Aims\nAfter this lesson the participant will be able to:\n- Name the risks\n- Plan a backup'
  assert.deepEqual(told([slide]).at(-1), 'After this lesson the participant will be able to name the risks and plan a backup.')
})

test('whose a picture is, and a list of works, are not said', () => {
  const texts = told([
    'Backups\n- Save time and money for the whole team\n- CC image courtesy of Ann on Flickr\n- Photo: Ann Smith',
    'References\n- Cook and Olson, Best practices for preparing data sets to share and to keep for others, 2001',
  ])
  assert.equal(/Flickr|Smith|Cook/u.test(texts.join(' ')), false)
})

test('a question that heads many points had a comma after its mark, and "from" was said twice', () => {
  const points = ['Red', 'Blue', 'Goes from 5 -> 2', 'Costs 20 euros', 'Green', 'Gold', 'Black'].map((point) => `- ${point}`).join('\n')
  const [only = ''] = told([`Where will you keep your files?\n${points}`]).slice(-1)
  assert.equal(/\?,|from from/u.test(only), false, only)
})

test('a slide that says everything in Japanese and in English is told in the language of the talk', () => {
  const slide = '目標\n- 品質を高める\n- Raise the quality of work\n- 費用を下げる\n- Lower the cost of it all'
  assert.equal(/quality|cost/u.test(told([slide], { language: 'ja' }).join('')), false)
})

test('the ending of a file kept no space before it', () => {
  assert.ok(
    told(['Files\n- Convert text files from .doc or .xls to .txt as soon as you have time for it']).join('').includes('from .doc or'),
  )
})

test('short points are one sentence with the title, not a line each', () => {
  assert.deepEqual(told(['Pricing\n- Quiet pumps\n- Small pumps\n- Free delivery']), [
    'Next, Pricing: quiet pumps, small pumps, and free delivery.',
  ])
})

test('long points are a sentence each, numbered where their order matters', () => {
  const steps =
    'Install\n1. Download the package for your system from the release page\n2. Start the server once, so that it makes its folders'
  assert.deepEqual(told([steps]), [
    'Next, Install: First, download the package for your system from the release page.',
    'Second, start the server once, so that it makes its folders.',
  ])
})

test('of many points it is said how many there are, and two that carry a figure or the stress of the host', () => {
  const text = `Features\n${['Blue', 'Red', 'Costs 20 euros', 'Green', 'Saves 30 hours', 'Gold', 'Black'].map((point) => `- ${point}`).join('\n')}`
  assert.deepEqual(told([text]), ['Next, Features: Costs 20 euros and Saves 30 hours, to name two; the slide has all seven.'])
  // Two that hold an "and" would be heard as four.
  const pairs = `Roles\n${['Owner and host', 'Guest', 'Judge and scribe', 'Clerk', 'Porter', 'Cook', 'Nurse'].map((name) => `- ${name}`).join('\n')}`
  assert.deepEqual(told([pairs]), ['Next, Roles: Guest and Clerk, to name two; the slide has all seven.'])
})

test('points below a point are told with it', () => {
  assert.deepEqual(told(['Tools\n- Rendering\n  - Chromium\n  - LibreOffice']), ['Now to Tools.', 'Rendering: Chromium and LibreOffice.'])
  // Of many, not what stands below them.
  const many = ['PDF', 'SVG', 'HTML'].map((name) => `  - ${name}\n    - Reader of ${name}\n    - Writer of ${name}`).join('\n')
  assert.deepEqual(told([`Tools\n- Rendering\n${many}`]), ['Now to Tools.', 'Rendering: PDF, SVG, and HTML.'])
})

test('a name keeps its capital in a list, and what it stands beside keeps theirs', () => {
  const text = 'People\n- Lab and mark\n- Mark and Nick\nThe lab and its mark, and the office of a chief, are in town.'
  assert.match(told([text]).join(' '), /Lab and mark; and Mark and Nick/)
})

const table: Draft = {
  kind: 'table',
  hasHeader: true,
  rows: [
    ['Plan', 'Price (EUR)', 'Minutes'],
    ['Basic', '5', '100'],
    ['Pro', '9', '400'],
    ['Team', '29', '900'],
  ].map((row) => row.map((text) => ({ text }))),
}

test('a table is told by what it compares and its extremes, with header and unit', () => {
  assert.deepEqual(told([['Plans', [table]]]), [
    'Next, Plans: the table compares Basic, Pro, and Team by Price and Minutes.',
    'For Price, Team is highest at 29 euros, and Basic is lowest at 5 euros.',
  ])
})

test('a column of dates had a highest and a lowest: the days of months are no amounts', () => {
  const rows = [
    ['Event', 'Date', 'Days left'],
    ['Call opens', '30 May', '150'],
    ['Programme', '15 June', '30'],
  ].map((row) => row.map((text) => ({ text })))
  const [, lowest = ''] = told([['Dates', [{ kind: 'table', hasHeader: true, rows }]]])
  assert.equal(lowest, 'For days left, Call opens is highest at 150, and Programme is lowest at 30.')
})

test('words side by side are no table: rows that break off, or are numbers, are not compared', () => {
  const compared = (body: string[][]) => {
    const rows = [['', 'Purpose'], ...body].map((row) => row.map((text) => ({ text })))
    return told([['Survey', [{ kind: 'table', hasHeader: true, rows }]]]).join(' ')
  }
  assert.doesNotMatch(
    compared([
      ['A way to reach the', 'Anna'],
      ['Or to talk with', 'Bert'],
    ]),
    /compares/,
  )
  assert.doesNotMatch(
    compared([
      ['145', 'Yes'],
      ['129', 'No'],
    ]),
    /compares/,
  )
})

test('a chart is told from its data: what it shows, and where that goes', () => {
  const data = { categories: ['2021', '2022', '2023'], series: [{ name: 'Revenue', values: [0.12, 0.2, 0.31] }], format: '0%' }
  assert.deepEqual(told([['Growth', [{ kind: 'figure', shows: 'chart', labels: [], data }]]]), [
    'Next, Growth: the chart shows Revenue, from 2021 to 2023.',
    'Revenue goes from 12 percent to 31 percent between 2021 and 2023.',
  ])
})

test('a drawing is named with up to four of its parts, none of them twice', () => {
  const labels = ['Client', 'Server', 'Server', 'Load Balancer', 'Cache', 'Queue'].map((text) => ({ text }))
  assert.deepEqual(told([['Routing', [{ kind: 'figure', shows: 'diagram', labels }]]]), [
    'Next, Routing: the slide shows Client, Server, Load Balancer, and Cache.',
  ])
})

test('code and addresses are pointed at, never read', () => {
  const said = told([
    'Start\n```\nnpm install --save rostrum\n```\nhttps://example.org/start',
    'Mail\n- write to help@example.org',
    'Site\nhttps://example.org',
  ])
  assert.ok(said.some((text) => text.includes('the code on the slide')))
  assert.equal(said.filter((text) => text.includes('address')).length, 1)
  for (const text of said) assert.doesNotMatch(text, /npm|example|@|http/u)
})

test('code on slide after slide was pointed at each time: once is enough, then it is looked at', () => {
  const code: Draft = { kind: 'code', text: 'let a = 1' }
  const other: Draft = { kind: 'code', text: 'let b = 2' }
  assert.deepEqual(
    told([
      ['Example', [code]],
      ['Example', [other]],
    ]),
    ['Next, Example: the code on the slide shows how this is written.', ''],
  )
})

test('a title keeps its letters, a lead with a colon is a sentence of its own, a remark goes with its point', () => {
  assert.deepEqual(told(['Compile and Run\n- Quiet pumps\n- Message queue\n- (e.g. RabbitMQ)\n- Why so?']), [
    'Next, Compile and Run: quiet pumps, message queue (for example RabbitMQ), and why so.',
  ])
  const [first = ''] = told(['Price: 5,000 USD\n- Sponsors of gold are the backbone of the whole conference.'])
  assert.doesNotMatch(first, /:[^:]*:/)
})

test('a title that is a clause had a preposition before it: "On When a server fails"', () => {
  const slides = ['Pumps', 'When a pump fails', 'As a service', 'How it works', 'From the cellar']
  const titles = told(slides.map((title) => `${title}\n- It is mended by the next morning, whatever the hour.`))
  for (const text of titles) assert.doesNotMatch(text, /\b(?:on|to) (?:when|as|how|from)\b/iu)
})

test('a build slide says only what is new', () => {
  const said = told(['Goals\n- Cut the cost of a run by half', 'Goals\n- Cut the cost of a run by half\n- Answer in less than one second'])
  assert.deepEqual(said, ['Next, Goals: cut the cost of a run by half.', 'Answer in less than one second.'])
})

test('of words that were recognised in a picture whole lines that were read surely are said', () => {
  const read = (text: string, confidence: number): Draft => ({ kind: 'paragraph', text, confidence })
  const line = 'This sentence was read from a photograph of a page.'
  assert.deepEqual(told([['Scan', [read(line, 0.8)]]]), ['Now to Scan.'])
  assert.match(
    told([['Scan', [read(line, 0.95), read('CHAMPIONS', 0.96), read('Failures 88.14 65.42 81.7', 0.96)]]]).join(),
    /: this sentence was[^:]*\.$/u,
  )
  assert.deepEqual(told([['Scan', [read(line, 0.95), read('assert list[1] == 2;', 0.95)]]]), ['Now to Scan.'])
})

test('halves of sentences, marks of rights, page numbers and letters set apart are not said', () => {
  const said = told([
    'Notes\n\nthe end of a sentence that began on the page before\n© 2016 Acme Limited of London, all rights reserved\n17\nK C D L I M A P E R U\nWe sell it in the countries of the and',
  ])
  assert.deepEqual(said, ['Now to Notes.'])
})

test('what stands on every slide is never said', () => {
  const said = told([
    'One\nAcme moves the world of anvils forward every day\nFirst we build it.',
    'Two\nAcme moves the world of anvils forward every day\nThen we sell it.',
    'Three\nAcme moves the world of anvils forward every day\nAt last we mend it.',
  ])
  assert.deepEqual(said, ['Next, One: first we build it.', 'On Two: then we sell it.', 'Now, Three: at last we mend it.'])
})

const passages = [
  { id: 'k0', index: 0, content: 'A heat pump moves warmth from outside air into a house, even in winter. The office has a red door.' },
  { id: 'k1', index: 1, content: 'Pumps of this series were tested for twelve years in a laboratory near Porto.' },
]

test('a first slide of whole sentences was taken for a cover, and nothing was said of it', () => {
  const slides = [
    'Boilers\nBoilers stand in the cellar of every house.\nThe city pays for their care.',
    'Pumps\nPumps are quiet at night.',
  ].map(written)
  const told = compileScript({ title: 'Heat', language: 'en', slides }).beats.filter(
    ({ slideIndex, kind }) => slideIndex === 0 && kind === 'narration',
  )
  assert.match(told.map(({ text }) => text).join(' '), /cellar of every house.*pays for their care/)
})

test('a slide is explained from the background, each sentence cited to its passage and said once', () => {
  const slides = ['Cover', 'Heat pump\n- Quiet enough for a bedroom', 'Pumps of the series\n- Sold in nine countries', 'Thanks'].map(
    written,
  )
  const { beats } = compileScript({ title: 'Cover', language: 'en', slides, passages })
  const explaining = beats.filter(({ sources }) => sources.some(({ type }) => type === 'knowledge'))
  assert.deepEqual(
    explaining.map(({ slideIndex, text, sources }) => [slideIndex, text, sources[0]?.id]),
    [
      [1, 'A heat pump moves warmth from outside air into a house, even in winter.', 'k0'],
      [2, 'Pumps of this series were tested for twelve years in a laboratory near Porto.', 'k1'],
    ],
  )
})

test('what an author wrote for a slide is said as it is written, and nothing else of that slide; directives act', () => {
  const slides = ['Cover', 'Pumps\n- Quiet', 'Thanks'].map(written)
  const narration = 'Dr. Smith built the first one in 1931. It still runs!'
  const own = slides.map((slide, at) => (at === 1 ? { ...slide, narration, agentNotes: 'secret\n[ask: Who owns one?] [pause 2s]' } : slide))
  const beats = compileScript({ title: 'Cover', language: 'en', slides: own, passages }).beats.filter(({ slideIndex }) => slideIndex === 1)
  assert.deepEqual(
    beats.map(({ text, isAuthored }) => [text, isAuthored]),
    [
      ['Dr. Smith built the first one in 1931.', true],
      ['It still runs!', true],
      ['Who owns one?', undefined],
    ],
  )
  assert.ok((beats.at(-1)?.pauseMs ?? 0) > 2_000)
  assert.deepEqual(beats[0]?.sources, [{ type: 'slide', id: 's1', index: 1 }])
})

test('a sentence tells where its words stand, in the text and on the page', () => {
  const box = [0.1, 0.2, 0.3, 0.05] as const
  const slide = drawn('Pumps', [{ kind: 'paragraph', text: 'They hum, and no more than that, at any speed.', boxes: [box] }], 1)
  const slides = [written('Cover', 0), slide, written('Thanks', 2)]
  const beat = compileScript({ title: 'Cover', language: 'en', slides }).beats.find(({ text }) => text.includes('hum'))
  assert.deepEqual(beat?.region, [box])
  const [[start, end] = [0, 0]] = beat?.sources[0]?.spans ?? []
  assert.equal(slide.text.slice(start, end), 'They hum, and no more than that, at any speed.')
})

test('the closing comes back to three different statements or to none', () => {
  const lines = [
    'Our pumps have cut the heat of a run by 40 percent',
    'Nine countries are selling our quiet pumps today',
    'A factory of quiet pumps will open in Porto in 2027',
  ]
  const closing = (texts: readonly string[]) => {
    const slides = ['Cover', ...texts.map((text, at) => `Part ${at}\nShort lead.\n- Also\n- ${text}.`), 'Thanks'].map(written)
    return compileScript({ title: 'Quiet pumps', language: 'en', slides })
      .beats.filter(({ kind }) => kind === 'closing')
      .map(({ text }) => text)
  }
  const three = closing(lines)
  assert.equal(three.length, 4)
  for (const [at, line] of lines.entries()) assert.ok(three[at]?.includes(line.slice(1)))
  assert.equal(closing(lines.slice(0, 2)).length, 1)
  // No verb, a question, a sentence that leans on another, and nearly the same again: nothing to keep in mind.
  for (const weak of [
    'Lack of ability to mend pumps in the field',
    'Is there a way to mend pumps that are in the field',
    'But it can mend pumps that are in the field',
    'Pumps can answer this question in the field',
    'The weather is always warm in the south of Spain',
    'Our pumps cut the heat of each run by 40 percent',
  ])
    assert.equal(closing([...lines.slice(0, 2), weak]).length, 1, weak)
})

const word = fc.constantFrom(
  'pump',
  'quiet',
  'Porto',
  '29',
  'euros',
  'the',
  'and',
  '12 %',
  'of',
  'warm',
  'API',
  '(new)',
  'pumps,',
  'Wärme',
  '热泵',
  'ポンプ',
  'مضخة',
)
const sentence = fc.array(word, { minLength: 1, maxLength: 60 }).map((list) => list.join(' '))
const block: fc.Arbitrary<Draft> = fc.oneof(
  sentence.map((text): Draft => ({ kind: 'paragraph', text })),
  fc
    .array(sentence, { minLength: 1, maxLength: 9 })
    .map((items): Draft => ({ kind: 'list', items: items.map((text, at) => ({ text, level: at % 2 })) })),
  fc
    .array(sentence, { minLength: 1, maxLength: 9 })
    .map((labels): Draft => ({ kind: 'figure', shows: 'diagram', labels: labels.map((text) => ({ text })) })),
)

test('no sentence has more than 35 words or 240 characters, in any language, and none is said on two slides', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(sentence, fc.array(block, { maxLength: 5 })), { maxLength: 5 }),
      fc.constantFrom(...languageTags()),
      (pages, language) => {
        const slides = pages.map(([title, blocks], at) => drawn(title.slice(0, 200), blocks, at))
        const { beats } = compileScript({ title: 'Cover', language, slides })
        const heard = new Map<string, number>()
        for (const { text, slideIndex, sources } of beats) {
          assert.ok(countWords(text, language) <= 35 && text.length <= 240, text)
          const key = keyOf(text)
          if (sources.length > 0 && key.split(' ').length > 6) assert.equal(heard.get(key) ?? slideIndex, slideIndex, text)
          heard.set(key, slideIndex)
        }
      },
    ),
    { numRuns: 150 },
  )
})

test('every list of words has a phrase in every language, and no gap of a phrase stays open', () => {
  const all: Block[] = drawn(
    'Plans',
    [table, { kind: 'quote', text: 'This is the best talk of the whole week.', by: 'Ada' }],
    1,
  ).blocks.slice()
  for (const language of languageTags()) {
    const slides = [
      written('Cover', 0),
      { ...drawn('Plans', [], 1), blocks: all },
      written('Tools\n- one\n- two\n- three', 2),
      written('', 3),
      written('', 4),
      written('End', 5),
    ]
    for (const { text } of compileScript({ title: 'Cover', language, slides, ctaText: 'Go' }).beats)
      assert.doesNotMatch(text, /[{}]|undefined/u)
  }
})
