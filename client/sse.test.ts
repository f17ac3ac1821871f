import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type SseMessage, sseParser } from './sse.ts'

function parse(pieces: readonly string[]) {
  const messages: SseMessage[] = []
  const retries: number[] = []
  const feed = sseParser({ message: (message) => messages.push(message), retry: (ms) => retries.push(ms) })
  for (const piece of pieces) feed(piece)
  return { messages, retries }
}

const line = fc.stringMatching(/^[^\r\n\0]{0,20}$/)
const message = fc.record({
  event: fc.constantFrom('beat', 'state', 'snapshot'),
  data: fc.array(line, { minLength: 1, maxLength: 3 }),
  id: fc.option(fc.stringMatching(/^\d-\d{1,3}$/), { nil: undefined }),
})

test('messages come out the same however the bytes are cut and whatever the line ends', () => {
  fc.assert(
    fc.property(fc.array(message), fc.constantFrom('\n', '\r\n', '\r'), fc.array(fc.nat({ max: 30 })), (messages, end, cuts) => {
      const text = messages
        .map(
          (each) =>
            `: beat${end}${each.id === undefined ? '' : `id: ${each.id}${end}`}event: ${each.event}${end}${each.data.map((part) => `data: ${part}${end}`).join('')}${end}`,
        )
        .join('')
      const pieces: string[] = []
      let at = 0
      for (const cut of cuts) {
        pieces.push(text.slice(at, at + cut))
        at += cut
      }
      pieces.push(text.slice(at), end === '\r' ? '\n' : '')
      assert.deepEqual(
        parse(pieces).messages,
        messages.map((each) => ({ event: each.event, data: each.data.join('\n'), id: each.id })),
      )
    }),
  )
})

test('comments and empty messages are passed over, retry is read', () => {
  const { messages, retries } = parse([': hello\n\n', 'retry: 250\n\nevent: x\n\ndata\n\ndata:y\n\n'])
  assert.deepEqual(retries, [250])
  assert.deepEqual(messages, [
    { event: 'message', data: '', id: undefined },
    { event: 'message', data: 'y', id: undefined },
  ])
})
