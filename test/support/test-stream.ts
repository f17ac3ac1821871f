// A run's stream as a test reads it: every message parsed, in order.
import type { EventFeed } from '../../server/platform/operation.ts'
import { undeclaredIn } from './declared.ts'

export interface Message {
  id?: string
  event: string
  data: Record<string, unknown>
}

export interface TestStream {
  messages: Message[]
  text(): string
  isOpen(): boolean
  close(): void
  of(event: string): Record<string, unknown>[]
}

export function openStream(feed: EventFeed): TestStream {
  const chunks: string[] = []
  const messages: Message[] = []
  /** Told to who reads: whoever writes is the service. */
  const problems: string[] = []
  let open = true
  const opened = feed.open({
    write(chunk) {
      if (!open) return false
      const text = Buffer.from(chunk).toString()
      chunks.push(text)
      // The service writes whole messages.
      const came = text.split('\n\n').filter(Boolean).map(parseMessage)
      messages.push(...came)
      problems.push(...came.flatMap(({ event, data }) => undeclaredIn(event, data)))
      return true
    },
    close() {
      open = false
    },
  })
  const stream: TestStream = {
    get messages() {
      if (problems.length > 0) throw new Error(`The stream sends what is not declared: ${problems.join(', ')}`)
      return messages
    },
    text: () => chunks.join(''),
    isOpen: () => open,
    close() {
      if (open) opened.stop()
      open = false
    },
    of: (event) => stream.messages.filter((message) => message.event === event).map((message) => message.data),
  }
  return stream
}

function parseMessage(block: string): Message {
  const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]))
  const id = fields.get('id')
  return {
    ...(id === undefined ? {} : { id }),
    event: fields.get('event') ?? '',
    data: JSON.parse(fields.get('data') ?? '{}') as Record<string, unknown>,
  }
}
