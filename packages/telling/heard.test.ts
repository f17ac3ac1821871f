// What people heard in talks on real decks and would not say themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawn, told, written } from '../../test/support/told.ts'
import type { Draft } from '@rostrum/contract/block'
import { compileScript } from './compile.ts'
import { isReference } from './spoken-words.ts'

test('questions side by side lost their marks in one sentence: each is asked by itself', () => {
  const slide = 'Rack\n- How do requests share a line?\n- What if the server is gone?'
  assert.deepEqual(told([slide]), ['How do requests share a line?', 'What if the server is gone?'])
})

test('who is named on a cover was counted as points: "four points: Ann Smith, ..."', () => {
  const cover = [
    'Cover',
    [{ kind: 'list', items: ['Ann Smith', 'Project Lead', 'COO/Founder, Acme Works'].map((text) => ({ text, level: 0 })) }],
  ] as const
  const slides = [drawn(cover[0], cover[1], 0), written('Pumps\n- Quiet pumps for a bedroom in the night', 1), written('Thanks', 2)]
  const { beats } = compileScript({ title: 'Cover: of pumps', language: 'en', slides })
  assert.deepEqual(
    beats.filter(({ slideIndex, kind }) => slideIndex === 0 && kind !== 'opening').map(({ text }) => text),
    [],
  )
})

test('"On the programme: Key information; and Location and Venue;" was heard as three: a title with an "and" is not announced', () => {
  const slides = ['Cover', 'Key information', 'Location and Venue', 'Silver sponsors', 'Thanks'].map((title, at) =>
    written(`${title}\n- It is told on this slide what there is to know of it`, at),
  )
  assert.match(compileScript({ title: 'Fair', language: 'en', slides }).beats[1]?.text ?? '', /: Key information and Silver sponsors;/)
})

test('"For 31, Downloads is highest": a number above a column says not of what', () => {
  const rows = [
    ['Libraries', '31'],
    ['Versions', '1261'],
    ['Downloads', '113939'],
  ].map((row) => row.map((text) => ({ text })))
  assert.doesNotMatch(told([['Use', [{ kind: 'table', hasHeader: true, rows }]]]).join(' '), /31/)
})

test('a long sentence was told in two halves beside others that are whole: it is left to the eye', () => {
  const long =
    'Wide use of the network has grown in every one of the regions that we looked at over the last ten years of our work, from the coast to the hills, in towns as well as in villages, for people of all ages and trades and of every income'
  const texts = told([`Growth\n${long}.\nWe counted every single user of it in 2020. In the next year there were twice as many.`])
  assert.equal(
    texts.some((text) => text.endsWith(',')),
    false,
    texts.join('\n'),
  )
  assert.equal(texts.length, 2)
})

test('"New on this slide" was said of a slide that has one point in common with another: only of one that goes on', () => {
  const [, , second = ''] = told(['Phone\n- Web and mobile apps\n- Radio', 'Watch\n- Radio\n- Web and mobile apps\n- Quiet pumps', 'x'])
  assert.doesNotMatch(second, /New on/)
})

test('"First" was said twice of one slide: two numbered lists are no order', () => {
  const long = (n: number) =>
    `1. Take part number ${n} out of its box and put it on the table\n2. Give part number ${n} to whoever sits next to you`
  assert.doesNotMatch(told([`Parts\n${long(1)}\nThen there are others in the second box.\n${long(3)}`]).join(' '), /First|Second/)
})

test('"Main types of tools include." had lost its list', () => {
  const text = 'Tools\nThe first of them was made in Porto by nine people.\n\nMain types of tools in the area of licences include:'
  assert.doesNotMatch(told([text]).join(' '), /include/)
})

test('"spread the word at:" lost the address and kept the "at"', () => {
  assert.doesNotMatch(told(['Steps\n- Translate the text\n- Spread the word at:\n- Mend the rest']).join(' '), /at[,.]/)
})

test('two names of seventy who are thanked say nothing, and a letter in the margin is no lead', () => {
  const names = Array.from({ length: 20 }, (_, at) => `- Member${at}`).join('\n')
  assert.deepEqual(told([`Who\nWe thank all who have taken part in this work.\n${names}`]).length, 1)
  assert.doesNotMatch(
    told([
      [
        'Start',
        [
          { kind: 'heading', level: 3, text: 'E' },
          { kind: 'paragraph', text: 'We are glad to have you with us.' },
        ],
      ],
    ]).join(' '),
    /E:/,
  )
})

test('a title below itself was said twice; formulas are not said', () => {
  const [first = ''] = told(['Foreword\nForeword\nThis work is the first of its kind in the country.'])
  assert.equal(first.match(/foreword/giu)?.length, 1, first)
  assert.doesNotMatch(told(['Time\n- Req1: (t1-t0) and (t5-t4)\n- Sum: (Rate % * 1000)']).join(' '), /[*]|t5/)
})

const alone = (...texts: string[]) => texts.map((text): Draft => ({ kind: 'paragraph', text }))

