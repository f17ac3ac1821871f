// The words of a refused input: which member, and what to send instead.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { isServiceError } from '@rostrum/base/errors'
import { parseInput, parseJson } from './parse.ts'
import fc from 'fast-check'

const schema = z.object({
  title: z.string().min(1).max(2_000).optional(),
  mode: z.enum(['isolated', 'broadcast']).default('isolated'),
  vote: z.literal([0, 1]).optional(),
  consent: z.literal(true).optional(),
  tags: z.array(z.string()).min(1).max(2).optional(),
  list: z.array(z.string()).min(3).max(1_200).optional(),
  kind: z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]).optional(),
})

function detailOf(raw: unknown): string {
  try {
    parseInput(schema, raw)
  } catch (error) {
    if (isServiceError(error)) return error.message
  }
  return assert.fail('nothing was refused')
}

for (const [raw, words] of [
  [{ title: 5 }, '`title`: send a string.'],
  [{ title: '' }, '`title`: must not be empty.'],
  [{ title: 'a'.repeat(2_001) }, '`title`: send at most 2,000 characters.'],
  [{ mode: 'other' }, '`mode`: send one of "isolated", "broadcast".'],
  [{ vote: 2 }, '`vote`: send one of 0, 1.'],
  [{ consent: false }, '`consent`: send true.'],
  [{ tags: [] }, '`tags`: send at least 1 element.'],
  [{ tags: ['a', 'b', 'c'] }, '`tags`: send at most 2 elements.'],
  [{ list: ['a'] }, '`list`: send at least 3 elements.'],
  [{ tags: ['a', 1] }, '`tags/1`: send a string.'],
  [{ kind: {} }, '`kind/type`: is required: send one of "a", "b".'],
  [{ kind: { type: 'c' } }, '`kind/type`: send one of "a", "b".'],
  ['text', 'The body: send an object.'],
  [null, 'The body: must not be null: send an object.'],
] as const) {
  test(`${JSON.stringify(raw).slice(0, 40)} is refused with ${words}`, () => assert.equal(detailOf(raw), words))
}

test('null for an optional member is a member left out, in a list too; for one that is needed it is missing', () => {
  const wide = z.object({
    title: z.string(),
    mode: z.string().default('a'),
    cleared: z.string().nullish(),
    list: z.array(z.object({ at: z.int().optional() })).optional(),
  })
  const sent = { title: 'a', mode: null, cleared: null, list: [{ at: null }, { at: 1 }] }
  assert.deepEqual(parseInput(wide, sent), { title: 'a', mode: 'a', cleared: null, list: [{}, { at: 1 }] })
  assert.deepEqual(sent.list, [{ at: null }, { at: 1 }])
  assert.throws(() => parseInput(wide, { title: null }), /`title`: is required: send a string\./)
  assert.throws(() => parseInput(wide, { title: 'a', list: [null] }), /`list\/0`: must not be null: send an object\./)
})

const bytes = (text: string) => new TextEncoder().encode(text)

function refused(body: Uint8Array, words: RegExp): void {
  assert.throws(
    () => parseJson(body),
    (error) => isServiceError(error) && error.code === 'invalid_request' && words.test(error.message),
  )
}

test('every JSON value is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const text = JSON.stringify(value)
      assert.deepEqual(parseJson(bytes(text)), JSON.parse(text))
    }),
  )
})

test('a member sent twice is refused at any depth and in any spelling', () => {
  refused(bytes('{"a":1,"a":1}'), /twice/)
  refused(bytes('{"x":[{"b":{"a":1,"\\u0061":2}}]}'), /twice/)
  refused(bytes('{"a\\"":1,"a\\"":2}'), /twice/)
  assert.deepEqual(parseJson(bytes('{"a":{"a":1},"b":[{"a":1},{"a":2}]}')), { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }] })
  assert.deepEqual(parseJson(bytes('{"a":"b","b":"a,","c":["b","b"]}')), { a: 'b', b: 'a,', c: ['b', 'b'] })
})

test('members are refused exactly where two have one name, whatever names and values hold', () => {
  const word = fc.string({ unit: fc.constantFrom(...'ab":\\{,'.split('')), maxLength: 3 })
  const value = fc.oneof(word, fc.dictionary(word, word), fc.array(word))
  fc.assert(
    fc.property(fc.array(fc.tuple(word, value)), (members) => {
      const text = `{${members.map(([name, held]) => `${JSON.stringify(name)} : ${JSON.stringify(held)}`).join(' , ')}}`
      if (new Set(members.map(([name]) => name)).size < members.length) refused(bytes(text), /twice/)
      else assert.deepEqual(parseJson(bytes(text)), JSON.parse(text))
    }),
  )
})

test('sixty-four levels pass and sixty-five do not', () => {
  const nested = (levels: number) => bytes('['.repeat(levels) + ']'.repeat(levels))
  assert.ok(parseJson(nested(64)))
  refused(nested(65), /64 levels/)
  refused(nested(100_000), /64 levels|not valid JSON/)
})

test('twenty thousand values pass, and more are refused before they are read', () => {
  const list = (count: number) => bytes(`[${Array.from({ length: count }, () => '0').join()}]`)
  assert.ok(parseJson(list(20_001)))
  refused(list(20_002), /too many values/)
  refused(bytes(`{${'"a":0,'.repeat(20_000)}`), /too many values/)
  assert.equal(parseJson(bytes(JSON.stringify(',:[{"'.repeat(10_000)))), ',:[{"'.repeat(10_000))
})

test('bytes that are not UTF-8 are refused', () => {
  refused(Uint8Array.of(0x22, 0xff, 0x22), /UTF-8/)
  refused(Buffer.from('{"a":1}', 'utf16le'), /not valid JSON/)
})

test('__proto__ is plain data', () => {
  const value = parseJson(bytes('{"__proto__":{"admin":true}}'))
  assert.ok(typeof value === 'object' && value !== null)
  assert.ok(Object.hasOwn(value, '__proto__'))
  assert.equal(Reflect.get({}, 'admin'), undefined)
})

test('nothing but a parsed value or an invalid_request ever comes out', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0123 true'.split('')) }).map(bytes)), (body) => {
      try {
        parseJson(body)
      } catch (error) {
        assert.ok(isServiceError(error) && error.code === 'invalid_request')
      }
    }),
  )
})
