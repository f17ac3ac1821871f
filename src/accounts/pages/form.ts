// The body of a page's POST: a form, or JSON where the page takes it. Bounded, UTF-8, each field once.
import { ServiceError } from '../../platform/errors.ts'
import { invalidInput, parseJson } from '../../platform/parse.ts'

const bytesMax = 16_384
const formType = 'application/x-www-form-urlencoded'

/** The text of a field, or undefined; a repeated field counts once, with its first value. */
export interface SentFields {
  isJson: boolean
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

/** The members of a JSON or form body, for operations that take both. An empty body has none. */
export async function parseBody(request: Request): Promise<Record<string, unknown>> {
  const body = await bytesOf(request)
  if (body.length === 0) return {}
  return mediaType(request) === formType ? Object.fromEntries(new URLSearchParams(textOf(body))) : membersOf(body)
}

/** Throws `unsupported_media_type`, `payload_too_large` or `invalid_request`. */
export async function readFields(request: Request): Promise<SentFields> {
  const type = mediaType(request)
  if (type === formType) {
    const fields = new URLSearchParams(await readBody(request))
    return { isJson: false, get: (name) => fields.get(name) ?? undefined, all: (name) => fields.getAll(name) }
  }
  if (type !== 'application/json')
    throw new ServiceError('unsupported_media_type', 'Send `application/x-www-form-urlencoded` or `application/json`.')
  const members = new Map(Object.entries(membersOf(await bytesOf(request))))
  const all = (name: string) => [members.get(name)].filter((value) => typeof value === 'string')
  return { isJson: true, get: (name) => all(name)[0], all }
}

/** The body as text, at most 16 KiB. */
export async function readBody(request: Request): Promise<string> {
  return textOf(await bytesOf(request))
}

function mediaType(request: Request): string | undefined {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
}

async function bytesOf(request: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  const body: ReadableStream<Uint8Array> | null = request.body
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > bytesMax) throw new ServiceError('payload_too_large', `Send at most ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw invalidInput([{ pointer: '#', detail: 'is not valid UTF-8.' }])
  }
}

function membersOf(body: Buffer): Record<string, unknown> {
  const value = parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidInput([{ pointer: '#', detail: 'send an object.' }])
  return { ...value }
}
