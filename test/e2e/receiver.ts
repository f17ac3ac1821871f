// A server that webhooks are delivered to, on loopback.
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Receiver {
  url: string
  /** The next delivery. */
  received: Promise<{ headers: IncomingHttpHeaders; body: string }>
  close(): void
}

export async function openReceiver(): Promise<Receiver> {
  const { promise: received, resolve } = Promise.withResolvers<{ headers: IncomingHttpHeaders; body: string }>()
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      response.writeHead(204).end()
      resolve({ headers: request.headers, body })
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/hook`, received, close: () => server.close() }
}
