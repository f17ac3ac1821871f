// A bag holds what was put in and not taken out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Place } from './bag.ts'
import { Bag } from './bag.ts'

test('a bag holds what was put in and not taken out, whatever the order; nothing comes out twice', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant('add' as const), fc.nat(40)), { maxLength: 200 }), (steps) => {
      const bag = new Bag<number>()
      const places: Place<number>[] = []
      const model = new Set<number>()
      for (const step of steps) {
        if (step === 'add') {
          model.add(places.length)
          places.push(bag.add(places.length))
        } else {
          const place = places[step]
          if (place !== undefined) assert.equal(bag.remove(place), model.delete(step))
        }
        assert.equal(bag.size, model.size)
      }
      const values = bag.places().map(({ value }) => value)
      assert.deepEqual(
        values.toSorted((a, b) => a - b),
        [...model],
      )
    }),
  )
})
