// A fault of ours in a tool (spec 7): the caller learns an id and nothing else, the log learns everything, and the next call works.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { open, operation, reads } from '../../server/platform/operation.ts'
import type { Mounted } from './mounted.ts'
import { mountTools } from './mounted.ts'
import { envelope, eras, modernHeaders } from './rpc.ts'

const common = { access: open, effects: reads, limit: 'discovery', errors: [], input: z.object({}) } as const
const output = z.looseObject({})

const broken = operation({
  ...common,
  name: 'broken_tool',
  summary: 'Fail',
  async run(_input, _call, _deps: null): Promise<object> {
    throw new Error('secret detail of /etc/rostrum')
  },
  tool: { title: 'Broken', description: 'Fails.', output, view: (result) => result },
})

const unshowable = operation({
  ...common,
  name: 'unshowable_tool',
  summary: 'Fail when shown',
  run: async (_input, _call, _deps: null) => ({}),
  tool: {
    title: 'Unshowable',
    description: 'Fails when it is shown.',
    output,
    view() {
      throw new Error('secret detail')
    },
  },
})

let mounted: Mounted
before(async () => {
  mounted = await mountTools([broken.bind(null), unshowable.bind(null)], [])
})
after(() => mounted.close())

for (const era of eras) {
  for (const name of ['broken_tool', 'unshowable_tool']) {
    test(`${name} answers -32603 with the id of the request alone, ${era}`, async () => {
      const params = { name, arguments: {}, ...(era === 'modern' ? { _meta: envelope } : {}) }
      const response = await fetch(`http://localhost:${mounted.port}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(era === 'modern' ? modernHeaders('tools/call', params) : {}),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      const requestId = response.headers.get('x-request-id')
      const text = await response.text()
      assert.equal(response.status, 200)
      assert.deepEqual(JSON.parse(text).error, { code: -32_603, message: 'Internal error', data: { requestId } })
      assert.doesNotMatch(text, /secret/)
      const logged = mounted.bugs.findLast((bug) => bug.requestId === requestId)
      assert.match(String(logged?.error), /secret detail/)
    })
  }
}
