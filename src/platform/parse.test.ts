// The words of a refused input: which member, and what to send instead.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { isServiceError } from './errors.ts'
import { parseInput } from './parse.ts'

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
  [{ title: null }, '`title`: must not be null: send a string.'],
  [{ title: '' }, '`title`: must not be empty.'],
  [{ title: 'a'.repeat(2_001) }, '`title`: send at most 2,000 characters.'],
  [{ mode: 'other' }, '`mode`: send one of "isolated", "broadcast".'],
  [{ mode: null }, '`mode`: must not be null: send one of "isolated", "broadcast".'],
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
