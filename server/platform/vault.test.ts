// Secrets at rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededIds } from '../../test/support/ids.ts'
import { createVault } from './vault.ts'

const plain = Buffer.from('a signing secret of thirty-two b')

test('a sealed secret opens for its row alone', () => {
  const vault = createVault(['one'], seededIds())
  const sealed = vault.seal(plain, 'wh_a')
  assert.ok(!Buffer.from(sealed).includes(plain.subarray(0, 8)))
  assert.deepEqual(vault.open(sealed, 'wh_a'), plain)
  assert.equal(vault.open(sealed, 'wh_b'), undefined)
  for (let at = 0; at < sealed.length; at++) {
    const altered = Uint8Array.from(sealed)
    altered[at] = (altered[at] ?? 0) ^ 1
    assert.equal(vault.open(altered, 'wh_a'), undefined, `byte ${at}`)
  }
  assert.equal(vault.open(sealed.subarray(0, 20), 'wh_a'), undefined)
})

test('after a change of ROSTRUM_SECRET the old one still opens, and a stranger does not', () => {
  const sealed = createVault(['old'], seededIds()).seal(plain, 'wh_a')
  assert.deepEqual(createVault(['new', 'old'], seededIds()).open(sealed, 'wh_a'), plain)
  assert.equal(createVault(['new'], seededIds()).open(sealed, 'wh_a'), undefined)
})

test('the same secret never looks the same twice', () => {
  const vault = createVault(['one'], seededIds())
  assert.notDeepEqual(vault.seal(plain, 'wh_a'), vault.seal(plain, 'wh_a'))
})
