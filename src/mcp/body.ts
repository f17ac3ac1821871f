// Reads the one JSON body of a protocol request: bounded while it is read, parsed once. The library's own read costs more.

export type Body = { ok: true; value: unknown } | { ok: false; reason: 'media_type' | 'too_large' | 'malformed' }

const jsonType = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * A declared length within the bound may be read whole, because the HTTP parser delivers no more than was declared; anything else
 * is counted as it comes.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Body> {
  if (!jsonType.test(request.headers.get('content-type') ?? '')) return { ok: false, reason: 'media_type' }
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared > maxBytes) return { ok: false, reason: 'too_large' }
  if (declared > 0) return parseBody(await request.arrayBuffer())
  if (request.body === null) return { ok: false, reason: 'malformed' }
  const chunks: Uint8Array[] = []
  let size = 0
  const stream: AsyncIterable<Uint8Array> = request.body
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxBytes) return { ok: false, reason: 'too_large' }
    chunks.push(chunk)
  }
  return parseBody(Buffer.concat(chunks))
}

function parseBody(bytes: ArrayBuffer | Uint8Array): Body {
  try {
    return { ok: true, value: JSON.parse(utf8.decode(bytes)) }
  } catch {
    return { ok: false, reason: 'malformed' }
  }
}
