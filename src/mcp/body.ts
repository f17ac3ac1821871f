// Reads the one JSON body of a protocol request as strictly as the HTTP API reads its own: bounded while it is read, parsed once. The
// library's own read costs more.
import { isServiceError } from '../platform/errors.ts'
import { parseJson } from '../platform/parse.ts'
import type { HttpCall } from './exchange.ts'

export type Body = { ok: true; value: unknown } | { ok: false; reason: 'media_type' } | { ok: false; reason: 'malformed'; words: string }

const jsonType = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i

/** Throws `payload_too_large` as soon as more than `maxBytes` have come, or were announced. */
export async function readBody({ request, bytes }: HttpCall, maxBytes: number): Promise<Body> {
  if (!jsonType.test(request.headers.get('content-type') ?? '')) return { ok: false, reason: 'media_type' }
  const read = await bytes(maxBytes)
  try {
    return { ok: true, value: parseJson(read) }
  } catch (error) {
    if (!isServiceError(error)) throw error
    return { ok: false, reason: 'malformed', words: error.message }
  }
}
