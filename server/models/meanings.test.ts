// A loopback server with OpenAI's embedding protocol, which knows three words of the same meaning.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { manualClock } from '../../test/support/clock.ts'
import { slideText } from '../../test/support/slides.ts'
import { quotedAnswer } from '@rostrum/answers/answer'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import { createMeanings, openEmbedder } from './meanings.ts'

const senses = [/price|cost|fee/iu, /rust|decay|crumble/iu, /winter|snow/iu, /team|people/iu]
/** Noise of a word's own, so that places differ. */
const embeddingOf = (text: string) => [...senses.map((sense) => (sense.test(text) ? 3 : 0)), 1, (text.length % 7) / 7]

interface Server {
  baseUrl: string
  requests: { key: string | undefined; input: string[] }[]
  answer: (input: readonly string[]) => { status: number; body: unknown }
  close(): void
}

const well = (input: readonly string[]) => ({
  status: 200,
  // Not in their order: the index says which is which.
  body: { data: input.map((text, index) => ({ index, embedding: embeddingOf(text) })).toReversed() },
})

async function startServer(): Promise<Server> {
  const requests: Server['requests'] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] }
      requests.push({ key: request.headers.authorization, input })
      const { status, body } = started.answer(input)
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const started: Server = { baseUrl: `http://127.0.0.1:${port}/v1`, requests, answer: well, close: () => void server.close() }
  return started
}

const slides = [
  'Bridges\nAda Brown',
  'Steel\n- Steel corrodes and may decay.',
  'Winter\n- Snow closes the road.',
  ...Array.from({ length: 14 }, (_, at) => `Detail ${at}\n- The span number ${at} is painted.\n- A lamp hangs there.`),
].map((text, index) => slideText({ id: `s${index}`, index, text }))
const content = { title: 'Bridges', language: 'en', slides, passages: [] }
const index = buildSessionIndex('t', content)
const session = { sessionId: 't', title: 'Bridges', content, index }
const question = 'Does it crumble?'

async function withServer(use: (server: Server, tools: ReturnType<typeof toolsFor>) => Promise<void>): Promise<void> {
  const server = await startServer()
  try {
    await use(server, toolsFor(server))
  } finally {
    server.close()
  }
}

function toolsFor({ baseUrl }: Server) {
  const clock = manualClock()
  const warnings: string[] = []
  const embedder = openEmbedder({ provider: 'compatible', model: 'stub', baseUrl, apiKey: 'key-1' }, clock)
  return { clock, warnings, meanings: createMeanings({ embedder, clock, warn: (words) => void warnings.push(words) }) }
}

test('a question in other words than the talk was refused: the place that means the same is told, as uncertain and cited', () =>
  withServer(async (server, { meanings }) => {
    assert.equal(quotedAnswer(question, { session }).end.outcome, 'unknown')
    const meant = await meanings.nearest(index, question)
    assert.ok(meant)
    const { end } = quotedAnswer(question, { session, meant })
    assert.deepEqual([end.outcome, end.text], ['near', 'I am not certain this answers you. Steel corrodes and may decay.'])
    assert.equal(end.citations[0]?.quote, 'Steel corrodes and may decay.')
    assert.equal(server.requests[0]?.key, 'Bearer key-1')
  }))

test('what the words find is not changed by what is meant', () =>
  withServer(async (_server, { meanings }) => {
    const meant = await meanings.nearest(index, question)
    assert.ok(meant)
    const asked = 'What closes the road in winter?'
    assert.deepEqual(quotedAnswer(asked, { session, meant }), quotedAnswer(asked, { session }))
  }))

test('where no place stands out nothing is told, and a talk is measured once', () =>
  withServer(async (server, { meanings }) => {
    assert.equal(await meanings.nearest(index, 'Who is the king of France?'), undefined)
    const measured = server.requests.length
    assert.equal(await meanings.nearest(index, 'How do I cook rice?'), undefined)
    assert.equal(server.requests.length, measured + 1)
  }))

for (const [name, answer] of [
  ['fails', () => ({ status: 500, body: {} })],
  ['answers with fewer embeddings than texts', () => ({ status: 200, body: { data: [] } })],
  ['answers with words', () => ({ status: 200, body: { data: [{ index: 0, embedding: 'no' }] } })],
] as const)
  test(`a server that ${name} leaves the answer to the words, is named once and left alone for a minute`, () =>
    withServer(async (server, { meanings, warnings, clock }) => {
      server.answer = answer
      assert.equal(await meanings.nearest(index, question), undefined)
      const calls = server.requests.length
      server.answer = well
      assert.equal(await meanings.nearest(index, question), undefined)
      assert.equal(server.requests.length, calls)
      assert.match(warnings.join('\n'), /^compatible:stub could not measure/)
      await clock.advance(60_000)
      assert.ok(await meanings.nearest(index, question))
      assert.equal(warnings.length, 1)
    }))
