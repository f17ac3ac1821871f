import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { eventually, manualClock } from '../../../test/support/clock.ts'
import { seededIds } from '../../../test/support/ids.ts'
import { spanExporter } from './spans.ts'
import { continueTrace } from './observe.ts'

const bodies: { url: string | undefined; text: string }[] = []
const collector = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk: Buffer) => void (text += chunk.toString()))
  request.on('end', () => {
    bodies.push({ url: request.url, text })
    response.end()
  })
})
let port = 0
before(async () => {
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const address = collector.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
after(() => collector.close())

const trace = continueTrace('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', seededIds())
assert.ok(trace)
const span = { trace, method: 'GET', route: '/x', startMs: 1_000, durationMs: 2.5, status: 503 }
const namesIn = (text: string): string[] => {
  const { resourceSpans } = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: { name: string }[] }[] }[] }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name)))
}
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

test('a full batch goes at once, and a smaller one after five seconds', async () => {
  const [clock, before] = [manualClock(), bodies.length]
  const exporter = spanExporter(`http://127.0.0.1:${port}`, clock, quiet)
  const sentAfter = (count: number) => eventually(() => Promise.resolve(bodies.length === before + count))
  for (let n = 0; n < 1_025; n++) exporter.add({ ...span, route: `/"${n}` })
  await sentAfter(1)
  await clock.advance(5_000)
  await sentAfter(2)
  const names = bodies.slice(before).map(({ text }) => namesIn(text))
  assert.deepEqual(
    names.map(({ length }) => length),
    [1_024, 1],
  )
  assert.deepEqual(
    names.flat(),
    Array.from({ length: 1_025 }, (_, n) => `GET /"${n}`),
  )
  await exporter.flush()
})

test('spans are lost while the collector does not keep up, and none after it does again', async () => {
  const held: ServerResponse[] = []
  let taken = 0
  const slow = createServer((request, response) => {
    request.resume().on('end', () => {
      taken++
      held.push(response)
    })
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const bound = slow.address()
  const exporter = spanExporter(`http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`, manualClock(), quiet)
  for (let n = 0; n < 10 * 1_024; n++) exporter.add(span)
  await eventually(() => Promise.resolve(taken >= 4))
  const letGo = () => held.splice(0).forEach((response) => response.end())
  letGo()
  await eventually(() => Promise.resolve(taken >= 5))
  letGo()
  await exporter.flush()
  assert.equal(taken, 5)
  slow.close()
})

test('a collector that hangs is given up after five seconds of the clock, and waited for as long', async () => {
  const asked = Promise.withResolvers<void>()
  const silent = createServer((request) => void request.resume().on('end', () => asked.resolve())).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const bound = silent.address()
  const clock = manualClock()
  let warned = 0
  const log = { ...quiet, warn: () => void warned++ }
  const exporter = spanExporter(`http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`, clock, log)
  exporter.add(span)
  const flushed = exporter.flush()
  await asked.promise
  await clock.advance(4_999)
  assert.equal(warned, 0)
  await clock.advance(1)
  await flushed
  assert.equal(warned, 1)
  silent.closeAllConnections()
  silent.close()
})

test('a collector that is away costs a line in the log and nothing else', async () => {
  let warned = 0
  const exporter = spanExporter('http://127.0.0.1:1', manualClock(), { ...quiet, warn: () => void warned++ })
  exporter.add(span)
  await exporter.flush()
  assert.equal(warned, 1)
})
