// What a background that nobody wrote for the talk (a README, an article) gives to its slides.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { written } from '../../test/support/told.ts'
import { compileScript } from './compile.ts'
import { explanations } from './explain.ts'

const texts = ['Heat pumps', 'Goals\n- Quiet at night', 'P1: Loud fans\n- Check the blades', 'P2: Cold feet\n- Check the valves', 'Thanks']
const slides = texts.map(written)

function explained(content: string, title?: string): string[][] {
  const passages = [{ id: 'k0', index: 0, content, ...(title !== undefined && { title }) }]
  const found = explanations(slides, passages, { title: 'Heat pumps', language: 'en', perSlideMost: 2 })
  return slides.map(({ id }) => (found.get(id) ?? []).map(({ text }) => text))
}

test('items of a list ran together in one sentence: each is read by itself, and those without a verb not at all', () => {
  const list =
    '- Loud fans are mended with a drop of light oil.\n- Loud fans, all of them old and without oil.\n* Loud fans can be\n  replaced within one short hour.'
  assert.deepEqual(explained(list)[2], [
    'Loud fans are mended with a drop of light oil.',
    'Loud fans can be replaced within one short hour.',
  ])
})

test('"It was made in Porto" was said of nothing: what leans on a sentence is told after it or not at all', () => {
  const [, , fans = []] = explained('Loud fans come from a small factory abroad. It was given a new hall in Porto last year.')
  assert.equal(fans.length, 2)
  assert.deepEqual(explained('They have loud fans and are sold in nine countries.').flat(), [])
})

test('what stands below the title of a slide was told of the next one: it is told of that slide alone', () => {
  const rows =
    'Loud fans\n\nHigh\n\nBlades wear down in five years and whistle with every turn.\n\nCold feet\n\nWater stays in the pipe where blades of the pump stand still.'
  const [, , fans = [], feet = []] = explained(rows)
  assert.deepEqual(
    [fans, feet],
    [['Blades wear down in five years and whistle with every turn.'], ['Water stays in the pipe where blades of the pump stand still.']],
  )
})

test('sentences that speak of their page, send their reader elsewhere or hold a table are not told', () => {
  const page =
    'This document is about loud fans and how they are mended. See the guide for loud fans and for other parts.\n| Loud fans | are listed in this row of the table. |'
  assert.deepEqual(explained(page).flat(), [])
})

test('before a talk begins it is said what its subject is, where the background defines it, and nothing else of it', () => {
  const [cover = []] = explained('Heat pumps are machines that carry warmth into a house. Some people buy heat pumps in the summer months.')
  assert.deepEqual(cover, ['Heat pumps are machines that carry warmth into a house.'])
})

test('the first slide was told a lesser thing of its subject: what the background says first of it is told', () => {
  const [cover = []] = explained(
    'Heat pumps are machines that carry warmth into a house. Heat pumps are tested by three offices and heat pumps are quiet.',
  )
  assert.deepEqual(cover, ['Heat pumps are machines that carry warmth into a house.'])
})

test('a slide that the background explains is read less, and no sentence of the background is said twice', () => {
  const lines = Array.from({ length: 8 }, (_, at) => `The blades of fan number ${at} have to be looked at before the summer.`).join(' ')
  const deck = ['Cover', `Loud fans\n${lines}`, 'Loud fans\n- Check the oil', 'Thanks'].map(written)
  const passages = [{ id: 'k0', index: 0, content: 'Loud fans are mended with a drop of light oil. Loud fans can be replaced in an hour.' }]
  const say = (more: object) =>
    compileScript({ title: 'Cover', language: 'en', slides: deck, ...more }).beats.filter(({ slideIndex }) => slideIndex === 1)
  const [plain, told] = [say({}), say({ passages })]
  const cited = told.filter(({ sources }) => sources.some(({ type }) => type === 'knowledge'))
  assert.equal(cited.length, 2)
  assert.ok(told.length - cited.length < plain.length)
  assert.equal(new Set(cited.map(({ text }) => text)).size, 2)
})

test('a page about something near was told of slides that only share a word with it', () => {
  const near =
    'Requirements of old offices are read by nine people in the capital. We are loudly asking for fans of music in nine towns. They will be told.'
  assert.deepEqual(explained(near, 'Offices: cold').flat(), [])
})

test('a point of a list that goes on from the words above it is not told without them', () => {
  assert.deepEqual(explained('Loud fans should not be used:\n- To be of loud fans and of blades what the one answer is.').flat(), [])
})

test('what a slide asks of the subject of the talk is told it, and lines that break in the middle are one sentence', () => {
  const asked = [...texts.slice(0, 1), 'What are heat pumps?\n- Quiet\n- Small', ...texts.slice(2)].map(written)
  const content = 'Heat pumps are old.\n\nHeat pumps carry the warmth of the\nNorth Sea into nine houses.'
  const found = explanations(asked, [{ id: 'k0', index: 0, content }], { title: 'Heat pumps', language: 'en', perSlideMost: 2 })
  assert.deepEqual(
    found.get('s1')?.map(({ text }) => text),
    ['Heat pumps carry the warmth of the North Sea into nine houses.'],
  )
})
