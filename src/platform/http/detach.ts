// Takes the connection of a request out of node:http, so that a stream of hours holds a bare socket instead of a parser, a
// request and a response: half the memory of a reader, a third of it on the heap.
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/**
 * A socket on the connection of `response`, on which nothing has been written; node:http then forgets the request as if its
 * caller had gone. Undefined where the connection is not this response's alone (a pipelined request, a TLS or test socket):
 * the caller then writes to the response.
 */
export function detached(response: ServerResponse): Socket | undefined {
  const { socket } = response
  if (socket === null || socket.constructor !== Socket || response.headersSent || socket.writableLength > 0) return undefined
  // Node's own fields: the handle of the connection, and the parser that reads it natively until it is told not to.
  const handle: unknown = Reflect.get(socket, '_handle')
  const parser: unknown = Reflect.get(socket, 'parser')
  if (typeof handle !== 'object' || handle === null || typeof parser !== 'object' || parser === null) return undefined
  const unconsume: unknown = Reflect.get(parser, 'unconsume')
  if (typeof unconsume !== 'function') return undefined
  Reflect.apply(unconsume, parser, [])
  Reflect.set(socket, '_handle', null)
  socket.destroy()
  // `handle` is an option that the types leave out; Node's server makes its own sockets by it.
  const options: object = { handle, readable: true, writable: true }
  return new Socket(options)
}

/** The head of an answer whose body ends with the connection. */
export function rawHead(headers: Readonly<Record<string, string>>, now: number): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, ' ')}`)
  return ['HTTP/1.1 200 OK', ...lines, `Date: ${new Date(now).toUTCString()}`, 'Connection: close', '', ''].join('\r\n')
}
