import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slideText } from '../../test/support/slides.ts'
import { titleOf } from '@rostrum/deck/block-text'
import { fill, languageOf } from '@rostrum/languages/languages'
import type { AnswerContext, AnswerEnd } from './answer-part.ts'
import { quotedAnswer } from './answer.ts'
import { buildSessionIndex } from './ranking/session-index.ts'

const texts = ['Acme CRM\n- For small teams', 'Pricing\n- Starter: $19 per user\n- Pro: $49 per user', 'Questions\n- hello@acme.example']

function end(question: string, language: string, more: Partial<AnswerContext> = {}): AnswerEnd {
  const slides = texts.map((text, index) => slideText({ id: `s${index}`, index, title: titleOf(text), text }))
  const content = { title: 'Acme CRM', language, slides, passages: [] }
  const session = { sessionId: 'd', title: 'Acme CRM', content, index: buildSessionIndex('d', content) }
  return quotedAnswer(question, { session, ...more }).end
}

/** By language: "ok", "help", "is this recorded?", "how many slides?", "how long is the talk?", "what does slide 2 say?", "I did not understand". */
const said: Record<string, readonly [string, string, string, string, string, string, string]> = {
  en: [
    'OK',
    'What can you do?',
    'Is this being recorded?',
    'How many slides are there?',
    'How long is this talk?',
    'What does slide 2 say?',
    'Sorry, what?',
  ],
  es: [
    'De acuerdo',
    '¿Qué puede hacer?',
    '¿Se está grabando?',
    '¿Cuántas diapositivas hay?',
    '¿Cuánto dura la charla?',
    '¿Qué dice la diapositiva 2?',
    'No entiendo',
  ],
  fr: [
    "D'accord",
    'Que pouvez-vous faire ?',
    "C'est enregistré ?",
    'Combien de diapositives ?',
    'Combien de temps dure la présentation ?',
    'Que dit la diapositive 2 ?',
    "Je n'ai pas compris",
  ],
  de: [
    'Alles klar',
    'Was können Sie?',
    'Wird das aufgezeichnet?',
    'Wie viele Folien gibt es?',
    'Wie lange dauert der Vortrag?',
    'Was steht auf Folie 2?',
    'Das habe ich nicht verstanden',
  ],
  pt: [
    'Certo',
    'O que você pode fazer?',
    'Isso está sendo gravado?',
    'Quantos slides há?',
    'Quanto tempo falta?',
    'O que diz o slide 2?',
    'Não entendi',
  ],
  it: [
    'Va bene',
    'Aiuto',
    'Viene registrato?',
    'Quante diapositive ci sono?',
    'Quanto dura?',
    'Che cosa dice la diapositiva 2?',
    'Non ho capito',
  ],
  ja: [
    'わかりました',
    '何ができますか？',
    '録音されていますか？',
    'スライドは何枚ですか？',
    'あと何分ですか？',
    'スライド2には何が書いてありますか？',
    '聞こえませんでした',
  ],
  zh: ['好的', '你能做什么？', '在录音吗？', '一共有多少张幻灯片？', '还有多久？', '第2张幻灯片上写了什么？', '没听懂'],
  ar: ['حسنا', 'مساعدة', 'هل يتم التسجيل؟', 'كم عدد الشرائح؟', 'كم مدة العرض؟', 'ماذا تقول الشريحة 2؟', 'لم أفهم'],
}

test('what is said about the talk itself was answered with "The deck does not say", in every language', () => {
  for (const [language, [ok, help, recorded, slides, long, second, what]] of Object.entries(said)) {
    const words = languageOf(language).answers
    const text = (question: string, more: Partial<AnswerContext> = {}) => end(question, language, more).text
    assert.equal(text(ok), words.allRight, ok)
    assert.equal(text(help), words.help, help)
    assert.equal(text(recorded), words.recorded, recorded)
    assert.equal(text(slides), fill(words.noSuchSlide, { count: 3 }), slides)
    assert.equal(text(slides, { slideIndex: 1 }), fill(words.hereOf, { slide: 2, count: 3 }), slides)
    assert.equal(text(long, { minutes: { count: 4, isLeft: false } }), fill(words.takes, { minutes: 4 }), long)
    assert.equal(text(long, { minutes: { count: 2, isLeft: true } }), fill(words.left, { minutes: 2 }), long)
    assert.deepEqual(
      end(second, language).citations.map(({ quote, index }) => [quote, index]),
      [['Starter: $19 per user\n- Pro: $49 per user', 1]],
      second,
    )
    assert.equal(end(what, language).control?.action, 'repeat', what)
  }
})

test('a slide is gone to by the words of its title, where one alone has them', () => {
  for (const [question, language] of [
    ['Go to pricing', 'en'],
    ['Could you please show me the pricing slide?', 'en'],
    ['Zeigen Sie mir bitte Pricing', 'de'],
    ['Muestra pricing', 'es'],
    ['pricingのスライドを見せてください', 'ja'],
  ] as const)
    assert.deepEqual(end(question, language).control, { action: 'goto', slideIndex: 1 }, question)
  assert.equal(end('Show me the money', 'en').control, undefined)
  assert.equal(end('Show me the pricing', 'en', { audience: 'agent' }).citations[0]?.quote, 'Starter: $19 per user')
})

test('a talk that all hear together is not said to go where one of them wishes', () => {
  for (const question of ['Slower please', 'Can you go back?', 'Repeat that', 'Pause', 'Next slide', 'more detail please']) {
    const { text, control } = end(question, 'en', { isShared: true })
    assert.deepEqual([text, control], [languageOf('en').answers.together, undefined], question)
  }
  const { control, citations } = end('Go to slide 2', 'en', { isShared: true })
  assert.equal(control, undefined)
  assert.equal(citations[0]?.quote, 'Starter: $19 per user\n- Pro: $49 per user')
})

test('"zeige Folie 2.5" went to slide 2, and slide 1000 of a long deck was slide 100', () => {
  for (const [question, language] of [
    ['zeige Folie 2.5', 'de'],
    ['gehe zu Folie 2000', 'de'],
    ['ve a la diapositiva 1,5', 'es'],
    ['va para o slide 2000', 'pt'],
  ] as const)
    assert.equal(end(question, language).control, undefined, question)
  assert.deepEqual(end('gehe zu Folie 2 bitte', 'de').control, { action: 'goto', slideIndex: 1 })
})
