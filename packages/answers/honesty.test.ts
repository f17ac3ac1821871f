import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slideText } from '../../test/support/slides.ts'
import { quotedAnswer } from './answer.ts'
import { seriesNamed, slidesNamed } from './ranking/values.ts'
import { foreignLanguageOf } from './ranking/question.ts'
import { buildSessionIndex } from './ranking/session-index.ts'

function talk(texts: readonly string[], language = 'en') {
  const slides = texts.map((text, index) => slideText({ id: `s${index}`, index, text }))
  const content = { title: 'Pumps', language, slides, passages: [] }
  return { sessionId: 't', title: 'Pumps', content, index: buildSessionIndex('t', content) }
}

const pumps = talk([
  'Pumps for deep wells\nAcme Water',
  'The network\n- Every pump has a mesh controller that talks to its neighbours\n- The mesh controller reports leaks',
  'Terms\n- Mesh controller: a small computer in the head of each pump\n- Supervisory control (SCADA): the desk from which all are seen',
  'Leaks\nLeaks were found by operators in Ghana, Peru and Chile. A leaking pump is shown on the map with its valve.',
  'What we built\n- Sensors\n- Valves\n- Radios',
  'How a pump is repaired\n- Close the valve\n- Lift the head\n- Change the seal\n- Open the valve',
  'Firmware\nThe firmware was released for all pumps in spring.',
])
const ask = (question: string, session = pumps) => quotedAnswer(question, { session }).end

test('"What is X?" was answered with whatever says X most: the place that defines it is told', () => {
  assert.match(ask('What is a mesh controller?').text, /a small computer in the head of each pump/)
  assert.match(ask('What is SCADA?').text, /the desk from which all are seen/)
})

test('a title that only spells an acronym out is no definition of it', () => {
  const deck = talk([
    'Safety of Lift Towers (SLT) in schools\n- Jane Miller\n- Lift office, Oslo',
    'Rules\n- SLT defined as the care that towers hold in wind\n- SLT applies to all schools',
  ])
  assert.match(ask('What is SLT?', deck).text, /^SLT defined as the care/)
})

test('a question that names how many there are is answered from a list of as many', () => {
  assert.match(ask('What are the four steps to repair a pump?').text, /Close the valve.*Open the valve/)
})

test('how many features there are was plainly "Lift days 2009.": the year of a footer counts nothing', () => {
  const deck = talk(['Quiet features\nLift days 2009', 'Rules\n- Nobody runs on a tower'])
  assert.notEqual(ask('How many quiet features are there?', deck).outcome, 'answered')
})

test('a question about slide 5 is answered from slide 5, and no other', () => {
  for (const question of ['What did we build on slide 5?', 'On slide 5, which valve?', 'What is in the table on page 5?'])
    assert.deepEqual([...new Set(ask(question).citations.map(({ index }) => index))], [4], question)
})

test('which is the most, which version, which colour: where the slide does not say it, the answer is not plain', () => {
  for (const question of [
    'Which operators found the most leaks?',
    'In which version was the firmware released?',
    'What colour is a leaking pump on the map?',
  ])
    assert.notEqual(ask(question).outcome, 'answered', question)
})

test('what only a picture shows is said to be out of sight, with the slide that it is on, in nine languages', () => {
  assert.match(ask('What colour is a leaking pump on the map?').text, /^I cannot see pictures\. Slide 4 comes closest\./)
  const decks: [string, string, string, RegExp][] = [
    [
      'de',
      'Undichte Pumpen\nEine undichte Pumpe steht mit ihrem Ventil auf der Karte.',
      'Welche Farbe hat eine undichte Pumpe?',
      /Folie 1/,
    ],
    ['fr', 'Fuites\nUne pompe qui fuit est montrée avec sa vanne.', 'Quelle est la couleur de la pompe qui fuit ?', /diapositive 1/],
    ['es', 'Fugas\nUna bomba con fuga se muestra con su válvula.', '¿De qué color es la bomba con fuga?', /diapositiva 1/],
    ['it', 'Perdite\nUna pompa che perde è mostrata con la sua valvola.', 'Di che colore è la pompa che perde?', /diapositiva 1/],
    ['pt', 'Fugas\nUma bomba com fuga é mostrada com a sua válvula.', 'De que cor é a bomba com fuga?', /slide 1/],
    ['ja', '漏水\n漏水しているポンプは弁とともに表示されます。', '漏水しているポンプは何色ですか', /スライド1/],
    ['zh', '漏水\n漏水的水泵和阀门一起显示。', '漏水的水泵是什么颜色？', /第1张/],
    ['ar', 'التسرب\nتظهر المضخة المتسربة مع الصمام.', 'ما لون المضخة المتسربة؟', /الشريحة 1/],
  ]
  for (const [language, slide, question, said] of decks) assert.match(ask(question, talk([slide], language)).text, said, language)
})

test('slides and counts are read from the question in many ways, measures are not', () => {
  for (const question of [
    'What is on slide 3?',
    'Was zeigt Folie 3?',
    '¿Qué dice la diapositiva 3?',
    '第3页上是什么？',
    'スライド3の内容は？',
  ])
    assert.deepEqual(slidesNamed(question, 9).named, [2], question)
  assert.deepEqual(slidesNamed('What is on slide 30?', 9).named, [])
  assert.deepEqual(['the three phases', 'die drei Phasen', '10 risks', '三个阶段', 'in 10 days'].map(seriesNamed), [3, 3, 10, 3, undefined])
})

