// A receiver of webhooks on the loopback address: remembers what came, answers as the test says.
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import { startReceiver } from '../support/outbound.ts'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
  path: string
  /** Of the manual clock. */
  at: number
}

export interface Sink {
  url: string
  received: Received[]
  /** How the next and all later requests are answered; by path where given. */
  answer(how: (response: ServerResponse, request: Received) => void): void
  /** Resolves when `count` requests in all have come. */
  until(count: number): Promise<void>
  close(): Promise<void>
}

export const status =
  (code: number, body = '') =>
  (response: ServerResponse): void => {
    response.writeHead(code)
    response.end(body)
  }

export async function startSink(clock: { now(): number }): Promise<Sink> {
  const received: Received[] = []
  let how: (response: ServerResponse, request: Received) => void = status(204)
  let waiting: { count: number; resolve: () => void }[] = []
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString(), path: request.url ?? '', at: clock.now() }
      received.push(one)
      how(response, one)
      for (const { count, resolve } of waiting) if (received.length >= count) resolve()
      waiting = waiting.filter(({ count }) => received.length < count)
    })
  }
  const server = await startReceiver(listener)
  return {
    url: server.url,
    received,
    answer: (next) => void (how = next),
    async until(count) {
      if (received.length < count) await new Promise<void>((resolve) => void waiting.push({ count, resolve }))
    },
    close: server.close,
  }
}
