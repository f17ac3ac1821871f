import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slideText } from '../../test/support/slides.ts'
import type { AnswerSession } from './answer-part.ts'
import { quotedAnswer } from './answer.ts'
import { buildSessionIndex } from './ranking/session-index.ts'

function talk(texts: readonly string[], language = 'en'): AnswerSession {
  const slides = texts.map((text, index) => slideText({ id: `s${index}`, index, text }))
  const content = { title: 'Bicycle sharing', language, slides, passages: [] }
  return { sessionId: 't', title: 'Bicycle sharing', content, index: buildSessionIndex('t', content) }
}

const bikes = talk([
  'Bicycle sharing\nAda Brown',
  'Obstacles\n- Helmets are missing\n- Winter is cold\n- Theft\n- Flat tyres',
  'How a town begins\n- stage 1: count the riders\n  - by camera\n- stage 2: build the racks\n  - steel ones\n- stage 3: open',
  'Partners\nPartner towns: Lund, Ghent, and Graz.',
  'Plans\n| Plan | Price |\n| --- | --- |\n| Day | 3 EUR |\n| Month | 12 EUR |\n| Year | 90 EUR |',
  'Our promise\n- Bikes are clean\n  - washed daily\n  - dried\n- Bikes are near',
])
const ask = (question: string, session = bikes) => {
  const { text, outcome, citations } = quotedAnswer(question, { session }).end
  return { text, outcome, slides: citations.map(({ index }) => index) }
}

test('"How many obstacles are there?" was a list to count oneself: it is counted, and told whole', () => {
  assert.deepEqual(ask('How many obstacles are there?'), {
    text: 'I count 4 on slide 2. Obstacles: Helmets are missing, Winter is cold, Theft, and Flat tyres.',
    outcome: 'answered',
    slides: [1],
  })
})

test('lines that say what they are, are counted over the lines under them; rows and a list in one line too', () => {
  assert.match(ask('How many stages are there?').text, /^I count 3 on slide 3\. How a town begins: stage 1: count the riders, stage 2/)
  assert.match(ask('How many plans do you have?').text, /^I count 3 on slide 5\. Plans.*Day, Month, and Year\.$/)
  assert.match(ask('How many partner towns are there?').text, /^I count 3 on slide 4\. Partner towns: Lund, Ghent, and Graz\.$/)
})

test('two of three lines that open with the word over them were counted alone', () => {
  const session = talk(['Bicycle sharing\nAda Brown', 'Races\n- Race of Lund\n- Race of Ghent\n- The night ride'])
  assert.match(ask('How many races are there?', session).text, /^I count 3 on slide 2\./)
})

test('three of five numbered steps were counted, since two are set in another way; a part of several is not counted', () => {
  const steps = [
    '### Step 1: Ask',
    '- the town',
    '### Step 2: Plan',
    '### Step 3: Build',
    'Step 4: Open the racks for all of the riders',
    '- by day',
    'Step 5: Repair',
  ]
  const session = talk(['Bicycle sharing\nAda Brown', `How it begins\n${steps.join('\n')}`])
  assert.match(ask('How many steps are there?', session).text, /^I count 5 on slide 2\./)
  const parted = talk([
    'Bicycle sharing\nAda Brown',
    'How it begins (1 of 2)\n- Step 1: Ask\n- Step 2: Plan',
    'How it begins (2 of 2)\n- Step 3: Build\n- Step 4: Open',
  ])
  assert.doesNotMatch(ask('How many steps are there?', parted).text, /I count/)
})

test('a list is not counted for what it is not called, nor where its lines are of several kinds', () => {
  for (const question of [
    'How many riders are there?',
    'How many employees do you have?',
    'How many promises are there?',
    'How many obstacles did Paris meet?',
  ])
    assert.doesNotMatch(ask(question).text, /I count/, question)
})

test('what is counted is said in the language of the talk', () => {
  const german = talk(['Leihräder\nAda Braun', 'Hindernisse\n- Diebstahl\n- Winter\n- Platte Reifen'], 'de')
  assert.match(
    ask('Wie viele Hindernisse gibt es?', german).text,
    /^Ich zähle 3 auf Folie 2\. Hindernisse: Diebstahl, Winter und Platte Reifen\.$/,
  )
})

test('words in quotation marks are counted where they stand, whole words alone, over all slides or on the one that is named', () => {
  assert.deepEqual(ask('How many times does "Stage" appear?'), { text: 'I count 3 on slide 3.', outcome: 'answered', slides: [2] })
  assert.deepEqual(ask('How often is “are” mentioned?'), { text: 'I count 3, on slides 2 and 6.', outcome: 'answered', slides: [1, 5] })
  assert.deepEqual(ask('How often is “are” mentioned on slide 6?').slides, [5])
})

test('charts that hold their data are counted, and only nearly: others may be pictures', () => {
  const chart = { kind: 'figure', shows: 'chart', labels: [], data: { categories: ['Q1'], series: [] } } as const
  const [first, second, ...rest] = bikes.content.slides
  assert.ok(first && second)
  const slides = [first, { ...second, blocks: [...second.blocks, chart] }, ...rest]
  const session = { ...bikes, content: { ...bikes.content, slides } }
  assert.deepEqual(ask('How many charts are there?', session), { text: 'I count 1 on slide 2.', outcome: 'near', slides: [1] })
})

test('slides that number themselves are a list over the deck: they are counted and named, and asked for by their number', () => {
  const lessons = talk(['Bicycle sharing', 'Lesson 1 Racks', 'Lesson 2 Riders', 'A break\n- Coffee', 'Lesson 3 Winter'])
  const text = 'I count 3, on slides 2, 3, and 5. Lesson 1 Racks, Lesson 2 Riders, and Lesson 3 Winter.'
  const expected = { text, outcome: 'answered', slides: [1, 2, 4] }
  assert.deepEqual(ask('How many lessons are there?', lessons), expected)
  assert.deepEqual(ask('Which three lessons are named?', lessons), expected)
  assert.notEqual(ask('Which two lessons are named?', lessons).text, text)
})
