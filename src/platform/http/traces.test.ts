import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededIds } from '../../../test/support/ids.ts'
import { continueTrace, traceparentOf } from './traces.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'

test('a caller’s trace goes on under a span of ours', () => {
  const trace = continueTrace(`00-${traceId}-${parentId}-01`, seededIds())
  assert.ok(trace)
  assert.equal(trace.parentId, parentId)
  assert.match(traceparentOf(trace), new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
  assert.notEqual(trace.spanId, parentId)
})

test('a header that is not valid is ignored', () => {
  const zero = '0'.repeat(16)
  const bad = [
    undefined,
    '',
    'x',
    `ff-${traceId}-${parentId}-01`,
    `00-${zero}${zero}-${parentId}-01`,
    `00-${traceId}-${zero}-01`,
    `00-${traceId}-${parentId}-01-x`,
  ]
  for (const header of bad) assert.equal(continueTrace(header, seededIds()), undefined, String(header))
  assert.ok(continueTrace(`01-${traceId}-${parentId}-00-later`, seededIds()))
})
