// A language model for tests: a real HTTP server on loopback that speaks the streaming protocols of the providers (OpenAI chat and
// responses, Anthropic messages, Google generateContent) and writes what a script says, well or badly. It keeps every request.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ModelAct {
  /** Sent one after the other, each as one piece of the stream. */
  pieces: readonly string[]
  /** `stall`: the stream stays open and silent after the pieces. `cut`: the connection breaks. `refuse`: HTTP 500. `silent`: never a byte. */
  ends?: 'well' | 'stall' | 'cut' | 'refuse' | 'silent' | 'garbage'
  /** Before the first piece, and between pieces. */
  delayMs?: number
  paceMs?: number
}

export interface ModelRequest {
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface ModelServer {
  /** Without a path, for Anthropic and Google; OpenAI's is under `/v1`. */
  origin: string
  requests: ModelRequest[]
  /** What the next calls get. */
  act: (request: ModelRequest) => ModelAct
  /** Calls whose connection the caller closed. */
  aborted: number
  close(): Promise<void>
}

type Write = (event: string | null, data: object | string) => void

interface Protocol {
  open(write: Write): void
  piece(write: Write, text: string): void
  close(write: Write, text: string): void
}

const tokens = { input: 1_200, cached: 1_000, output: 60 }

const chat: Protocol = {
  open: (write) => write(null, chatChunk({ role: 'assistant', content: '' }, null)),
  piece: (write, content) => write(null, chatChunk({ content }, null)),
  close(write) {
    write(null, chatChunk({}, 'stop'))
    const usage = { prompt_tokens: tokens.input, completion_tokens: tokens.output, total_tokens: 1_260 }
    write(null, { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'stub', choices: [], usage })
    write(null, '[DONE]')
  },
}

function chatChunk(delta: object, finish_reason: string | null): object {
  return { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'stub', choices: [{ index: 0, delta, finish_reason }] }
}

const responses: Protocol = {
  open(write) {
    write('response.created', { type: 'response.created', response: { id: 'r1', created_at: 1, model: 'stub' } })
    write('response.output_item.added', { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm1' } })
  },
  piece: (write, delta) => write('response.output_text.delta', { type: 'response.output_text.delta', item_id: 'm1', delta }),
  close(write) {
    write('response.output_item.done', { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'm1' } })
    const usage = { input_tokens: tokens.input, input_tokens_details: { cached_tokens: tokens.cached }, output_tokens: tokens.output }
    write('response.completed', { type: 'response.completed', response: { usage } })
  },
}

const messages: Protocol = {
  open(write) {
    const usage = { input_tokens: tokens.input - tokens.cached, cache_read_input_tokens: tokens.cached, output_tokens: 0 }
    const message = { id: 'm1', type: 'message', role: 'assistant', model: 'stub', content: [], usage }
    write('message_start', { type: 'message_start', message })
    write('content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  },
  piece: (write, text) => write('content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  close(write) {
    write('content_block_stop', { type: 'content_block_stop', index: 0 })
    write('message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: tokens.output } })
    write('message_stop', { type: 'message_stop' })
  },
}

const generate: Protocol = {
  open: () => undefined,
  piece: (write, text) => write(null, { candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }),
  close(write) {
    const usageMetadata = {
      promptTokenCount: tokens.input,
      cachedContentTokenCount: tokens.cached,
      candidatesTokenCount: tokens.output,
      totalTokenCount: 1_260,
    }
    write(null, { candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: '' }] } }], usageMetadata })
  },
}

function protocolOf(path: string): Protocol | undefined {
  if (path.endsWith('/chat/completions')) return chat
  if (path.endsWith('/responses')) return responses
  if (path.endsWith('/messages')) return messages
  return path.includes(':streamGenerateContent') ? generate : undefined
}

const wait = (ms: number) => (ms === 0 ? Promise.resolve() : new Promise<void>((resolve) => setTimeout(resolve, ms).unref()))

async function play(act: ModelAct, protocol: Protocol, response: ServerResponse): Promise<void> {
  const { pieces, ends = 'well', delayMs = 0, paceMs = 0 } = act
  if (ends === 'silent') return
  if (ends === 'refuse') {
    response.writeHead(500, { 'Content-Type': 'application/json' }).end('{"error":{"message":"overloaded","type":"server_error"}}')
    return
  }
  const write: Write = (event, data) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    response.write(`${event === null ? '' : `event: ${event}\n`}data: ${text}\n\n`)
  }
  await wait(delayMs)
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  protocol.open(write)
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) await wait(paceMs)
    if (response.destroyed) return
    protocol.piece(write, piece)
  }
  if (ends === 'garbage') response.end('data: {"choices": [ no json\n\n')
  else if (ends === 'cut') response.destroy()
  else if (ends === 'well') {
    protocol.close(write, pieces.join(''))
    response.end()
  }
}

export async function startModelServer(act: ModelServer['act']): Promise<ModelServer> {
  const http = createServer((request, response) => void serve(request, response))
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const path = request.url ?? ''
    const asked = { path, headers: request.headers, body }
    if (request.method === 'GET') {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"object":"list","data":[{"id":"stub","object":"model"}]}')
      return
    }
    server.requests.push(asked)
    response.on('close', () => {
      if (!response.writableFinished) server.aborted++
    })
    const protocol = protocolOf(path)
    if (protocol === undefined) response.writeHead(404).end()
    else await play(server.act(asked), protocol, response)
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const server: ModelServer = {
    origin: `http://127.0.0.1:${port}`,
    requests: [],
    act,
    aborted: 0,
    async close() {
      http.closeAllConnections()
      await new Promise<void>((resolve) => http.close(() => resolve()))
    },
  }
  return server
}

/** One line of the answer protocol. */
export const line = (text: string, ...sources: string[]): string => `${JSON.stringify({ text, sources })}\n`
