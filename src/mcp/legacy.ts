// Requests of the 2025 era and older. The library's own handler for them always frames a stream and refuses clients that ask
// for plain JSON, and some clients break on either; so each gets the shape it asks for.
import type { McpServer } from '@modelcontextprotocol/server'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

/** Answers with JSON, or with a stream where the request wants progress and accepts one. */
export async function answerLegacy(request: Request, parsed: unknown, build: () => McpServer): Promise<Response> {
  const wantsStream = hasProgressToken(parsed) && (request.headers.get('accept') ?? '').includes('text/event-stream')
  const server = build()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !wantsStream })
  await server.connect(transport)
  const close = () => void server.close().catch(() => undefined)
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  headers.delete('mcp-session-id')
  const response = await transport.handleRequest(new Request(request.url, { method: 'POST', headers, signal: request.signal }), {
    parsedBody: parsed,
  })
  if (!wantsStream || response.body === null) {
    // As text, because a stream of one chunk costs the server more than the whole call.
    const text = response.body === null ? null : await response.text()
    queueMicrotask(close)
    return new Response(text, { status: response.status, headers: response.headers })
  }
  request.signal.addEventListener('abort', close, { once: true })
  // Closing any earlier cuts the result off the stream.
  const body = response.body.pipeThrough(new TransformStream({ flush: close }))
  return new Response(body, response)
}

function hasProgressToken(parsed: unknown): boolean {
  if (typeof parsed !== 'object' || parsed === null || !('params' in parsed)) return false
  const { params } = parsed
  if (typeof params !== 'object' || params === null || !('_meta' in params)) return false
  const { _meta: meta } = params
  return typeof meta === 'object' && meta !== null && 'progressToken' in meta
}
