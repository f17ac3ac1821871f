import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { slideText } from '../../test/support/slides.ts'
import type { AnswerSession, Turn } from './answer-part.ts'
import { quotedAnswer } from './answer.ts'
import { tell } from './evidence.ts'
import { buildSessionIndex } from './ranking/session-index.ts'
import { wantsOf } from './intents.ts'

const wantOf = (question: string, language = 'en') => wantsOf(question, language, { count: 3 })[0]

function talk(texts: readonly string[], language = 'en', passages: readonly string[] = []): AnswerSession {
  const content = {
    title: 'Storage',
    language,
    slides: texts.map((text, index) => slideText({ id: `s${index}`, index, text })),
    passages: passages.map((text, index) => ({ id: `k${index}`, index, content: text })),
  }
  return { sessionId: 't', title: 'Storage', content, index: buildSessionIndex('t', content) }
}

const storage = talk([
  'Storage for small towns\nJane Miller, Acme Energy',
  'Agenda\n- Why now\n- The three phases\n- Prices',
  'Why now\nPeaks grow every winter. They cost each town 40,000 euros a year.',
  'The three phases\n- Survey\n- Pilot\n- Rollout',
  'Prices\n| Package | Price | Hours |\n| --- | --- | --- |\n| Basic | 9,000 EUR | 2 |\n| Large | 15,000 EUR | 6 |',
  'How it is built\n[Battery]\n[Inverter]\n[Meter]',
  'What is a peak?\nA peak is an hour in which a town draws more than its line can carry.',
])
const ask = (question: string, session = storage, history: readonly Turn[] = []) => quotedAnswer(question, { session, history }).end

test('the heading was quoted: what stands under it is the answer, a list whole', () => {
  const { text, outcome, citations } = ask('What are the three phases?')
  assert.deepEqual([text, outcome, citations.map(({ index }) => index)], ['The three phases: Survey, Pilot, and Rollout.', 'answered', [3]])
})

test('the line of an agenda was quoted: the slide that it names is told', () => {
  assert.match(ask('Why now?').text, /Peaks grow every winter/)
})

test('a title that asks the question is answered by what follows it', () => {
  assert.equal(ask('What is a peak?').text, 'A peak is an hour in which a town draws more than its line can carry.')
})

test('a row of a table is said with the names of its columns', () => {
  assert.match(ask('How much does the large package cost?').text, /Large: Price 15,000 EUR, Hours 6\./)
})

test('what a drawing shows is told by its labels', () => {
  assert.match(ask('How is it built?').text, /Battery, Inverter, and Meter/)
})

test('words that stand alone in a drawing were told in place of the sentences beside it', () => {
  const labels = 'Pluggable\n\nData Services\n\nMonitoring\n\nDealer\n\nHTTP, stream'
  const drawn = talk([
    `The platform\n${labels}\n- Simple debugging of functions\n- Common sources of events`,
    `The modes\n${labels}\n\n## Queue\n\n## Stream`,
  ])
  assert.equal(ask('What is the platform?', drawn).text, 'The platform: Simple debugging of functions and Common sources of events.')
})

test('"And large?" is asked of what was asked before', () => {
  const before = ask('How much is the Basic package?')
  const turn = { question: 'How much is the Basic package?', answer: before.text, slides: [4] }
  assert.match(ask('And Large?', storage, [turn]).text, /15,000/)
})

test('a name, a year or a figure that the place does not hold makes an answer uncertain, and is told', () => {
  const { outcome, text } = ask('What did peaks cost each town in 2019?')
  assert.equal(outcome, 'near')
  assert.match(text, /do not mention "2019"/)
})

test('words misread in the picture of the last slide were told as the name of the speaker', () => {
  const session = talk(['Storage for small towns\n- Why now\n- The three phases\n- Prices\n- Risks', 'Thank you\nFusolre Kas Distrib'])
  const [first, last] = session.content.slides
  const read = { ...last, blocks: last?.blocks.map((block) => ({ ...block, confidence: 0.4 })) }
  const content = { ...session.content, slides: [first, read] } as AnswerSession['content']
  assert.match(ask('Who is the speaker?', session).text, /Fusolre/)
  assert.doesNotMatch(ask('Who is the speaker?', { ...session, content, index: buildSessionIndex('t', content) }).text, /Fusolre/)
})

test('who speaks stands on the first slide', () => {
  assert.match(ask('Who is giving this talk?').text, /Jane Miller, Acme Energy/)
})

