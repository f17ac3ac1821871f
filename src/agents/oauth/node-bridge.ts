// Lends a web-standard request to a handler written for node:http, and gives its answer as a web-standard response: the OAuth
// provider speaks only the former, every surface of ours the latter.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

export interface NodeExchange {
  req: IncomingMessage
  res: ServerResponse
}

export interface Lent {
  request: Request
  /** The public address: forwarded headers of the request never count. */
  baseUrl: string
  /** Path and query, where another than the request's own is meant. */
  target?: string
  body?: string
  /** What the answer should be, whatever the request says it likes. */
  accept?: string
}

/** The request as node:http would have read it. */
export function lend({ request, baseUrl, target, body, accept }: Lent): NodeExchange {
  const url = new URL(request.url)
  const base = new URL(baseUrl)
  const req = new IncomingMessage(new Socket())
  req.method = request.method
  req.url = target ?? url.pathname + url.search
  req.httpVersion = '1.1'
  for (const [name, value] of request.headers) {
    if (!name.startsWith('x-forwarded-') && name !== 'forwarded' && name !== 'content-length') req.headers[name] = value
  }
  req.headers.host = base.host
  req.headers['x-forwarded-proto'] = base.protocol.slice(0, -1)
  if (accept !== undefined) req.headers.accept = accept
  if (body !== undefined) {
    req.headers['content-length'] = String(Buffer.byteLength(body))
    req.push(body)
  }
  req.push(null)
  return { req, res: new ServerResponse(req) }
}

/** Runs `handle` and resolves once it has ended its response. */
export function answered({ req, res }: NodeExchange, handle: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const chunks: Buffer[] = []
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  // Nothing is ever written to the socket, which is connected to nobody.
  res.write = (chunk: unknown) => {
    keep(chunk)
    return true
  }
  res.end = (chunk?: unknown) => {
    keep(chunk)
    const headers = new Headers()
    for (const [name, value] of Object.entries(res.getHeaders())) {
      for (const each of [value ?? []].flat()) headers.append(name, String(each))
    }
    const hasBody = res.statusCode !== 204 && res.statusCode !== 304 && chunks.length > 0
    resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status: res.statusCode, headers }))
    res.emit('finish')
    return res
  }
  Promise.resolve(handle(req, res)).catch(reject)
  return promise
}
