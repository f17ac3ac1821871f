// What an answer of the tool protocol is: text, unless it is a stream.
import type { MessageAnswer, MessageCall } from '../kernel/message.ts'

const stream = 'text/event-stream'

export const jsonAnswer = (value: unknown, status = 200, headers: Record<string, string> = {}): MessageAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

/** What the library has answered: as text, because a stream of one chunk costs more than the whole call, unless it is a stream. */
export async function answerOf(response: Response): Promise<MessageAnswer> {
  const { status, body } = response
  const headers = Object.fromEntries(response.headers)
  if (body === null || headers['content-type']?.includes(stream) === true) return { status, headers, body }
  return { status, headers, body: await response.text() }
}

/** Whether the client takes an event stream as the answer. */
export function takesStream(request: Pick<MessageCall, 'header'>): boolean {
  return (request.header('accept') ?? '').includes(stream)
}

/** A JSON result as the one event of a stream, for a client that takes nothing else. Refusals stay JSON: their status says enough. */
export function inAcceptedForm(request: Pick<MessageCall, 'header'>, answer: MessageAnswer): MessageAnswer {
  const accept = request.header('accept') ?? ''
  const takesNothingElse = accept.includes(stream) && !accept.includes('json') && !accept.includes('*')
  if (!takesNothingElse || answer.status !== 200 || typeof answer.body !== 'string') return answer
  const headers = { 'Content-Type': stream, 'Cache-Control': 'no-cache, no-transform' }
  return { status: 200, headers, body: `event: message\ndata: ${answer.body}\n\n` }
}
