import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { claimReader } from './claim-lines.ts'

function read(...pieces: string[]) {
  const reader = claimReader()
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

test('a claim is handed on with its last brace, not before', () => {
  const reader = claimReader()
  assert.deepEqual(reader.push('{"text":"The pump weighs {1.4} \\"kg\\".","sources":["s3"]'), [])
  assert.deepEqual(reader.push('}'), [{ type: 'claim', text: 'The pump weighs {1.4} "kg".', sources: ['s3'] }])
})

test('fences, commas, arrays and talk around the objects are passed over; flags may stand alone or with a claim', () => {
  const lines = read('Sure!\n```json\n[{"text":"A.","sources":["s1"],"suggest_cta":true},\n{"handoff":true}]\n```')
  assert.deepEqual(lines, [{ type: 'claim', text: 'A.', sources: ['s1'] }, { type: 'suggest_cta' }, { type: 'handoff' }])
})

test('what is cut, no JSON, no claim or endless is malformed, and what follows is still read', () => {
  assert.deepEqual(read('{"text":"half'), [{ type: 'malformed' }])
  const good = { type: 'claim', text: 'B.', sources: [] }
  assert.deepEqual(read('{oops}{"colour":1}\n{"text":"B."}'), [{ type: 'malformed' }, { type: 'malformed' }, good])
  assert.deepEqual(read(`{"text":"${'x'.repeat(5_000)}"}\n{"text":"B."}`), [{ type: 'malformed' }, good])
})

test('control and bidi characters of a model become spaces', () => {
  assert.deepEqual(read(JSON.stringify({ text: 'a\u202Eb\u0007 c\n d', sources: [1, 's1'] })), [
    { type: 'claim', text: 'a b c d', sources: ['s1'] },
  ])
})

test('however a text is cut into pieces, the same lines come out', () => {
  const object = fc.record({ text: fc.string(), sources: fc.array(fc.string(), { maxLength: 3 }) }).map((value) => JSON.stringify(value))
  const text = fc
    .array(fc.oneof(object, fc.string(), fc.constantFrom('{', '}', '"', '\\', '\n')), { maxLength: 12 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (whole, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length]
      const pieces = places.slice(1).map((end, at) => whole.slice(places[at], end))
      assert.deepEqual(read(...pieces), read(whole))
    }),
  )
})
