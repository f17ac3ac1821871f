// Requests that never become one: bytes that are no HTTP, a head that is too large or too slow. Node would answer them
// without a body; here they too get a problem document, written straight to the socket.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { problemOf, ServiceError } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'

const words: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB: send less.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive: send it again.',
}

export function answerRawErrors(server: Server, baseUrl: string, ids: Ids): void {
  const documentFor = (detail: string) => {
    const requestId = ids.uuid()
    return { requestId, body: JSON.stringify(problemOf(new ServiceError('invalid_request', detail), { baseUrl, requestId })) }
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const { requestId, body } = documentFor(words[error.code ?? ''] ?? 'The request is not valid HTTP: send an HTTP/1.1 request.')
    const head = [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { requestId, body } = documentFor('The `Expect` header is not supported: leave it out.')
    response.writeHead(400, { 'Content-Type': 'application/problem+json', 'X-Request-Id': requestId, Connection: 'close' })
    response.end(body)
  })
}
