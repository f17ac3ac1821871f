import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptCodings } from './kept-codings.ts'

function counted(maxBytes?: number) {
  const made: string[] = []
  const encode = keptCodings(async (bytes, coding) => {
    made.push(`${coding} ${Buffer.from(bytes).toString()}`)
    if (bytes.length === 0) throw new Error('empty')
    return new Uint8Array(bytes)
  }, maxBytes)
  return { made, give: (text: string, coding: 'br' | 'gzip' = 'br') => encode(new TextEncoder().encode(text), coding) }
}

test('a document is encoded once for each coding, also when many ask at once', async () => {
  const { made, give } = counted()
  const answers = await Promise.all([give('a'), give('a'), give('a', 'gzip'), give('b')])
  await give('a')
  assert.deepEqual(made, ['br a', 'gzip a', 'br b'])
  assert.deepEqual(
    answers.map((bytes) => Buffer.from(bytes).toString()),
    ['a', 'a', 'a', 'b'],
  )
})

test('the oldest forms go when they are too much together', async () => {
  const { made, give } = counted(10)
  for (const text of ['aaaa', 'bbbb', 'cccc', 'cccc', 'bbbb', 'aaaa']) await give(text)
  assert.deepEqual(made, ['br aaaa', 'br bbbb', 'br cccc', 'br aaaa'])
})

test('a failure is not kept', async () => {
  const { made, give } = counted()
  await assert.rejects(give(''))
  await assert.rejects(give(''))
  assert.equal(made.length, 2)
})
