// Reads the body of an upload: multipart files, one raw file, or JSON slides. What a file is, its bytes say.
import { ServiceError } from '../kernel/errors.ts'
import { invalidInput } from '../kernel/parse.ts'

export const uploadMaxBytes = 50 * 1024 * 1024
/** Multipart headers and boundaries come on top of the file. */
export const uploadBodyMaxBytes = uploadMaxBytes + 64 * 1024
export const jsonMaxBytes = 16 * 1024 * 1024

export const uploadTypes = [
  'multipart/form-data',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'image/png',
  'image/jpeg',
  'image/webp',
  'text/markdown',
  'application/octet-stream',
  'application/json',
] as const

export async function readUpload(request: Request): Promise<Record<string, unknown>> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return readJson(new Uint8Array(await request.arrayBuffer()))
  if (type !== 'multipart/form-data') return { files: [checkSize(new Uint8Array(await request.arrayBuffer()))] }
  const form = await readForm(request)
  const files: Uint8Array[] = []
  for (const value of form.getAll('file')) {
    if (typeof value === 'string') throw invalidInput([{ pointer: '#/file', detail: 'send a file, with a file name.' }])
    files.push(checkSize(new Uint8Array(await value.arrayBuffer())))
  }
  if (files.length === 0) throw invalidInput([{ pointer: '#/file', detail: 'is required: send the file in the part named `file`.' }])
  return { files }
}

async function readForm(request: Request): Promise<FormData> {
  try {
    return await request.formData()
  } catch {
    throw invalidInput([{ pointer: '#', detail: 'is not valid multipart/form-data.' }])
  }
}

function checkSize(bytes: Uint8Array): Uint8Array {
  if (bytes.length > uploadMaxBytes) throw new ServiceError('payload_too_large', 'The file is larger than 50 MiB.')
  return bytes
}

function readJson(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length > jsonMaxBytes) throw new ServiceError('payload_too_large', 'The body is larger than 16 MiB.')
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalidInput([{ pointer: '#', detail: 'is not valid JSON.' }])
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput([{ pointer: '#', detail: 'send a JSON object.' }])
  // Files come as bytes only: a JSON member of that name means nothing.
  const { files: _, ...members } = value as Record<string, unknown>
  return members
}
