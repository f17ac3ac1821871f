import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { manualClock } from '../../test/support/clock.ts'
import { seededIds } from '../../test/support/ids.ts'
import { spanExporter } from './spans.ts'
import { continueTrace } from './trace.ts'

const bodies: { url: string | undefined; text: string }[] = []
const collector = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk: Buffer) => void (text += chunk.toString()))
  request.on('end', () => {
    bodies.push({ url: request.url, text })
    response.end()
  })
}).listen(0, '127.0.0.1')
await once(collector, 'listening')
after(() => collector.close())
const address = collector.address()
const port = typeof address === 'object' && address !== null ? address.port : 0

const trace = continueTrace('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', seededIds())
assert.ok(trace)
const span = { trace, name: 'GET /x', startMs: 1_000, durationMs: 2.5, status: 503 }
const quiet = { info() {}, warn() {}, error() {}, debug() {} }

test('spans go to the collector together, under the caller’s span', async () => {
  const exporter = spanExporter(`http://127.0.0.1:${port}/`, manualClock(), quiet)
  exporter.add(span)
  exporter.add(span)
  await exporter.flush()
  assert.equal(bodies.length, 1)
  assert.equal(bodies[0]?.url, '/v1/traces')
  assert.match(
    bodies[0]?.text ?? '',
    /"traceId":"0af7651916cd43dd8448eb211c80319c".*"parentSpanId":"b7ad6b7169203331".*"startTimeUnixNano":"1000000000","endTimeUnixNano":"1002500000"/,
  )
  assert.match(bodies[0]?.text ?? '', /"status":\{"code":2\}/)
})

test('a collector that is away costs a line in the log and nothing else', async () => {
  let warned = 0
  const exporter = spanExporter('http://127.0.0.1:1', manualClock(), { ...quiet, warn: () => void warned++ })
  exporter.add(span)
  await exporter.flush()
  assert.equal(warned, 1)
})
