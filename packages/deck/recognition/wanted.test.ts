import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeBlocks } from '../block-text.ts'
import { confidenceOf, type PageDraft } from '../block.ts'
import type { Draft } from '@rostrum/contract/block'
import { isGarbled, isStrange } from '../pdf/geometry.ts'
import { type ReadSlide, wantsRecognition, withRecognised } from './found.ts'

const words = (text: string): Draft => ({ kind: 'paragraph', text })
const picture = (share: number): Draft => ({ kind: 'figure', shows: 'picture', labels: [], boxes: [[0, 0, 1, share]] })
const draft = (title: string, blocks: Draft[]): PageDraft => ({
  title,
  titleFrom: 'layout',
  isTitleSure: true,
  blocks,
  furniture: ['Page 4'],
})
const slide = (title: string, ...blocks: Draft[]): ReadSlide => writeBlocks(draft(title, blocks))
const seen = (title: string, ...lines: string[]): PageDraft => ({
  ...draft(
    title,
    lines.map((text) => ({ kind: 'paragraph', text, confidence: 0.9 })),
  ),
  titleFrom: 'recognised',
})

const sentence = words('The pumps are quiet because their bearings run in oil.')
const long = words('The pumps are quiet because their bearings run in oil. '.repeat(6).trim())

test('read are pages without text, with text that is none, with hardly more than a title, and with short text beside a large picture', () => {
  const wanted: [ReadSlide, boolean][] = [
    [slide(''), true],
    [slide('12'), true],
    [slide('How they work', words('Bearings')), true],
    [slide('How they work', sentence), false],
    [slide('How they work', sentence, picture(0.5)), true],
    [slide('How they work', sentence, picture(0.2)), false],
    [slide('How they work', long, picture(0.5)), false],
  ]
  for (const [each, is] of wanted) assert.equal(wantsRecognition(each), is, each.text)
})

test('what the host wrote is not read over', () => {
  const { reading, ...rest } = slide('12')
  assert.equal(wantsRecognition({ ...rest, reading: { ...reading, isCorrected: true } }), false)
})

test('beside text a picture gives labels of its figure, without what the text says already', () => {
  const own = slide('How they work', sentence, picture(0.5))
  const after = withRecognised(own, seen('How they work', 'The pumps are qulet because their bearings run in oil.', 'Oil sump', 'Page 4'))
  const figure = after?.reading.blocks.at(-1)
  assert.deepEqual(figure?.kind === 'figure' && figure.labels.map(({ text, confidence }) => [text, confidence]), [['Oil sump', 0.9]])
  assert.equal(after?.title, 'How they work')
  assert.equal(confidenceOf(after.reading), 0.9)
  assert.equal(withRecognised(own, seen('How they work')), undefined)
})

test('a page that is a picture takes title and words from it, and a title of its own stays', () => {
  const bare = withRecognised(slide(''), seen('What it costs', 'Forty euros a month'))
  assert.deepEqual(
    [bare?.title, bare?.text, bare?.reading.titleFrom],
    ['What it costs', 'What it costs\nForty euros a month', 'recognised'],
  )
  assert.equal(withRecognised(slide('The price'), seen('What it costs', 'Forty euros a month'))?.title, 'The price')
})

test('a title of two Chinese letters, or one above text whose signs say nothing, gave way to what the picture seemed to say', () => {
  const junk = seen('Hx', 'Forty euros a month')
  assert.equal(withRecognised(slide('目录'), junk)?.title, '目录')
  const above = withRecognised(slide('指标设计'), junk)
  assert.deepEqual([above?.title, above?.reading.titleFrom, above?.reading.isTitleSure], ['指标设计', 'layout', true])
  const { reading, ...rest } = slide('目录')
  assert.equal(withRecognised({ ...rest, reading: { ...reading, isTitleSure: false } }, junk)?.title, 'Hx')
})

test('wrong letters are known: signs of private use, letters of all the world in one word, beside whatever names there are', () => {
  assert.ok(isGarbled('\uE001\uE002\uE003 \uE005\uE006\uE007'))
  assert.ok(isGarbled(`Nacos Consul Eureka Redis\n${'\u0b0f\u10da\u1226\u0e81 \u0905\u1405\u0e9a '.repeat(2)}`))
  assert.ok(isStrange('67$5 \u0d84\u0d93\u0eb6'))
  // Words of different scripts side by side are names of languages.
  for (const text of [
    '\u10e5\u10d0\u10e0\u10d7\u10e3\u10da\u10d8 \u0939\u093f\u0928\u094d\u0926\u0940 \u05e2\u05d1\u05e8\u05d9\u05ea',
    'DUBBO ROADMAP',
    '',
  ])
    assert.equal(isGarbled(text), false, text)
})
