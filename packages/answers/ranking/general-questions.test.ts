import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { slideText } from '../../../test/support/slides.ts'
import { titleOf } from '@rostrum/deck/block-text'
import { generalAnswer } from './general-questions.ts'
import { buildSessionIndex, type SessionIndex } from './session-index.ts'

function indexOf(language: string, texts: readonly string[]): SessionIndex {
  const slides = texts.map((text, index) => slideText({ id: `s${index}`, index, title: titleOf(text), text }))
  return buildSessionIndex('d', { language, slides, passages: [] })
}

const quoted = (question: string, index: SessionIndex): string => generalAnswer(question, index)[0]?.unit.text ?? ''

/** Slides: the subject, price, contact, date and place, joining, customers; and a question for each but the first. */
const decks: Record<string, { slides: readonly string[]; asked: readonly (readonly [string, string])[] }> = {
  en: {
    slides: [
      'First aid\n- A course for everybody',
      'What it costs\n- 35 dollars',
      'Call us\n- help@aid.example',
      'When and where\n- Tuesday, 18:00\n- At Mill Lane',
      'Sign up\n- aid.example/join',
      'Customers\n- 2,300 teams',
    ],
    asked: [
      ['How much does it cost?', '35'],
      ['How expensive is the course?', '35'],
      ['How do I get in touch?', 'help@'],
      ['When does it take place?', '18:00'],
      ['Where is it?', 'Mill Lane'],
      ['How do I register?', 'join'],
      ['Who uses it?', '2,300'],
    ],
  },
  es: {
    slides: [
      'Primeros auxilios\n- Un curso para todos',
      'Precio\n- 35 euros',
      'Contacto\n- hola@aid.example',
      'Cuándo y dónde\n- Martes, 18:00\n- En Madrid',
      'Inscripción\n- aid.example/curso',
      'Clientes\n- 2.300 equipos',
    ],
    asked: [
      ['¿Cuánto cuesta?', '35'],
      ['¿Cómo puedo contactar?', 'hola@'],
      ['¿Cuándo empieza?', '18:00'],
      ['¿Dónde es?', 'Madrid'],
      ['¿Cómo me inscribo?', 'aid.example'],
      ['¿Quién lo usa?', '2.300'],
    ],
  },
  fr: {
    slides: [
      'Premiers secours\n- Un cours pour tous',
      'Prix\n- 35 euros',
      'Contact\n- aide@aid.example',
      'Quand et où\n- Mardi, 18:00\n- À Lyon',
      'Inscription\n- aid.example/cours',
      'Clients\n- 2300 équipes',
    ],
    asked: [
      ['Combien ça coûte ?', '35'],
      ['Comment vous contacter ?', 'aide@'],
      ['Quand est-ce que ça commence ?', '18:00'],
      ['Où est-ce ?', 'Lyon'],
      ["Comment s'inscrire ?", 'aid.example'],
      ["Qui l'utilise ?", '2300'],
    ],
  },
  de: {
    slides: [
      'Erste Hilfe\n- Ein Kurs für alle',
      'Kosten\n- 35 Euro',
      'Kontakt\n- hilfe@aid.example',
      'Wann und wo\n- Dienstag, 18:00\n- In Köln',
      'Anmeldung\n- aid.example/kurs',
      'Kunden\n- 2300 Teams',
    ],
    asked: [
      ['Was kostet das?', '35'],
      ['Wie teuer ist der Kurs?', '35'],
      ['Wie kann ich Sie erreichen?', 'hilfe@'],
      ['Wann findet es statt?', '18:00'],
      ['Wo ist das?', 'Köln'],
      ['Wie melde ich mich an?', 'aid.example'],
      ['Wer nutzt es?', '2300'],
    ],
  },
  pt: {
    slides: [
      'Primeiros socorros\n- Um curso para todos',
      'Preço\n- 35 euros',
      'Contato\n- ajuda@aid.example',
      'Quando e onde\n- Terça, 18:00\n- Em Lisboa',
      'Inscrição\n- aid.example/curso',
      'Clientes\n- 2.300 equipes',
    ],
    asked: [
      ['Quanto custa?', '35'],
      ['Como posso contatar vocês?', 'ajuda@'],
      ['Quando começa?', '18:00'],
      ['Onde é?', 'Lisboa'],
      ['Como me inscrevo?', 'aid.example'],
      ['Quem usa?', '2.300'],
    ],
  },
  ja: {
    slides: [
      '応急手当\n- みんなの講座',
      '料金\n- 3500円',
      '連絡先\n- help@aid.example',
      '日時と場所\n- 18:00\n- 東京',
      '申し込み\n- aid.example/join',
      '導入企業\n- 2300社',
    ],
    asked: [
      ['いくらですか？', '3500'],
      ['連絡先は？', 'help@'],
      ['いつですか？', '18:00'],
      ['どこですか？', ''],
      ['申し込みは？', 'aid.example'],
      ['誰が使っていますか？', '2300'],
    ],
  },
  zh: {
    slides: [
      '急救\n- 人人可学',
      '价格\n- 350元',
      '联系方式\n- help@aid.example',
      '时间和地点\n- 18:00\n- 北京',
      '报名\n- aid.example/join',
      '客户\n- 2300家',
    ],
    asked: [
      ['多少钱？', '350'],
      ['怎么联系你们？', 'help@'],
      ['什么时候？', '18:00'],
      ['在哪里？', ''],
      ['怎么报名？', 'aid.example'],
      ['谁在使用？', '2300'],
    ],
  },
  ar: {
    slides: [
      'الإسعافات\n- دورة للجميع',
      'السعر\n- 35 يورو',
      'تواصل معنا\n- help@aid.example',
      'متى وأين\n- 18:00\n- القاهرة',
      'التسجيل\n- aid.example/join',
      'العملاء\n- 2300 فريق',
    ],
    asked: [
      ['كم السعر؟', '35'],
      ['كيف أتواصل معكم؟', 'help@'],
      ['متى؟', '18:00'],
      ['أين؟', ''],
      ['كيف أسجل؟', 'aid.example'],
      ['من يستخدمه؟', '2300'],
    ],
  },
}

