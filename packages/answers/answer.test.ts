import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { slideText } from '../../test/support/slides.ts'
import { fill, languageOf, languageTags } from '@rostrum/languages/languages'
import { titleOf } from '@rostrum/deck/block-text'
import { welcomeDeck } from '../../server/decks/welcome.ts'
import type { AnswerContext, AnswerEnd, AnswerSession } from './answer-part.ts'
import { quotedAnswer } from './answer.ts'
import { buildSessionIndex } from './ranking/session-index.ts'

function welcomeSession(): AnswerSession {
  const deck = welcomeDeck('http://localhost:4400')
  const content = {
    title: deck.title,
    language: deck.language,
    slides: deck.slides.map(({ textContent }, index) =>
      slideText({ id: `s${index}`, index, title: titleOf(textContent), text: textContent }),
    ),
    passages: deck.knowledgeBase.map((passage, index) => ({
      id: `k${index}`,
      index,
      content: passage.content,
      ...(passage.title === undefined ? {} : { title: passage.title }),
    })),
  }
  return {
    sessionId: 'welcome',
    title: deck.title,
    content,
    index: buildSessionIndex('welcome', content),
    cta: { text: deck.ctaText, url: deck.ctaUrl },
  }
}

const session = welcomeSession()

function endOf(question: string, more: Partial<AnswerContext> = {}): AnswerEnd {
  return quotedAnswer(question, { session, ...more }).end
}

test('a question that the deck answers gets a quote, its citation and a way to the slide', async () => {
  const end = endOf('How are failed webhooks retried?')
  assert.equal(end.outcome, 'answered')
  const [citation] = end.citations
  assert.equal(citation?.type, 'knowledge')
  assert.match(citation?.quote ?? '', /2 minutes/)
  assert.ok(end.text.includes(citation?.quote ?? '?'))
})

function deckOf(...texts: string[]): AnswerSession {
  const slides = texts.map((text, index) => slideText({ id: `s${index}`, index, title: titleOf(text), text }))
  const content = { title: 'Storage', language: 'en', slides, passages: [] }
  return { sessionId: 'd', title: 'Storage', content, index: buildSessionIndex('d', content) }
}

const storage = 'Storage\n- A battery shifts the evening peak by four hours\n- It pays back in 6.5 years\n- The warranty is 9 years'
const asked = ['How long is the warranty?', 'What is the warranty?', 'How many years of warranty do I get?', 'When does it pay back?']

test('a deck of a single slide said that it does not say what it says', async () => {
  for (const question of asked) {
    const end = endOf(question, { session: deckOf(storage) })
    assert.equal(end.outcome, 'answered', question)
    assert.match(end.text, /9 years|6\.5 years/, question)
  }
  assert.equal(endOf('What is the capital of Mongolia?', { session: deckOf(storage) }).outcome, 'unknown')
})

test('what is said is a sentence, and its place is in the citation', async () => {
  const session = deckOf('Acme CRM', 'Pricing\n- Starter: $19 per user\n- Pro: $49 per user')
  const { text, citations } = endOf('How much does it cost?', { session })
  assert.equal(text, 'Starter: $19 per user. Pro: $49 per user.')
  assert.deepEqual(
    citations.map(({ n, index }) => [n, index]),
    [
      [1, 1],
      [2, 1],
    ],
  )
})

test('a recap that says a fact again made the deck uncertain of it', async () => {
  const again = 'Key takeaways\n- The warranty is 9 years\n- It pays back in 6.5 years'
  const session = deckOf(storage, 'Grid\n- The grid code asks for an answer within 200 milliseconds', again)
  for (const question of asked) assert.equal(endOf(question, { session }).outcome, 'answered', question)
})

test('a question on another subject is said to be unknown and offered to the host', async () => {
  const end = endOf('What is the capital of Mongolia?')
  assert.equal(end.outcome, 'unknown')
  assert.equal(end.text, languageOf('en').answers.unknown)
  assert.deepEqual(
    end.suggestedActions.map(({ type }) => type),
    ['contact_host'],
  )
})

