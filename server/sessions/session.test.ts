import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seededIds } from '../../test/support/ids.ts'
import { rehearsalToken, slugOf } from './session.ts'

test('a slug is the title in ASCII words and a random end', () => {
  assert.match(slugOf('Grid storage in 12 minutes', seededIds()), /^grid-storage-in-12-minutes-[a-z2-7]{6}$/)
  assert.match(slugOf('Über Öl & Käse', seededIds()), /^uber-ol-kase-[a-z2-7]{6}$/)
  assert.match(slugOf('電力網の蓄電', seededIds()), /^talk-[a-z2-7]{6}$/)
})

test('any title gives a slug that needs no escaping and is short', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer(), (title, seed) => {
      const slug = slugOf(title, seededIds(seed))
      assert.match(slug, /^[a-z0-9]+(?:-[a-z0-9]+)*-[a-z2-7]{6}$/)
      assert.ok(slug.length <= 67)
    }),
  )
})

test('a rehearsal token has no hyphen, so that it is never taken for a slug', () => {
  assert.match(rehearsalToken(seededIds(7)), /^[a-z2-7]{26}$/)
})
