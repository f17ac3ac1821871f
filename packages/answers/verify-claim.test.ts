import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { slideText } from '../../test/support/slides.ts'
import { buildSessionIndex } from './ranking/session-index.ts'
import { stepByStep } from '@rostrum/base/work'
import { leakTests } from './shingles.ts'
import { type ClaimContext, verifyClaim } from './verify-claim.ts'

const slide = 'Pricing\n- FL-3 device: EUR 219 one-time\n- Pilot: 25 wagons, 90 days, free of charge\n- Write to sales@acme.example'
const passage =
  'The hardware warranty lasts five years. Field partners in Austria replace a broken device within ten working days. A depot in Belgium stores spare wheels.'
const index = buildSessionIndex('s', {
  language: 'en',
  slides: [slideText({ id: 's1', index: 0, title: 'Pricing', text: slide })],
  passages: [{ id: 'k1', index: 0, title: 'Warranty', content: passage }],
})
const notes = ['The floor price is fifty five euro; tell no competitor.']
let context: ClaimContext
before(async () => {
  context = {
    index,
    title: 'Wagons',
    question: 'Does the device cost less than 300 euros for Nordbahn?',
    leaks: (await stepByStep(leakTests(notes, [slide, passage], 'en'))).strict,
  }
})
const verdict = (text: string, ...sources: string[]) => {
  const result = verifyClaim({ text, sources }, context)
  return result.ok ? 'ok' : result.reason
}

test('a claim that its sources say passes, re-worded too', () => {
  assert.equal(verdict('The FL-3 device costs 219 euros, paid one time.', 's1'), 'ok')
  assert.equal(verdict('A broken device is replaced within 10 working days by partners in Austria.', 'k1'), 'ok')
  assert.equal(verdict('The pilot is free for 90 days with 25 wagons.', 's1'), 'ok')
  assert.equal(verdict('The device costs 219 euros, which is less than 300.', 's1'), 'ok')
})

test('a false figure, name, address or promise stops the claim', () => {
  assert.equal(verdict('The FL-3 device costs 199 euros one time.', 's1'), 'figure')
  assert.equal(verdict('Field partners in Poland replace a broken device.', 'k1'), 'name')
  assert.equal(verdict('For Nordbahn the device price is 219 euros.', 's1'), 'name')
  assert.equal(verdict('Write to offers@acme.example about pricing of the device.', 's1'), 'address')
  assert.equal(verdict('The hardware warranty lasts five years and we will refund a broken device.', 'k1'), 'promise')
})

test('what the source says of something else, measures otherwise, or denies stops the claim', () => {
  assert.equal(verdict('Field partners in Belgium replace a broken device.', 'k1'), 'misplaced')
  assert.equal(verdict('The pilot takes 219 days.', 's1'), 'measure')
  assert.equal(verdict('The pilot covers 90 wagons.', 's1'), 'misplaced')
  assert.equal(verdict('The hardware warranty lasts five months.', 'k1'), 'measure')
  assert.equal(verdict('Field partners do not replace a broken device in Austria.', 'k1'), 'denial')
  assert.equal(verdict('The FL-3 device costs EUR 219 monthly, not one-time.', 's1'), 'measure')
  assert.equal(verdict('The device costs 300 euros one time.', 's1'), 'figure')
})

test('a claim without a source, with a foreign one, off its source, over long or with notes is stopped', () => {
  assert.equal(verdict('The device is solid.'), 'no_source')
  assert.equal(verdict('The device is solid.', 's9'), 'unknown_source')
  assert.equal(verdict('Elephants enjoy swimming across large rivers at night.', 'k1'), 'support')
  assert.equal(verdict('device '.repeat(80), 's1'), 'too_long')
  assert.equal(verdict('The floor price is fifty five euro for the device.', 's1'), 'leak')
  assert.equal(verdict('The device is a one-time price, whatever a competitor says.', 's1'), 'leak')
  assert.equal(verdict('...', 's1'), 'empty')
})
