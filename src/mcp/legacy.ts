// Requests of the 2025 era and older. The library's own handler for them always frames a stream and refuses clients that ask
// for plain JSON, and some clients break on either; so each gets the shape it asks for.
import type { McpServer, Server } from '@modelcontextprotocol/server'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { takesStream } from './exchange.ts'

/** Any: the library reads the headers of the request and not its address. */
const address = 'http://localhost/mcp'

/** Answers with JSON, or with a stream where the request wants progress, or its tool speaks, and the client accepts one. */
export async function answerLegacy(
  request: Request,
  parsed: unknown,
  isSpeaking: boolean,
  build: () => McpServer | Server,
): Promise<Response> {
  const wantsStream = (isSpeaking || hasProgressToken(parsed)) && takesStream(request)
  const server = build()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !wantsStream })
  await server.connect(transport)
  const close = () => void server.close().catch(() => undefined)
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  headers.delete('mcp-session-id')
  const { signal } = request
  const response = await transport.handleRequest(new Request(address, { method: 'POST', headers, signal }), { parsedBody: parsed })
  if (!wantsStream || response.body === null) {
    const text = await response.text()
    queueMicrotask(close)
    // The library answers a batch that has one request as if it were none.
    const isBare = Array.isArray(parsed) && text.startsWith('{') && response.ok
    return new Response(text === '' ? null : isBare ? `[${text}]` : text, response)
  }
  signal.addEventListener('abort', close, { once: true })
  // Closing any earlier cuts the result off the stream.
  const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: close }))
  return new Response(body, response)
}

function hasProgressToken(parsed: unknown): boolean {
  if (typeof parsed !== 'object' || parsed === null || !('params' in parsed)) return false
  const { params } = parsed
  if (typeof params !== 'object' || params === null || !('_meta' in params)) return false
  const { _meta: meta } = params
  return typeof meta === 'object' && meta !== null && 'progressToken' in meta
}
