// Questions about the talk that a slide of it answers, and small words that kept a question from finding what it asks for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slideText } from '../../test/support/slides.ts'
import type { AnswerSession } from './answer-part.ts'
import { quotedAnswer } from './answer.ts'
import { buildSessionIndex } from './ranking/session-index.ts'
import { stemOf } from './ranking/tokens.ts'
import { wantsOf } from './intents.ts'

function talk(texts: readonly string[], language = 'en'): AnswerSession {
  const slides = texts.map((text, index) => slideText({ id: `s${index}`, index, text }))
  const content = { title: 'Hives', language, slides, passages: [] }
  return { sessionId: 't', title: 'Hives', content, index: buildSessionIndex('t', content) }
}
const ask = (question: string, session: AnswerSession) => quotedAnswer(question, { session }).end

const hives = talk([
  'Hive rules for roofs\nHow we keep bees and what we learnt\nWorkshop in Turin\nApril 2024\nAda Brown',
  'Agenda\n- Choosing a roof\n- The first winter\n- Selling honey',
  'Choosing a roof\n- Describe what is provided to roofs with hives\n- A roof with hives carries 90 kg for each',
  'Warré\n- Simple to build',
  'Dadant\n- Large frames',
  'Results: hive rules\n- R1 Look\n- R2 Feed\n- R3 Weigh\n- R4 Wrap',
  'CAB in a nutshell\n- City Association of Beekeepers\n- The CAB lends tools',
  'Further reading\n- CAB Hive Rules: https://cab.example/hive-rules',
])

test('"What will be covered?" was answered with titles from all over: the slide that lists the parts is told, in nine languages', () => {
  assert.equal(ask('What will be covered?', hives).text, 'Agenda: Choosing a roof, The first winter, and Selling honey.')
  assert.match(ask('What will be covered?', talk(['Hives\nAda Brown', 'Roofs\n- A roof carries 90 kg'])).text, /Roofs/)
  const asked = {
    de: 'Was steht auf dem Programm?',
    fr: 'Qu’est-ce qu’on va voir aujourd’hui ?',
    es: '¿Qué vamos a ver hoy?',
    it: 'Di che cosa parlerà oggi?',
    pt: 'O que vamos ver hoje?',
    ja: '目次を教えてください',
    zh: '今天会讲什么？',
    ar: 'ماذا سنتعلم اليوم؟',
  }
  for (const [language, question] of Object.entries(asked))
    assert.equal(wantsOf(question, language, { count: 3 })[0]?.type, 'agenda', language)
})

test('"What is on the agenda?" was told by titles; who gives the talk is reached by the address on its first slide', () => {
  assert.match(ask('What is on the agenda?', hives).text, /^Agenda: Choosing a roof/)
  const bees = talk(['Bees\nada@bees.example\nAda Brown', 'Hives\n- Wood is warm', 'Winter\n- Feed in August'])
  assert.match(ask('How can I contact the author?', bees).text, /ada@bees\.example/)
  assert.match(
    ask('怎么联系作者？', talk(['蜜蜂\nada@bees.example\n白爱达', '蜂箱\n- 木头很暖', '冬天\n- 八月喂食'], 'zh')).text,
    /ada@bees/,
  )
})

test('"Is there a grant?" was answered plainly with what somebody provides', () => {
  const { outcome, text } = ask('Is there a grant for hives on roofs?', hives)
  assert.notEqual(outcome, 'answered', text)
  assert.equal(ask('Is there a roof with hives?', hives).outcome, 'answered')
})

test('the occasion above a date on the first slide was told as who speaks', () => {
  const deck = talk(['Bees\nHive Keepers Forum\nOctober 12, 2021\nAda Brown\nCity of Turin', 'Roofs\n- A roof carries 90 kg'])
  assert.equal(ask('Who is speaking?', deck).text, 'Ada Brown. City of Turin.')
  assert.match(ask('Who is speaking?', talk(['Bees\nAda Brown\n12 May 2021', 'Roofs\n- A roof carries 90 kg'])).text, /Ada Brown/)
})

test('"What are the hive rules for roofs?" was answered with the first slide, which is called so', () => {
  assert.match(ask('What are the hive rules for roofs?', hives).text, /R1 Look.*R4 Wrap/)
})

test('"What is the CAB?" was answered with what it does: the words that it is short for are told', () => {
  assert.match(ask('What is the CAB?', hives).text, /City Association of Beekeepers/)
})

test('verbs of Spanish and Portuguese meet in what is left without their endings', () => {
  for (const [language, words] of Object.entries({ es: 'creo creado crear creacion', pt: 'criou criado criar criacao' }))
    assert.equal(new Set(words.split(' ').map((word) => stemOf(word, language))).size, 1, language)
})

test('"Que faut-il installer avant de commencer ?" was refused for its small words', () => {
  const kit = talk(['Abeilles\nAda Brown', 'Préparer\n- Ruche installée\n- Fumoir rempli', 'Hiver\n- Nourrir les abeilles'], 'fr')
  assert.match(ask('Que faut-il avoir installé avant de commencer ?', kit).text, /Ruche installée/)
})