test('what everybody asks finds its slide in all eight languages, whatever its words', () => {
  for (const [language, { slides, asked }] of Object.entries(decks)) {
    const index = indexOf(language, slides)
    for (const [question, answer] of asked) {
      const found = quoted(question, index)
      assert.ok(found !== '' && found.includes(answer), `${language}: ${question} ${found}`)
    }
  }
})

test('what costs nothing has a price too, and is told plainly, in every language', () => {
  const free: Record<string, [slide: string, ...questions: string[]]> = {
    en: ['A seat costs nothing, for clubs too.', 'What does it cost?', 'Is it free?', 'How much is it?'],
    de: ['Der Platz ist kostenlos.', 'Was kostet das?', 'Ist das kostenlos?'],
    fr: ['La place est gratuite.', 'Combien ça coûte ?', 'C’est gratuit ?'],
    es: ['La plaza es gratuita.', '¿Cuánto cuesta?', '¿Es gratis?'],
    it: ['Il posto è gratuito.', 'Quanto costa?', 'È gratuito?'],
    pt: ['A vaga é gratuita.', 'Quanto custa?', 'É gratuito?'],
    ja: ['参加は無料です。', '料金はいくらですか？', '無料ですか？'],
    zh: ['参加免费。', '多少钱？', '是免费的吗？'],
    ar: ['المقعد مجاني للجميع.', 'كم السعر؟', 'هل هو مجاني؟'],
  }
  for (const [language, [slide, ...questions]] of Object.entries(free)) {
    const index = indexOf(language, ['Bees', `Roofs\n- ${slide}`])
    for (const question of questions) assert.equal(quoted(question, index), slide, `${language}: ${question}`)
  }
})

test('a question that asks for something of its own, or a deck without such a slide, is left to the ranking', () => {
  const index = indexOf('en', decks['en']?.slides ?? [])
  for (const question of [
    'How much does a helicopter cost?',
    'Where is my data stored?',
    'When was Lübeck founded?',
    'Who invented it?',
    'How do I reach the moon?',
    '',
  ])
    assert.deepEqual(generalAnswer(question, index), [], question)
  const grown = indexOf('en', ['All hands', 'How we did\n- Revenue grew to 6.2 million euros', 'Team\n- Dana joined in May'])
  for (const question of ['How much does it cost?', 'How do I get in touch?', 'When is it?', 'Who uses it?'])
    assert.deepEqual(generalAnswer(question, grown), [], question)
})

test('asked how much time it takes, what happens or what that is, the presenter told the price or the date', () => {
  const asked: Record<string, readonly string[]> = {
    en: [
      'How much time does it take?',
      'How much work is it?',
      'Where does it come from?',
      'When was it made?',
      'What happens when it starts?',
    ],
    es: ['¿Cuánto tiempo?', '¿Cuándo se usa?'],
    fr: ['Combien de temps ?', "C'est quoi ça ?", 'Qui utilise ça ?'],
    de: ['Wie viel Zeit braucht es?', 'Ist es an?'],
    pt: ['Quanto tempo?'],
  }
  for (const [language, questions] of Object.entries(asked)) {
    // Nobody is told of customers here.
    const index = indexOf(language, (decks[language]?.slides ?? []).slice(0, 5))
    for (const question of questions) assert.equal(quoted(question, index), '', `${language}: ${question}`)
  }
})

test('a general answer is total and is made of units of one chunk', () => {
  const index = indexOf('en', decks['en']?.slides ?? [])
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (question) => {
      assert.ok(new Set(generalAnswer(question, index).map(({ chunk }) => chunk)).size <= 1)
    }),
  )
})
