import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededIds } from '../../../test/support/ids.ts'
import { requestMetrics, continueTrace, traceparentOf } from './observe.ts'

test('a histogram counts every request once and its buckets add up', () => {
  const metrics = requestMetrics()
  for (const ms of [0.5, 4, 4, 700, 60_000]) metrics.observe('GET', '/x', 200, ms)
  metrics.observe('GET', '/x', 404, 1)
  const text = metrics.text(() => ({ rostrum_streams_open: { help: 'Open.', value: 3 } }))
  const line = (rest: string) => assert.ok(text.includes(`rostrum_http_request_duration_seconds_${rest}\n`), rest)
  line('bucket{method="GET",route="/x",status="2xx",le="0.001"} 1')
  line('bucket{method="GET",route="/x",status="2xx",le="0.005"} 3')
  line('bucket{method="GET",route="/x",status="2xx",le="10"} 4')
  line('bucket{method="GET",route="/x",status="2xx",le="+Inf"} 5')
  line('count{method="GET",route="/x",status="2xx"} 5')
  line('count{method="GET",route="/x",status="4xx"} 1')
  assert.match(text, /# TYPE rostrum_streams_open gauge\nrostrum_streams_open 3\n$/)
})

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
