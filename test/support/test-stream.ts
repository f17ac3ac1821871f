// A run's stream as a test reads it: every message parsed, in order.
import type { EventFeed } from '../../src/platform/operation.ts'

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
  let open = true
  const opened = feed.open({
    write(chunk) {
      if (!open) return false
      const text = Buffer.from(chunk).toString()
      chunks.push(text)
      // The service writes whole messages.
      messages.push(...text.split('\n\n').filter(Boolean).map(parseMessage))
      return true
    },
    close() {
      open = false
    },
  })
  const stream: TestStream = {
    messages,
    text: () => chunks.join(''),
    isOpen: () => open,
    close() {
      if (open) opened.stop()
      open = false
    },
    of: (event) => messages.filter((message) => message.event === event).map((message) => message.data),
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
