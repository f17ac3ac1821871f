import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leakTest } from './shingles.ts'
import { verifyClaim, type ClaimContext } from './verify-claim.ts'

const context: ClaimContext = {
  sources: new Map([
    ['s1', 'Pricing\n- FL-3 device: EUR 219 one-time\n- Pilot: 25 wagons, 90 days, free of charge\n- Write to sales@acme.example'],
    ['k1', 'The hardware warranty lasts five years. Field partners in Austria replace a broken device within ten working days.'],
  ]),
  question: 'What does the device cost for Nordbahn?',
  language: 'en',
  leaks: leakTest(['the floor price is fifty five euro'], [], 'en'),
}
const verdict = (text: string, ...sources: string[]) => {
  const result = verifyClaim({ text, sources }, context)
  return result.ok ? 'ok' : result.reason
}

test('a claim that its sources say passes, re-worded too', () => {
  assert.equal(verdict('The FL-3 device costs 219 euros, paid one time.', 's1'), 'ok')
  assert.equal(verdict('A broken device is replaced within 10 working days by partners in Austria.', 'k1'), 'ok')
  assert.equal(verdict('The pilot is free for 90 days with 25 wagons.', 's1'), 'ok')
  assert.equal(verdict('For Nordbahn the device price is 219 euros.', 's1'), 'ok')
})

test('a false figure, name, address or promise stops the claim', () => {
  assert.equal(verdict('The FL-3 device costs 199 euros one time.', 's1'), 'figure')
  assert.equal(verdict('Field partners in Belgium replace a broken device.', 'k1'), 'name')
  assert.equal(verdict('Write to offers@acme.example about pricing of the device.', 's1'), 'address')
  assert.equal(verdict('The hardware warranty lasts five years and we will refund a broken device.', 'k1'), 'promise')
})

test('a claim without a source, with a foreign one, off its source, over long or with notes is stopped', () => {
  assert.equal(verdict('The device is solid.'), 'no_source')
  assert.equal(verdict('The device is solid.', 's9'), 'unknown_source')
  assert.equal(verdict('Elephants enjoy swimming across large rivers at night.', 'k1'), 'support')
  assert.equal(verdict('device '.repeat(80), 's1'), 'too_long')
  assert.equal(verdict('The floor price is fifty five euro for the device.', 's1'), 'leak')
  assert.equal(verdict('...', 's1'), 'empty')
})