test('words standing in a drawing were the head of the list beside it: "External logging: Run at night"', () => {
  const points: Draft = { kind: 'list', items: [{ text: 'Every pump reports how warm it is to the house', level: 0 }] }
  const words = alone('User interface', 'Event sources', 'Data services', 'External logging')
  assert.deepEqual(told([['Parts', [...words, points]]]), ['Next, Parts: every pump reports how warm it is to the house.'])
})

test('a drawing whose words are all that a slide holds is named by its main parts', () => {
  assert.deepEqual(told([['Parts', alone('User interface', 'Event sources', 'Data services', 'External logging', 'Runtime')]]), [
    'Next, Parts: the slide shows User interface, Event sources, Data services, and External logging.',
  ])
})

test('a word right above a list stays its head, whatever is drawn beside it', () => {
  const at = (text: string, left: number, top: number): Draft => ({ kind: 'paragraph', text, boxes: [[left, top, 0.2, 0.04]] })
  const points: Draft = { kind: 'list', items: [{ text: 'Sales went up in every year', level: 0, boxes: [[0.52, 0.16, 0.4, 0.04]] }] }
  const words = [at('Roof', 0, 0.3), at('Cellar', 0, 0.5), at('Garden', 0, 0.7), at('Growth', 0.5, 0.1)]
  assert.deepEqual(told([['The house', [...words, points]]]), ['Now to The house.', 'Growth: sales went up in every year.'])
})

test('"OWASP, nine points, among them ...": two of many are named, and that the slide has them all', () => {
  const points = ['Injection', 'Broken access', 'Weak keys', 'Old parts', 'No logging', 'Loose input', 'Open ports'].map((text) => ({
    text,
    level: 0,
  }))
  assert.deepEqual(told([['Risks', [{ kind: 'list', items: points }]]]), [
    'Next, Risks: Injection and broken access, to name two; the slide has all seven.',
  ])
})

test('what a title counts is not counted again, and two points are not counted at all', () => {
  assert.deepEqual(told(['Three tasks\n- Clean the filter\n- Check the fan\n- Close the valve']), [
    'Next, Three tasks: clean the filter, check the fan, and close the valve.',
  ])
  assert.deepEqual(told(['Set-up\n- Turn on the pump\n- Close the valve']), ['Next, Set-up: turn on the pump and close the valve.'])
})

test('"On pumps are complex": a title that is a sentence is said as it is', () => {
  assert.deepEqual(told(['Heat pumps are complex\n- The fan and the valve must agree at any time of the night']), [
    'Heat pumps are complex.',
    'The fan and the valve must agree at any time of the night.',
  ])
})

test('icons and portraits were described to the room, and pictures beside words that are heard', () => {
  const picture = (text: string): Draft => ({ kind: 'figure', shows: 'picture', labels: [], alt: { text } })
  const point: Draft = { kind: 'paragraph', text: 'The pump is quiet in every room.' }
  assert.deepEqual(told([['Goals', [picture('Monitoring icon: a screen with a line'), picture('Two pumps in front of a house'), point]]]), [
    'Next, Goals: the pump is quiet in every room.',
  ])
  assert.deepEqual(told([['Goals', [picture('Two pumps in front of a house')]]]), [
    'Now to Goals.',
    'Have a look at this picture: Two pumps in front of a house.',
  ])
})

test('the licence of a deck and the source of a picture are not said', () => {
  assert.deepEqual(
    told([
      'Pumps\nThe pump is quiet in every room.\nThis work is released under Creative Commons Attribution 4.0.\nSource: the yearly report of pumps',
    ]),
    ['Next, Pumps: the pump is quiet in every room.'],
  )
})

test('a deck that sums up was closed with details of its examples: its own summary closes it, said once', () => {
  const lines = [
    'Quiet pumps are sold in nine countries.',
    'Quiet pumps are mended in one short hour.',
    'Quiet pumps are made in Porto by hand.',
  ]
  const details = lines.map((line, at) => `Part ${at}\n${line.replace('Quiet', 'Small')}`)
  const beats = (summary: string) =>
    compileScript({
      title: 'Quiet pumps',
      language: 'en',
      slides: ['Cover', ...details, `Pumps: conclusions\n${summary}`, 'Thank you'].map(written),
    }).beats.filter(({ slideIndex, kind }) => slideIndex === 4 || kind === 'closing')
  const all = beats(lines.map((line) => `- ${line}`).join('\n')).map(({ text }) => text)
  assert.ok(all.includes('Quiet pumps are made in Porto by hand.') && !all.some((text) => text.startsWith('Three things')))
  assert.ok(beats(lines[0] ?? '').every(({ text }) => !text.startsWith('Three things')))
})

test('a chart of answers went "from Yes to No", and a series that nobody named was called 2', () => {
  const chart = (name: string): Draft => ({
    kind: 'figure',
    shows: 'chart',
    labels: [],
    data: { categories: ['Yes', 'No'], series: [{ name, values: [26, 74] }] },
  })
  assert.deepEqual(told([['Votes', [chart('Answers of the towns')]]]), [
    'Next, Votes: for answers of the towns, No is highest at 74, and Yes is lowest at 26.',
  ])
  for (const name of ['2', 'Series 1', '']) assert.deepEqual(told([['Votes', [chart(name)]]]), ['Now to Votes.'])
})

