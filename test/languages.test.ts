// A language is its file of words (`languages/README.md`): the eight that come along are whole, what is wrong in one is named, and a ninth
// speaks and understands without a line of code.
import assert from 'node:assert/strict'
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { after, test } from 'node:test'
import type * as Answers from '@rostrum/answers/answer'
import type * as Index from '@rostrum/answers/ranking/session-index'
import type * as Intents from '@rostrum/answers/intents'
import type * as Claims from '../packages/answers/claim-facts.ts'
import type * as Definitions from '../packages/answers/ranking/general-questions.ts'
import type * as Question from '../packages/answers/ranking/question.ts'
import type * as Tokens from '@rostrum/answers/ranking/tokens'
import type * as Values from '../packages/answers/ranking/values.ts'
import type * as Consent from '../server/leads/lead.ts'
import type * as Detection from '@rostrum/deck/language'
import { languageTags, readLanguage } from '@rostrum/languages/languages'
import { insidePattern, wholePattern } from '@rostrum/languages/word-pattern'
import { slideText } from './support/slides.ts'

const root = join(import.meta.dirname, '..')
const contentOf = (tag: string) => readFileSync(join(root, `packages/languages/words/${tag}.json`), 'utf8')
const problemsOf = (file: string, content: string): string => {
  try {
    readLanguage(file, content)
    return ''
  } catch (error) {
    return String(error)
  }
}

test('the words of every language are whole', () => {
  assert.ok(languageTags().length >= 8)
  for (const tag of languageTags()) assert.equal(problemsOf(`${tag}.json`, contentOf(tag)), '')
})

test('what is wrong in a file is told by file and key', () => {
  const wrong = JSON.parse(contentOf('de'))
  delete wrong.answers.unknown
  wrong.answers.goto = 'Weiter.'
  wrong.script.welcome = 'Willkommen zu {titel}'
  wrong.intents.helo = ['hallo']
  wrong.asks.money = ['(was kostet']
  wrong.signals.price = ['Preis']
  const told = problemsOf('de.json', JSON.stringify(wrong))
  for (const line of [
    /languages\/de\.json: answers\.unknown: /,
    /answers\.goto: does not say \{slide\}/,
    /script\.welcome: says \{titel\}, which nothing fills/,
    /intents/,
    /asks\.money\.0: has a bracket without its other half/,
    /signals\.price\.0: is read in small letters/,
  ])
    assert.match(told, line)
})

test('the signs of a pattern mean what the page for speakers says', () => {
  const fits = (pattern: string, text: string) => wholePattern([pattern]).exec(text)?.[1] ?? wholePattern([pattern]).test(text)
  assert.equal(fits('[please ]go (back|on)', 'go on'), true)
  assert.equal(fits('[please ]go (back|on)', 'please go'), false)
  assert.equal(fits('ask[ _]2 now', 'ask us all now'), true)
  assert.equal(fits('ask[ _]2 now', 'ask us all again now'), false)
  assert.equal(fits("that's all", 'that s all'), true)
  assert.equal(fits('slide {number}', 'slide 12'), '12')
  assert.equal(fits('slide {number}', 'slide 2.5'), false)
  assert.equal(fits('go to {title}', 'go to pricing'), 'pricing')
  const holds = (pattern: string, text: string) => insidePattern([pattern]).test(text)
  assert.ok(holds('price*', 'the prices') && !holds('price', 'the prices') && !holds('rice', 'prices'))
  assert.ok(holds('*koste*', 'gekostet') && holds('价格', '的价格是'))
  assert.ok(holds('how much …20 cost', 'how much does it cost') && !holds('how much …20 cost', 'how much did the whole long thing cost'))
  assert.ok(holds('api~key', 'an api_key') && holds('api~key', 'an apikey'))
  assert.ok(holds('/colou?r/', 'colours') && !holds('^why', 'and why'))
})

/** English with other words, as somebody would write who speaks it. */
function ninth(): string {
  const words = JSON.parse(contentOf('en'))
  words.answers.unknown = 'Ni lo sab.'
  words.answers.goto = 'Al dia {slide}.'
  words.script.thanks = 'Dankon al vi'
  words.consent = 'Mi konsentas.'
  words.talk.smallTalk.greet = { said: ['zalu'], reply: 'Zalu.' }
  words.intents = { goto: ['al[ la] dia {number}'] }
  words.asks = { money: ['kiom kostas'] }
  words.signals = { price: ['kosta*'] }
  words.wishes = ['mi volas aceti']
  words.synonyms = ['prezo kosto']
  words.words = { telling: ['zu li estas kaj la por de kun'], endings: ['ita isto'], back: ['tio'] }
  words.values = {
    numerals: { 2: 'duo', 3: 'trio' },
    months: ['januaro februaro'],
    measures: { time: { hour: 'horo horoj' }, mass: { kg: 'kilo' } },
    words: { colour: ['rugha'], money: ['senpaga'] },
  }
  words.defines = { asked: ['^kio estas'], be: ['estas'], says: ['estas'], articles: ['la'] }
  words.places = { written: 'dia {number}', at: ['unua dia'], last: ['fina dia'], named: ['[en ]dia {number}'] }
  words.claims = { promise: ['garantio*'], deny: ['neniam'], compare: ['pli'], parts: ['sed'] }
  words.talk.exists = ['chu estas']
  words.talk.agenda = ['enhavo']
  return JSON.stringify(words)
}