test('the price stood beside what was told of the package: both are told', () => {
  const packages = talk([
    'Packages\nWhat we offer',
    'Diamond package\nPRICE OF THE PACKAGE: USD 5,000\nDiamond partners are seen before, during and after the event.\n- A large stand\n- Ten tickets',
    'Bronze package\nPRICE OF THE PACKAGE: USD 600\nBronze partners are named on the site.\n- One ticket',
  ])
  assert.match(ask('How much does it cost to be a Diamond partner?', packages).text, /5,000/)
})

test('"What is on page 3?" of a page that is a picture was answered from another: it is led there, and what cannot be read is said', () => {
  const pumps = talk(['Pumps\nAda Brown', 'Valves\n- A valve opens at 3 bar', '', 'Prices\n- A pump costs 300 EUR'])
  const { text, outcome, suggestedActions } = quotedAnswer('Which valve is in the drawing on page 3?', { session: pumps }).end
  assert.equal(outcome, 'near')
  assert.equal(text, 'I cannot see pictures. Slide 3 comes closest.')
  assert.deepEqual(
    suggestedActions.map((action) => action.type === 'goto_slide' && action.slideIndex),
    [2],
  )
})

test('"How many logos are there?" was refused: what is asked lies in pictures, and is said to', () => {
  assert.match(ask('How many arrows point at the valve on the map?').text, /^I cannot see pictures\. Slide \d comes closest\./)
})

test('"What does ACR stand for?" was answered with what an ACR does: the words that it is short for are told, in capitals or beside it', () => {
  const session = talk([
    'Bicycles\nAda Brown',
    'Buying\n- Ask for an Accessibility Conformance Report (ACR) of each bicycle\n- An ACR is sent within a week',
    'Goods\n- Commercial Off The Shelf bicycles are cheap',
    'Prices\n- Some risk of theft remains',
  ])
  const told = (question: string) => quotedAnswer(question, { session }).end
  assert.equal(told('What does ACR stand for?').text, 'ACR: Accessibility Conformance Report.')
  assert.equal(told('what is cots short for?').text, 'COTS: Commercial Off The Shelf.')
  const { citations } = told('What does ACR mean?')
  assert.deepEqual(
    citations.map(({ index, quote }) => [index, quote]),
    [[1, 'Accessibility Conformance Report']],
  )
  assert.notEqual(told('What does ROT stand for?').outcome, 'answered', 'words in a row that happen to begin so')
})

test('a figure that is reckoned from others was told plainly as one of them', () => {
  const sales = talk([
    'Sales\nAda Brown',
    'Pumps\n- Pumps sold in 2019: 40 percent of all sales\n- Pumps sold in 2020: 55 percent of all sales',
  ])
  const told = (question: string) => quotedAnswer(question, { session: sales }).end.outcome
  assert.equal(told('What percentage of sales were pumps in 2020?'), 'answered')
  assert.equal(told('By what percentage were pumps sold in 2020 higher than pumps sold in 2019?'), 'near')
})

test('who asks in another language is told so in theirs; what the slides say stays as it stands, and words that are not met are no plain answer', () => {
  const texts = ['Grid storage\nFounded by Ada Braun in 2014', 'Packages\n- Gold: 300 EUR a month\n- Silver: 200 EUR a month']
  const slides = texts.map((text, index) => slideText({ id: `f${index}`, index, text }))
  const content = { title: 'Grid storage', language: 'en', slides, passages: [] }
  const session = { sessionId: 'f', title: 'Grid storage', content, index: buildSessionIndex('f', content) }
  const say = (question: string) => {
    const { text, outcome } = quotedAnswer(question, { session }).end
    return `${outcome}: ${text}`
  }
  assert.equal(say('Wer ist Ada Braun?'), 'answered: Die Folien sind auf Englisch. Founded by Ada Braun in 2014.')
  assert.match(
    say('Wann wurde Ada Braun geboren?'),
    /^near: Die Folien sind auf Englisch\. Ich bin nicht sicher, .* Founded by Ada Braun in 2014\.$/,
  )
  assert.match(say('¿Cuánto cuesta el paquete Gold?'), /^near: Las diapositivas están en inglés\. .* Gold: 300 EUR a month\.$/)
  assert.equal(say('Goldはいくらですか？'), 'answered: スライドは英語です。 Gold: 300 EUR a month.')
  assert.match(
    say('Qui a peint la Joconde et dans quelle ville ?'),
    /^unknown: Les diapositives sont en anglais\. La présentation ne le dit pas\./,
  )
  assert.match(say('What does Gold cost?'), /^answered: Gold: 300 EUR/)
  // Names of other languages do not make a question foreign.
  for (const question of ['Who is El Niño?', 'Was Gold founded in Las Vegas?', 'Is Der Spiegel a customer?'])
    assert.equal(foreignLanguageOf(question, 'en'), undefined, question)
  assert.equal(foreignLanguageOf('連絡先は？', 'ja') ?? foreignLanguageOf('価格？', 'ja'), undefined)
})
