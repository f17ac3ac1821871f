import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWish, signalOf } from './intents.ts'

const wishes: Readonly<Record<string, readonly string[]>> = {
  en: [
    'I want to buy this, where do I sign up?',
    "I'd like to order one.",
    'We would love to get a quote',
    'How do we get started?',
    'Where can I register?',
    'This is great. Can I book a demo?',
    'Please call me back',
    'Call us tomorrow',
    'Could someone contact me?',
    "We'll take two",
    'Sign me up!',
    'We are ready to purchase',
    'Could we schedule a short call?',
  ],
  es: [
    'Quiero comprarlo, ¿dónde me apunto?',
    'Nos gustaría contratar el servicio',
    '¿Cómo me inscribo?',
    '¿Dónde se puede comprar?',
    'Quisiera un presupuesto',
    'Llámeme, por favor',
  ],
  fr: [
    "Je veux l'acheter, où est-ce que je m'inscris ?",
    'Nous souhaiterions commander',
    'Comment puis-je souscrire ?',
    'Je voudrais un devis',
    'Rappelez-moi',
    "J'aimerais parler à un commercial",
  ],
  de: [
    'Ich möchte das kaufen, wo melde ich mich an?',
    'Wir wollen zwei davon bestellen',
    'Wo kann ich mich anmelden?',
    'Wie kann man das bestellen?',
    'Wir hätten gern ein Angebot',
    'Rufen Sie mich bitte an',
  ],
  it: [
    'Vorrei comprarlo, dove mi iscrivo?',
    'Vogliamo ordinarne due',
    'Come posso acquistarlo?',
    'Vorrei un preventivo',
    'Mi chiami, per favore',
    'Mi piacerebbe parlare con qualcuno',
  ],
  pt: [
    'Quero comprar isto, onde me inscrevo?',
    'Gostaríamos de contratar o serviço',
    'Como posso comprar?',
    'Preciso de um orçamento',
    'Onde faço para comprar?',
    'Ligue-me, por favor',
  ],
  ja: [
    'これを購入したいのですが、どこで申し込めますか？',
    '買いたいです',
    '見積もりをお願いします',
    '電話してください',
    'どうやって購入できますか',
  ],
  zh: ['我想买这个，在哪里报名？', '我们打算采购十台', '怎么购买？', '请给我报价', '請聯繫我', '在哪里可以注册？'],
  ar: ['أريد شراء هذا، أين أسجل؟', 'نود الاشتراك', 'كيف يمكنني الشراء؟', 'كيف اشتري هذا؟', 'اتصلوا بي من فضلكم', 'أحتاج عرض سعر'],
}

const questions: Readonly<Record<string, readonly string[]>> = {
  en: [
    'How do I register a webhook?',
    'How can I subscribe to an event?',
    'How much does it cost?',
    'What did customers buy last year?',
    'In which order do the steps come?',
    'How do I order the columns of the table?',
    'Who signed up for the pilot?',
    'Do we need to book the runway?',
    'Why did people want to buy gold in 1980?',
    'Is the contact made of copper?',
    'What did the general call US foreign policy?',
  ],
  es: ['¿Cuánto cuesta?', '¿Qué compraron los clientes?', '¿Cómo registro un webhook?', '¿Cuándo se firmó el contrato?'],
  fr: ['Combien ça coûte ?', 'Faut-il louer ou acheter ?', "Qu'ont acheté les clients ?", 'Comment enregistrer un webhook ?'],
  de: ['Was kostet das?', 'Wie registriere ich einen Webhook?', 'Was haben die Kunden gekauft?', 'Ich möchte wissen, wie laut sie ist'],
  it: ['Quanto costa?', 'Che cosa hanno comprato i clienti?', 'Come registro un webhook?', 'Quando è stato firmato il contratto?'],
  pt: ['Quanto custa?', 'O que os clientes compraram?', 'Como cadastrar um webhook?', 'Quando foi assinado o contrato?'],
  ja: ['いくらですか？', '顧客は何を購入しましたか？', 'どうやってWebhookを登録しますか？'],
  zh: ['多少钱？', '客户去年买了什么？', '怎么注册一个Webhook？'],
  ar: ['كم السعر؟', 'ماذا اشترى العملاء؟', 'كيف يعمل المنتج؟'],
}

test('who wants the thing itself says so in nine languages', () => {
  for (const [language, said] of Object.entries(wishes))
    for (const text of said) {
      assert.ok(isWish(text), `${language}: ${text}`)
      assert.equal(signalOf(text), 'booking', text)
    }
})

test('a question about the content is none, though it holds a word of buying', () => {
  for (const [language, asked] of Object.entries(questions)) for (const text of asked) assert.ok(!isWish(text), `${language}: ${text}`)
})
