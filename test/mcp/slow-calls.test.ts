// A slow tool over a real connection: its progress is heard while it still runs, in both eras, and a client that goes away ends the
// work. The tool waits for the test; everything around it is the product's.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { type Call, open, operation, reads } from '../../server/platform/operation.ts'
import type { Mounted } from './mounted.ts'
import { mountTools } from './mounted.ts'
import type { Era } from './rpc.ts'
import { envelope, eras, modernHeaders } from './rpc.ts'

const steps = ['One', 'Two', 'Three']

/** The call that runs, and what it waits for. */
interface Running {
  call: Call
  go: (step: number) => void
  finish: (result: { done: true }) => void
}

let started = Promise.withResolvers<Running>()

const slow = operation({
  name: 'slow_tool',
  summary: 'Wait for the test',
  access: open,
  effects: reads,
  limit: 'discovery',
  errors: [],
  input: z.object({}),
  async run(_input, call: Call, _deps: null) {
    const { promise, resolve, reject } = Promise.withResolvers<{ done: true }>()
    call.signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
    started.resolve({ call, go: (step) => call.progress?.(step), finish: resolve })
    return promise
  },
  tool: { title: 'Slow', description: 'Waits.', output: z.looseObject({ done: z.boolean() }), view: (result) => result },
})

let port: number
let mounted: Mounted
before(async () => {
  mounted = await mountTools([slow.bind(null)], steps)
  ;({ port } = mounted)
})
after(async () => {
  await mounted.close()
  assert.deepEqual(mounted.bugs, [])
})

/** Sends the call; the answer can be read while it is still being written, and the connection cut. */
function callSlow(era: Era, token?: string) {
  started = Promise.withResolvers()
  const meta = { ...(era === 'modern' ? envelope : {}), ...(token === undefined ? {} : { progressToken: token }) }
  const params = { name: 'slow_tool', arguments: {}, _meta: meta }
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(era === 'modern' ? modernHeaders('tools/call', params) : {}),
  }
  const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers })
  const answered = new Promise<IncomingMessage>((resolve, reject) => sent.once('response', resolve).once('error', reject))
  answered.catch(() => undefined)
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  return { sent, answered, running: started.promise }
}

/** The messages of a stream, one by one as they come. */
async function* messagesOf(response: IncomingMessage): AsyncGenerator<{ method?: string; params?: object; result?: object }> {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) {
    text += String(chunk)
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: ?(.*)$/m.exec(event)?.[1] ?? ''
      if (data !== '') yield JSON.parse(data) as object
    }
  }
}

const told = (progress: number, message: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 'p', progress, total: 3, message },
})

for (const era of eras) {
  test(`progress is heard while the tool still runs, each step once and rising, ${era}`, async () => {
    const { answered, running } = callSlow(era, 'p')
    const { go, finish } = await running
    const messages = messagesOf(await answered)
    assert.deepEqual((await messages.next()).value, told(1, 'One'))
    go(2)
    assert.deepEqual((await messages.next()).value, told(2, 'Two'))
    go(1)
    go(2)
    go(4)
    go(3)
    assert.deepEqual((await messages.next()).value, told(3, 'Three'))
    finish({ done: true })
    const { value } = await messages.next()
    assert.deepEqual((value.result as { structuredContent: object }).structuredContent, { done: true })
    assert.equal((await messages.next()).done, true)
  })

  test(`steps told in one go come before the result, ${era}`, async () => {
    const { answered, running } = callSlow(era, 'p')
    const { go, finish } = await running
    go(2)
    go(3)
    finish({ done: true })
    const methods = (await Array.fromAsync(messagesOf(await answered))).map(({ method }) => method ?? 'result')
    assert.deepEqual(methods, ['notifications/progress', 'notifications/progress', 'notifications/progress', 'result'])
  })

  test(`without a token the answer is one plain JSON object, ${era}`, async () => {
    const { answered, running } = callSlow(era)
    const { call, finish } = await running
    assert.equal(call.progress, undefined)
    finish({ done: true })
    const response = await answered
    assert.match(response.headers['content-type'] ?? '', /^application\/json/)
    assert.equal((await Array.fromAsync(response.setEncoding('utf8'))).join('').startsWith('{"'), true)
  })

  for (const token of ['p', undefined]) {
    test(`a client that goes away ends the work, ${era}, ${token === undefined ? 'plain' : 'stream'}`, async () => {
      const { sent, answered, running } = callSlow(era, token)
      const { call } = await running
      if (token !== undefined) (await answered).on('error', () => undefined)
      sent.once('error', () => undefined)
      const stopped = new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve(), { once: true }))
      assert.equal(call.signal.aborted, false)
      sent.destroy()
      await stopped
    })
  }
}
