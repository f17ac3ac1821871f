// Puts a finished answer on the wire, or into the web-standard form that callers in the same process get.
import type { Clock } from '../kernel/clock.ts'
import type { Wire } from './exchange.ts'
import type { Begun, Finished } from './operation-route.ts'

/** How long the rest of a body that nobody wants may still come, so that its sender reads the answer instead of a broken line. */
const restMs = 2_000

/** Writes head and body in one piece. An answer that ends the connection while its sender still sends is ended by `cutUnread`. */
export function deliver({ incoming, outgoing }: Wire, { status, headers, body }: Finished): void {
  if (body === null) {
    if (status !== 204 && status !== 304 && outgoing.req.method !== 'HEAD') headers['Content-Length'] = '0'
    outgoing.writeHead(status, headers).end()
    return
  }
  const length = Buffer.byteLength(body)
  headers['Content-Length'] = String(length)
  outgoing.writeHead(status, headers)
  if (headers['Connection'] === 'close' && !incoming.complete) {
    outgoing.write(body)
    return
  }
  // Text of one byte per character needs no second encoding.
  if (typeof body === 'string' && length === body.length) outgoing.end(body, 'latin1')
  else outgoing.end(body)
}

/** What is left of a body nobody reads is taken and dropped, but not for ever: a connection closed on it would lose the answer. */
export function cutUnread({ incoming, outgoing }: Wire, clock: Clock): void {
  if (incoming.complete) return
  const cancel = clock.after(restMs, () => incoming.socket.destroy())
  incoming
    .once('end', () => outgoing.end())
    .once('close', cancel)
    .resume()
}

export function responseOf(finished: Finished | Begun, method: string): Response {
  if ('response' in finished) return finished.response ?? new Response(null)
  const { status, headers, body } = finished
  return new Response(method === 'HEAD' ? null : body, { status, headers })
}
