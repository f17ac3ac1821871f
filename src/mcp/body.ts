// Reads the one JSON body of a protocol request: bounded while it is read, parsed once. The library's own read costs more.

export type Body = { ok: true; value: unknown } | { ok: false; reason: 'media_type' | 'too_large' | 'malformed' }

const jsonType = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Never trusts a declared length: bytes are counted as they come. */
export async function readBody(request: Request, maxBytes: number): Promise<Body> {
  if (!jsonType.test(request.headers.get('content-type') ?? '')) return { ok: false, reason: 'media_type' }
  if (request.body === null) return { ok: false, reason: 'malformed' }
  const chunks: Uint8Array[] = []
  let size = 0
  const stream: AsyncIterable<Uint8Array> = request.body
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxBytes) return { ok: false, reason: 'too_large' }
    chunks.push(chunk)
  }
  try {
    return { ok: true, value: JSON.parse(utf8.decode(Buffer.concat(chunks))) }
  } catch {
    return { ok: false, reason: 'malformed' }
  }
}
