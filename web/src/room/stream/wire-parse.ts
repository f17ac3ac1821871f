// One message of the stream as data, and what this page stored.
import type { SseMessage } from '../../../../client/sse.ts'
import type { RoomMessage } from './wire.ts'

export function parseMessage({ event, data, id }: SseMessage): RoomMessage | null {
  const parsed: unknown = JSON.parse(data)
  // The server of this page wrote the pair; the reducer passes over a name that this version does not know.
  return typeof parsed === 'object' && parsed !== null ? ({ event, id, data: parsed } as RoomMessage) : null
}

/** What this page stored; null where there is nothing or it is broken. */
export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

export function parseObject(text: string | null): Record<string, unknown> | null {
  const found = parseJson(text)
  return typeof found === 'object' ? (found as Record<string, unknown> | null) : null
}
