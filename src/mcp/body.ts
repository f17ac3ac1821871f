// Reads the one JSON body of a protocol request: bounded while it is read, parsed once. The library's own read costs more.
import type { MessageCall } from '../kernel/message.ts'

export type Body = { ok: true; value: unknown } | { ok: false; reason: 'media_type' | 'malformed' }

const jsonType = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws `payload_too_large` as soon as more than `maxBytes` have come, or were announced. */
export async function readBody(request: MessageCall, maxBytes: number): Promise<Body> {
  if (!jsonType.test(request.header('content-type') ?? '')) return { ok: false, reason: 'media_type' }
  const bytes = await request.bytes(maxBytes)
  try {
    return { ok: true, value: JSON.parse(utf8.decode(bytes)) }
  } catch {
    return { ok: false, reason: 'malformed' }
  }
}