test('a ninth language is a file alone: it is spoken, understood and detected', async () => {
  const house = mkdtempSync(join(tmpdir(), 'rostrum-language-'))
  after(() => rmSync(house, { recursive: true }))
  for (const part of ['packages', 'server', 'package.json']) cpSync(join(root, part), join(house, part), { recursive: true })
  const libraries = join(house, 'node_modules')
  mkdirSync(join(libraries, '@rostrum'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@rostrum') symlinkSync(join(root, 'node_modules', name), join(libraries, name))
  for (const name of readdirSync(join(house, 'packages'))) symlinkSync(join(house, 'packages', name), join(libraries, '@rostrum', name))
  writeFileSync(join(house, 'packages/languages/words/xx.json'), ninth())
  const from = async <T>(path: string): Promise<T> => (await import(pathToFileURL(join(house, path)).href)) as T
  const { quotedAnswer } = await from<typeof Answers>('packages/answers/answer.ts')
  const { buildSessionIndex } = await from<typeof Index>('packages/answers/ranking/session-index.ts')
  const { numberSlides, signalOf } = await from<typeof Intents>('packages/answers/intents.ts')
  const { consentTextIn } = await from<typeof Consent>('server/leads/lead.ts')
  const { detectLanguage } = await from<typeof Detection>('packages/deck/language.ts')
  const { slidesNamed, valueBit, valueBitsOf } = await from<typeof Values>('packages/answers/ranking/values.ts')
  const { stemOf, tokenise } = await from<typeof Tokens>('packages/answers/ranking/tokens.ts')
  const { asksForDefinition } = await from<typeof Definitions>('packages/answers/ranking/general-questions.ts')
  const { isNegated, questionTypeOf } = await from<typeof Question>('packages/answers/ranking/question.ts')
  const { clauseEnd, compares, isMonth, measureNamed, promisesIn } = await from<typeof Claims>('packages/answers/claim-facts.ts')
  const slides = ['Prezo\nLa forno: 300 EUR', 'Fino'].map((text, index) => slideText({ id: `s${index}`, index, text }))
  const content = { title: 'Ovens', language: 'xx', slides, passages: [] }
  const session = { sessionId: 's', title: 'Ovens', content, index: buildSessionIndex('s', content) }
  const say = (question: string) => quotedAnswer(question, { session }).end.text
  assert.equal(say('Zalu!'), 'Zalu.')
  assert.equal(say('al dia 2'), 'Al dia 2.')
  assert.match(say('kosto forno'), /300 EUR/)
  assert.equal(signalOf('mi volas aceti'), 'booking')
  assert.equal(questionTypeOf('kiom kostas la forno', 'xx'), 'money')
  assert.equal(consentTextIn('xx-XX'), 'Mi konsentas.')
  assert.equal(say('al la fina dia'), say('al dia 2'))
  assert.equal(numberSlides('al unua dia', { count: 2 }), 'al dia 1')
  assert.deepEqual(slidesNamed('kio en dia 2', 2).named, [1])
  const holds = (text: string, type: 'duration' | 'weight' | 'colour' | 'money' | 'date') => (valueBitsOf(text) & valueBit[type]) !== 0
  assert.ok(holds('duo horoj', 'duration') && holds('9 kilo', 'weight') && holds('rugha', 'colour'))
  assert.ok(holds('senpaga', 'money') && holds('februaro', 'date') && !holds('la forno', 'duration'))
  assert.deepEqual(tokenise('trio fornoj', 'xx')[0]?.term, '3')
  assert.equal(stemOf('bakita', 'xx'), stemOf('bakisto', 'xx'))
  assert.ok(asksForDefinition('Kio estas forno?') && isNegated('la forno neniam falas', 'xx'))
  assert.deepEqual(promisesIn('Garantion ni donas'), ['garantion'])
  assert.ok(compares('pli alta') && isNegated('neniam', 'xx') && isMonth('januaro'))
  assert.equal('la forno sed la domo'.split(clauseEnd()).length, 2)
  assert.equal(measureNamed('horoj', 'xx')?.name, 'hour')
  assert.equal(detectLanguage(['La forno estas granda kaj la domo estas por li. Zu li estas kun la forno de la domo?']), 'xx')
})

test('no list of languages is written by hand beside them', () => {
  const others = new Set([
    // What these name is another's: models that read pictures, voices that somebody publishes.
    'packages/deck/recognition/tesseract.ts',
    'packages/deck/recognition/recognise.ts',
    // Grammar of single languages.
    'packages/telling/speak-line.ts',
  ])
  const tags = languageTags()
  const lists = globSync('{server,packages}/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] })
    .filter((file) => !file.endsWith('.test.ts') && !others.has(file))
    .filter((file) => {
      const source = readFileSync(join(root, file), 'utf8')
      return tags.filter((tag) => new RegExp(`'${tag}'|^\\s*(?:const )?${tag}(?::| = )`, 'm').test(source)).length > 3
    })
  assert.deepEqual(lists, [])
})