test('the talk as a whole is asked for in many words, in nine languages', () => {
  for (const question of [
    'What are the key takeaways?',
    'Give me the main points',
    'Can you sum the talk up for me?',
    'Fasse den Vortrag bitte zusammen',
    'Quels sont les points clés ?',
    'Resume la presentación en pocas frases, por favor',
    'Quais são os pontos principais?',
    'Fammi un riassunto in poche parole',
    'Quali sono i punti chiave?',
    '要点を教えてください',
    '请用几句话总结一下这个演讲',
    'ما هي اهم النقاط؟',
  ])
    assert.match(wantOf(question)?.type ?? '', /summary|overview/, question)
  assert.equal(wantOf('What are the main points of the contract with Acme?'), undefined)
})

test('kind words were an open question: they get kind words, in nine languages', () => {
  for (const question of [
    'Thanks, that was great!',
    'Hi, can you hear me?',
    'Nice to meet you',
    'Danke, das war super',
    'Merci, très intéressant !',
    '¡Buenos días! ¿Me oyes?',
    'Tudo bem?',
    'Grazie, molto interessante!',
    'はじめまして',
    '讲得很好，谢谢',
    'شكرا جزيلا',
    'Nice slides, thank you so much!',
    'Muito obrigado, foi ótimo!',
    'Wirklich interessanter Vortrag',
  ])
    assert.equal(wantOf(question)?.type, 'small_talk', question)
  assert.equal(wantOf('Is the price good?'), undefined)
  assert.equal(wantOf('Great, and the price?'), undefined)
})

test('whatever a slide holds, what is told of a place says only its words, and cites where they stand', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'Bc ', ' ', '\n', '|', '- ', '# ', ': ', '.', '[', ']', '1'), maxLength: 160 })
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: -1, max: 6 }),
      fc.nat(6),
      fc.constantFrom('list' as const, 'statement' as const),
      (source, block, piece, wish) => {
        const slide = slideText({ id: 's', index: 0, text: source })
        for (const told of tell(slide, { block, piece }, wish, 'en')) {
          assert.ok(told.start >= 0 && told.end <= source.length && told.start < told.end, JSON.stringify(told))
          const letters = new Set(`${source}andAND`)
          for (const letter of told.text)
            if (/\p{L}/u.test(letter)) assert.ok(letters.has(letter) || letters.has(letter.toLowerCase()), told.text)
        }
      },
    ),
  )
})

test('"explain that more simply" is told by all that the slide says, and that it is no simpler', () => {
  const turn = { question: 'How many phases are there?', answer: 'Three.', slides: [3] }
  for (const question of ['Can you explain that more simply?', 'Tell me more, please.', 'In simple terms please'])
    assert.equal(
      ask(question, storage, [turn]).text,
      'I can only say it in the words of the slides. This is what slide 4 says of it. The three phases: Survey, Pilot, and Rollout.',
    )
})

test('what is still to come is told by the titles of the slides that follow', () => {
  const { text, citations } = quotedAnswer('What comes next?', { session: storage, slideIndex: 4 }).end
  assert.equal(text, 'Still to come: How it is built and What is a peak?.')
  assert.deepEqual(
    citations.map(({ index }) => index),
    [5, 6],
  )
})

test('whom the talk is for is told where a slide says so, and is unknown where none does', () => {
  assert.equal(ask('Who is this talk for?').outcome, 'unknown')
  const told = talk(['Storage for small towns', 'Before we begin\nThis talk is aimed at mayors of small towns.', 'Prices\nFor sale.'])
  assert.match(ask('Who is this talk for?', told).text, /mayors of small towns/)
})

test('more, simpler and what comes next are asked for in nine languages', () => {
  const asked = {
    de: 'Was kommt als nächstes?',
    fr: 'Plus simplement, s’il vous plaît',
    es: 'Más sencillo, por favor',
    it: 'Che cosa viene dopo?',
    pt: 'O que vem a seguir?',
    ja: 'もっとわかりやすく',
    zh: '接下来讲什么',
    ar: 'ماذا بعد؟',
  }
  for (const [language, question] of Object.entries(asked))
    assert.match(wantOf(question, language)?.type ?? '', /simpler|upcoming/, language)
})

test('a line that leads to a list, in dots or among its items, brings the list', () => {
  const session = talk([
    'Storage\nJane Miller',
    'A cooperative\nA cooperative is a house of another kind…\n- owned by its users\n- led by a board',
    'Licences\n- The usual ones:\n- MIT\n- BSD',
  ])
  assert.match(ask('What is a cooperative?', session).text, /house of another kind…: owned by its users and led by a board\./)
  assert.match(ask('Which are the usual licences?', session).text, /The usual ones: MIT and BSD\./)
})