test('greetings, thanks, identity, repeats, summaries and wishes about the talk have fixed replies', async () => {
  const words = languageOf('en').answers
  assert.equal(endOf('Hello!').text, languageOf('en').talk.smallTalk.greet.reply)
  assert.equal(endOf('thank you very much').text, languageOf('en').talk.smallTalk.thank.reply)
  assert.equal(endOf('Are you a human?').text, fill(words.whoAmI, { title: session.title }))
  assert.equal(
    endOf('repeat that please', { history: [{ question: 'How?', answer: 'One sentence at a time.' }] }).text,
    'One sentence at a time.',
  )
  assert.deepEqual(endOf('Please go to slide 4').control, { action: 'goto', slideIndex: 3 })
  assert.equal(endOf('go to slide 99').text, fill(words.noSuchSlide, { count: 6 }))
  assert.deepEqual(endOf('slower please').control, { action: 'slower' })
  for (const text of [
    'Shorter, please',
    'más corto',
    'plus court',
    'Bitte kürzer',
    'mais curto',
    'もっと短くしてください',
    '简短一点',
    'باختصار',
  ])
    assert.deepEqual(endOf(text).control, { action: 'shorter' }, text)
  for (const text of [
    'more detail please',
    'más detalles',
    'plus de détails',
    'ausführlicher',
    'mais detalhes',
    'もっと詳しく',
    '详细一点',
    'بالتفصيل',
  ])
    assert.deepEqual(endOf(text).control, { action: 'longer' }, text)
  assert.equal(endOf('Is the shorter cable cheaper?').control, undefined)
  const summary = endOf('What did I miss?', { slideIndex: 2 })
  assert.equal(summary.citations.length, 3)
  assert.ok(summary.text.startsWith(words.soFar))
})

test('what the talk is about is told by its title and by titles of its slides, in every language', async () => {
  const asked = [
    'What is this talk about?',
    "What's this about?",
    '¿De qué trata esta charla?',
    'De quoi parle cet exposé ?',
    'Worum geht es hier?',
  ]
  const more = [
    'Di che cosa parla questa presentazione?',
    'Sobre o que é esta apresentação?',
    'この発表は何についてですか',
    '这个演讲是关于什么的？',
    'ما موضوع هذا العرض؟',
  ]
  for (const text of [...asked, ...more]) {
    const end = endOf(text)
    assert.equal(end.outcome, 'answered', text)
    assert.ok(end.citations.length > 0 && end.citations.length <= 8, text)
    for (const { quote } of end.citations) assert.ok(end.text.includes(quote.replace(/\s+/gu, ' ').replace(/[:;,]$/u, '')), text)
  }
  assert.notEqual(endOf('What is the battery about to do?').trace?.intent, 'overview')
})

test('intents are understood in every language', async () => {
  const said = {
    en: 'Good morning',
    es: 'Buenos días',
    fr: 'Bonjour',
    de: 'Guten Tag!',
    it: 'Buongiorno',
    pt: 'Bom dia',
    ja: 'こんにちは',
    zh: '你好',
    ar: 'مرحبا',
  }
  assert.deepEqual(Object.keys(said).toSorted(), languageTags())
  for (const [language, text] of Object.entries(said)) {
    const content = { ...session.content, language }
    const end = endOf(text, { session: { ...session, content } })
    assert.equal(end.text, languageOf(language).talk.smallTalk.greet.reply)
  }
})

test('a follow-up borrows the words of the question before it, another subject does not', async () => {
  const history = [{ question: 'How are failed webhooks retried?', answer: '' }]
  assert.equal(endOf('And during that?', { history }).citations[0]?.type, 'knowledge')
  assert.equal(endOf('And what is the capital of Mongolia?', { history }).outcome, 'unknown')
})

test('a wish to buy shows as a signal and offers the call to action', async () => {
  const end = endOf('How much does it cost?')
  assert.equal(end.signal, 'price')
  assert.deepEqual(end.suggestedActions[0], { type: 'open_link', label: 'Read the documentation', url: 'http://localhost:4400/docs' })
})

test('no question, however strange, throws or yields anything but templates and verbatim quotes', async () => {
  const sources = [...session.content.slides.map(({ text }) => text), ...session.content.passages.map(({ content }) => content)]
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (question) => {
      const end = endOf(question)
      for (const { quote } of end.citations) assert.ok(sources.some((source) => source.includes(quote)))
      assert.ok(end.text.length > 0 && end.suggestedActions.length <= 3)
    }),
    { numRuns: 300 },
  )
})

test('a session without any content answers that the deck does not say', async () => {
  const content = { title: 'Empty', language: 'en', slides: [], passages: [] }
  const empty: AnswerSession = { sessionId: 'e', title: 'Empty', content, index: buildSessionIndex('e', content) }
  assert.equal(endOf('What does it weigh?', { session: empty }).outcome, 'unknown')
  assert.equal(endOf('What is this about?', { session: empty }).text, fill(languageOf('en').answers.about, { title: 'Empty' }))
  assert.equal(endOf('summary', { session: empty }).text, languageOf('en').answers.nothingYet)
})