test('works as a list of sources gives them, words that stand in for others and lone signs are not read out', () => {
  const page = 'Pumps\nThe pump is quiet in every room.\nSmith, J., and Miller, K. (2021). Pumps of our time.\nLorem ipsum dolor sit amet.'
  assert.deepEqual(told([page]), ['Next, Pumps: the pump is quiet in every room.'])
  assert.deepEqual(told(['Sales\n% of pumps that are sold in the north of the country each year']), [
    'Next, Sales: percent of pumps that are sold in the north of the country each year.',
  ])
})

test('a word that a line broke in two is said whole where the deck writes it so elsewhere', () => {
  const slides = [
    'Plan\nThe implementation takes two years in all.',
    'Levels\nThere is no implemen-tation in the north, and a well-known one here.',
  ]
  assert.equal(told(slides).at(-1), 'On Levels: there is no implementation in the north, and a well-known one here.')
})

test('"First: First, close the valve": an order is said once, after a comma, and half a lead is not said', () => {
  const items = ['First, close the valve of the pump in the cellar', 'wait until the water in the pipe is cold'].map((text) => ({
    text,
    level: 0,
    isOrdered: true as const,
  }))
  const lead: Draft = { kind: 'paragraph', text: 'pages), and may include:' }
  assert.deepEqual(told([['Repair', [lead, { kind: 'list', items }]]]), [
    'Next, Repair: First, close the valve of the pump in the cellar.',
    'Second, wait until the water in the pipe is cold.',
  ])
})

test('a sentence that leans on the one before it is known in Chinese and Japanese too', () => {
  for (const text of ['これらの行動は大切です。', '这些数据很重要。', 'These are the rules.']) assert.ok(isReference(text), text)
})

test('a stop in brackets, a dash after a question, a number in a key and an abbreviation in a heading were heard wrongly', () => {
  const slides = [
    'Pumps\nA small pump takes little current (as a rule, approx. Forty watts) beside the others.',
    'Where? – At home!\nThe pump stands in the cellar of the house.',
    'Steps\n1\ufe0f\u20e3 Open the valve of the pump before you start the motor.',
    'INSTALLATION OF THE BMS II\nThe small BMS of the house keeps the pump at rest by night.',
    'Calls\nvoid startPump(String name, boolean wait)',
  ]
  const texts = told(slides)
  assert.match(texts[0] ?? '', /\(as a rule, approx\. Forty watts\) beside the others\.$/)
  assert.equal(texts[1], 'Where? At home!')
  assert.match(texts.join('\n'), /Steps: open the valve/)
  assert.match(texts.join('\n'), /Installation of the BMS II/)
  assert.doesNotMatch(texts.join('\n'), /boolean/)
})

test('a point that breaks off is said with what stands below it; names beside names are all names', () => {
  const items = ['It starts by itself, but only if', 'the tank is full', 'Pump House', 'Old Mill', 'Resources']
  const list: Draft = { kind: 'list', items: items.map((text, at) => ({ text, level: at === 1 ? 1 : 0 })) }
  assert.match(told([['Pump', [list]]]).join(' '), /only if the tank is full\./)
  const names: Draft = { kind: 'list', items: items.slice(2).map((text) => ({ text, level: 0 })) }
  assert.match(
    told([['Places', [names]], 'Tools\n- All resources are on the web for everybody to read'])[0] ?? '',
    /Old Mill,? and Resources/,
  )
})

test('small signs of real slides: a span of years before a colon, plus signs as bullets, hyphens written three times, a Turkish name', () => {
  assert.match(told(['Path\n- 2007 - 2015: Lead of a small team of pump builders']).join(), /2007 to 2015: lead/iu)
  assert.match(told(['Ways\n- + Every module may use its own store\n- + You care about no other']).join(), /: every module .*You care/isu)
  assert.match(
    told(['Traits\n- Failures are a first-\u00ad\u2010class citizen of the sys\u00adtem']).join(),
    /first-class citizen of the system/u,
  )
  assert.match(told(['Our team\n- HAL\u0130L \u0130BRAH\u0130M LEADS THE WHOLE WORKSHOP TODAY']).join(), /halil ibrahim leads/iu)
  assert.doesNotMatch(
    told(['1. Sample application\n1. Sample application\nThe kitchen sink holds all of them today.']).join(),
    /application: sample/iu,
  )
})

test('the columns of a table that is a picture were told as a sentence: below a title of the document its words are not said', () => {
  const columns: Draft = { kind: 'paragraph', text: 'Category Incidence Coverage Exploit Impact Score Rank', confidence: 0.95 }
  const texts = (titleFrom: 'placeholder' | 'recognised') =>
    compileScript({
      title: 'Cover',
      language: 'en',
      slides: [written('Cover', 0), { ...drawn('Results', [columns], 1), titleFrom }, written('Thank you', 2)],
    }).beats.map(({ text }) => text)
  assert.doesNotMatch(texts('placeholder').join(), /coverage/iu)
  assert.match(texts('recognised').join(), /coverage/iu)
})