test('lines that stand over others were told without them', () => {
  const session = talk(['Storage\nJane Miller', 'A good board\n- be open\n  - publish every vote\n- be fair\n  - one vote each'])
  assert.equal(ask('What should a good board do?', session).text, 'Be open: publish every vote. Be fair: one vote each.')
})

test('"But this is no promise." was told without what it goes on from', () => {
  const session = talk(['Storage\nJane Miller', 'Dates\n- The pilot opens in May.\n- But this is no promise.'])
  assert.equal(ask('Is that a promise?', session).text, 'The pilot opens in May. But this is no promise.')
})

test('the steps that number themselves over a slide are one list', () => {
  const session = talk([
    'Storage\nJane Miller',
    'Buying storage\nStep 1: Measure\nAsk the grid for its peaks, which may take several weeks in winter.\nStep 2: Choose\nStep 3: Build',
  ])
  assert.equal(ask('What are the three steps?', session).text, 'Buying storage: Step 1: Measure, Step 2: Choose, and Step 3: Build.')
})

test('a title that holds the figure asked for is told, not only what stands under it', () => {
  const session = talk(['Storage\nJane Miller', 'In getting to 900 batteries a week\n- We built a factory\n- We hired engineers'])
  assert.match(ask('How many batteries do you build a week?', session).text, /900 batteries a week/)
})

test('a question among the sentences of a slide was its own answer: what follows it is told', () => {
  const session = talk([
    'Storage\nJane Miller',
    'Batteries\nAll of them age with heat over years of use. What do all batteries have in common? Cobalt.',
  ])
  assert.match(ask('What do batteries have in common?', session).text, /in common\? Cobalt\.$/)
})

test('who is the speaker was the presenter, where the slides name a person', () => {
  assert.match(ask('Who is the speaker?').text, /Jane Miller/)
  assert.match(ask('Who are you?').text, /I am the automated presenter/)
})

test('"no" was taken for the number of those who are asked for', () => {
  const session = talk([
    'Storage\nJane Miller',
    'Section 508\n- No person who works for the government is left out of training, in contracts of $10,000.',
  ])
  assert.equal(ask('How many people work for the government?', session).outcome, 'near')
})

test('"Why is it like baking powder?" was answered with "It is like baking powder!": what adds nothing to the question is no answer', () => {
  const bread = talk(['Bread\nAda Brown', 'Baking\n- A slow test is like baking powder!\n- Sprinkled on later, baking powder was nasty'])
  assert.equal(ask('Why is a slow test like baking powder?', bread).text, 'Sprinkled on later, baking powder was nasty.')
})

test('code is read and not said: the words of the slide are told', () => {
  const pages = talk(['Pumps\nAda Brown', 'Steps\n```\nfunction step(pump) { return pump.open(); }\n```\n- A step opens the pump'])
  assert.equal(ask('What does a step do with the pump?', pages).text, 'A step opens the pump.')
})

test('a row of long cells was told for two minutes: the cell that was found is told', () => {
  const long = (word: string) => `${word} fill and drain the upper basin every night of the year. `.repeat(8).trim()
  const rows = talk([
    'Pumps\nAda Brown',
    `Risks\n| Kind | Cause | Effect |\n| --- | --- | --- |\n| Leaks | ${long('Frost makes')} | ${long('Towns')} |`,
  ])
  const { text } = ask('Why does frost matter?', rows)
  assert.ok(text.includes('Frost makes') && text.length < 600 && !text.includes('Towns'), text)
})

test('takeaways were labels, words of the first slide, and one point twice: statements of different slides are told', () => {
  const town = talk([
    'Storage for the towns of the north\nJane Miller, head of storage for the towns of the north',
    'Peaks\n- Storage takes the peaks from the lines of the town\n- Town Storage Peak Line Battery Winter Rating',
    'Peaks again\n- Storage takes all peaks from the lines of the town',
    'Costs\n- A town pays less for storage than for new lines',
    'Team\n- * Storage of the town is the storage of a line',
  ])
  const { text } = ask('What are the key takeaways?', town)
  assert.match(text, /Storage takes (?:the|all) peaks from the lines of the town\. A town pays less for storage than for new lines\.$/)
  assert.doesNotMatch(text, /Jane|Rating|takes the.*takes all/)
})

test('"How long is the talk?" was answered with a duration that the slides say of something else', () => {
  const sponsors = talk(['Storage\nAda Brown', 'Sponsors\n- A sponsored talk takes 35 minutes'])
  assert.equal(ask('How long is the talk?', sponsors).outcome, 'unknown')
  assert.match(ask('How long is a sponsored talk?', sponsors).text, /35 minutes/)
})

