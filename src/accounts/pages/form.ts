// The body of a page's POST: a form, or JSON where the page takes it. Bounded, UTF-8, each field once.
import { ServiceError } from '../../platform/errors.ts'
import { invalidInput } from '../../platform/parse.ts'

const bytesMax = 16_384

/** The text of a field, or undefined; a repeated field counts once, with its first value. */
export interface SentFields {
  isJson: boolean
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

/** The members of a JSON or form body, for operations that take both. An empty body has none. */
export async function parseBody(request: Request): Promise<Record<string, unknown>> {
  const text = await readBody(request)
  if (text === '') return {}
  return mediaType(request) === 'application/x-www-form-urlencoded'
    ? Object.fromEntries(new URLSearchParams(text))
    : Object.fromEntries(objectOf(text))
}

function mediaType(request: Request): string | undefined {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
}

/** Throws `unsupported_media_type`, `payload_too_large` or `invalid_request`. */
export async function readFields(request: Request): Promise<SentFields> {
  const type = mediaType(request)
  if (type === 'application/x-www-form-urlencoded') {
    const fields = new URLSearchParams(await readBody(request))
    return { isJson: false, get: (name) => fields.get(name) ?? undefined, all: (name) => fields.getAll(name) }
  }
  if (type === 'application/json') {
    const members = objectOf(await readBody(request))
    const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
    return {
      isJson: true,
      get: (name) => textOf(members.get(name)),
      all: (name) => [textOf(members.get(name))].filter((value) => value !== undefined),
    }
  }
  throw new ServiceError('unsupported_media_type', 'Send `application/x-www-form-urlencoded` or `application/json`.')
}

function objectOf(text: string): ReadonlyMap<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidInput([{ pointer: '#', detail: 'is not valid JSON.' }])
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidInput([{ pointer: '#', detail: 'send an object.' }])
  return new Map(Object.entries(value))
}

/** The body as text, at most 16 KiB. */
export async function readBody(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const body: ReadableStream<Uint8Array> | null = request.body
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > bytesMax) throw new ServiceError('payload_too_large', `Send at most ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw invalidInput([{ pointer: '#', detail: 'is not valid UTF-8.' }])
  }
}
