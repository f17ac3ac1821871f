// What the tool protocol reads of an HTTP request, and the answers that it gives before or beside the library's own.
import type { Principal } from '../platform/principal.ts'

const stream = 'text/event-stream'

/** One HTTP request of the protocol. */
export interface HttpCall {
  request: Request
  requestId: string
  /** The caller's address after trusted proxies. */
  address: string
  now: number
  /** The whole body; throws `payload_too_large` beyond `maxBytes`. */
  bytes(maxBytes: number): Promise<Uint8Array>
  /** Throws `invalid_token` for a bad credential. */
  principal(): Promise<Principal>
}

export const jsonAnswer = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json', ...headers } })

/** Whether the client takes an event stream as the answer. */
export function takesStream({ headers }: Request): boolean {
  return (headers.get('accept') ?? '').includes(stream)
}

/** A JSON result as the one event of a stream, for a client that takes nothing else. Refusals stay JSON: their status says enough. */
export async function inAcceptedForm(request: Request, answer: Response): Promise<Response> {
  const accept = request.headers.get('accept') ?? ''
  const takesNothingElse = accept.includes(stream) && !accept.includes('json') && !accept.includes('*')
  if (!takesNothingElse || answer.status !== 200 || !answer.headers.get('content-type')?.includes('json')) return answer
  const headers = { 'Content-Type': stream, 'Cache-Control': 'no-cache, no-transform' }
  return new Response(`event: message\ndata: ${await answer.text()}\n\n`, { headers })
}
