import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestMetrics } from './observe.ts'

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
