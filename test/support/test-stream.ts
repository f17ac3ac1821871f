// A run's stream as a test reads it: every message parsed, in order.
import type { EventFeed } from '../../src/kernel/operation.ts'

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
  let open = true
  const stop = feed.open({
    write(chunk) {
      if (open) chunks.push(Buffer.from(chunk).toString())
      return open
    },
    close() {
      open = false
    },
  })
  const stream: TestStream = {
    get messages() {
      return chunks.join('').split('\n\n').filter(Boolean).map(parseMessage)
    },
    text: () => chunks.join(''),
    isOpen: () => open,
    close() {
      if (open) stop()
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
