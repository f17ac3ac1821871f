import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionFor } from './keys.ts'

const press = (key: string, more = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  inField: false,
  onControl: false,
  ...more,
})
const context = { isolated: true, singleKeys: true, rtl: false }

test('single keys act on the page and never inside a field or with a modifier', () => {
  assert.equal(actionFor(press('q'), context), 'ask')
  assert.equal(actionFor(press('q', { inField: true }), context), null)
  assert.equal(actionFor(press('q', { ctrlKey: true }), context), null)
  assert.equal(actionFor(press(' '), context), 'pause')
  assert.equal(actionFor(press(' ', { onControl: true }), context), null)
  assert.equal(actionFor(press(' '), { ...context, isolated: false }), null)
})

test('one switch turns single keys off; arrows and Escape stay', () => {
  const off = { ...context, singleKeys: false }
  assert.equal(actionFor(press('q'), off), null)
  assert.equal(actionFor(press('ArrowRight'), off), 'review_next')
  assert.equal(actionFor(press('Escape'), off), 'live')
})

test('arrows follow the direction of reading', () => {
  assert.equal(actionFor(press('ArrowRight'), { ...context, rtl: true }), 'review_previous')
})