test('"The audience may be zero" says nothing of whom the talk is for', () => {
  const events = talk(['Storage\nAda Brown', 'Events\n- The audience of an event may be zero or many'])
  assert.equal(ask('Who is this talk for?', events).outcome, 'unknown')
})

test('a slide of a title alone was refused: the title is all that it says', () => {
  const pumps = talk(['Pumps\nAda Brown', 'Revolution 2 Steam pumps', 'Revolution 3 Electric pumps'])
  assert.equal(ask('What was revolution 3?', pumps).text, 'Revolution 3 Electric pumps.')
})

test('what stands under the only line of a list was left out, and so was a line that asks what it is', () => {
  const maps = talk([
    'Maps\nAda Brown',
    'What you will do today\n- Workshop, sections 1 to 4\n  - Draw a map\n  - Find the gaps',
    'Kinds of map\n- Asset maps: where is what?\n  - Data for a choice\n- Priority maps: where to act?\n  - Clear aims',
  ])
  assert.match(ask('What will we do today?', maps).text, /Draw a map and Find the gaps\.$/)
  assert.match(ask('What is an asset map?', maps).text, /Asset maps: where is what\? Data for a choice\./)
})

test('"¿Quién creó Linux?" found nothing: words that the slides say everywhere count where they are all that is known', () => {
  const linux = talk(
    [
      'Linux\nAda Brown',
      ...['Linux hoy', 'Linux en casa', 'Linux y escuelas'].map((title) => `${title}\n- Linux es libre`),
      'Inicio\n- Linux: un kernel creado por Linus Torvalds',
    ],
    'es',
  )
  assert.notEqual(ask('¿Quién creó Linux?', linux).outcome, 'unknown')
})

test('"Is there a telephone line?" was not answered with "There is no telephone line."', () => {
  const support = talk(['Support\nAda Brown', 'Help\n- There is no telephone line\n- The line of products is small'])
  assert.equal(ask('Is there a telephone line?', support).text, 'There is no telephone line.')
})

test('"What should it not do?" was answered with what it should: what says no is meant', () => {
  const pumps = talk([
    'Pumps\nAda Brown',
    'Pump control: do\n- Finish the valves and the pump control',
    'Pump control: don’t\n- Frost mode\n- Reinvent the wheel',
  ])
  assert.match(ask('What should the pump control not do?', pumps).text, /Frost mode and Reinvent the wheel/)
})

test('"What is a goal in planning?" was answered with another word for it', () => {
  const plans = talk(['Planning\nAda Brown', 'Planning as a game\n- Objective: what do we count?\n- Goal: what is our hope?'])
  assert.match(ask('What is a goal in planning?', plans).text, /^Goal: what is our hope\?/)
})

test('answers stopped at a label, at the first words asked with, or at a slide that only asks', () => {
  const mail = talk([
    'Mail in towns\nAda Brown',
    'Why mail?',
    'Letters are what a town is bound by',
    'What is mail?\n- A way to send words\n- Slow and steady',
    'What is mail?\n- Every letter passes the hub\n- Installing the hub:\n```\napt install hub\n```',
    'Joining\n- First step for any town',
    'Roads\n- Roads are one-to-many for many towns\n- 60 million towns every month',
  ])
  assert.equal(ask('Why mail?', mail).text, 'Letters are what a town is bound by.')
  assert.match(ask('What is mail?', mail).text, /^What is mail\? A way|^A way/)
  assert.match(ask('How do I install the hub?', mail).text, /apt install hub/)
  assert.equal(ask('What is the first step for any town?', mail).text, 'Joining: First step for any town.')
  assert.match(ask('How many towns are there?', mail).text, /60 million towns/)
})

test('a figure in large letters is said with what stands under it, not left out of its own answer', () => {
  const slides = ['North', 'West', 'East'].map((region, at) =>
    slideText({ id: `s${at}`, index: at, text: `${region}\n## Revenue ${at + 20} million euro\nGrowth of ${at + 3} percent in a year` }),
  )
  const [, west] = slides
  assert.ok(west)
  const block = west.blocks.findIndex(({ kind }) => kind === 'heading')
  assert.ok(block >= 0, JSON.stringify(west.blocks))
  assert.deepEqual(
    tell(west, { block, piece: 0 }, 'statement', 'en').map(({ text }) => text),
    ['Revenue 21 million euro.', 'Growth of 4 percent in a year.'],
  )
})
