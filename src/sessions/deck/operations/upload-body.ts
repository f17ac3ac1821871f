// Reads the body of an upload: multipart files, one raw file, or JSON slides. What a file is, its bytes say.
import { ServiceError } from '../../../platform/errors.ts'
import { invalidInput } from '../../../platform/parse.ts'
import { sniff } from '../sniff.ts'

export const uploadMaxBytes = 50 * 1024 * 1024
/** Multipart headers and boundaries come on top of the file. */
export const uploadBodyMaxBytes = uploadMaxBytes + 64 * 1024
export const jsonMaxBytes = 16 * 1024 * 1024

export const uploadTypes = [
  'multipart/form-data',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.presentation',
  'application/vnd.ms-powerpoint',
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
  if (type !== 'multipart/form-data') return { files: [checkFile(new Uint8Array(await request.arrayBuffer()), type)] }
  const form = await readForm(request)
  const files: Uint8Array[] = []
  for (const value of form.getAll('file')) {
    if (typeof value === 'string') throw invalidInput([{ pointer: '#/file', detail: 'send a file, with a file name.' }])
    files.push(checkFile(new Uint8Array(await value.arrayBuffer()), value.type, value.name))
  }
  if (files.length === 0) throw invalidInput([{ pointer: '#/file', detail: 'is required: send the file in the part named `file`.' }])
  const notesAs = form.get('notesAs')
  const [{ name: fileName } = { name: '' }, ...others] = form.getAll('file').filter((part) => typeof part !== 'string')
  return { files, ...(others.length === 0 && { fileName }), ...(typeof notesAs === 'string' && { notesAs }) }
}

/** Files with the names that their sender gave them: the parts `file`, or the body itself without one. */
export async function readNamedFiles(request: Request): Promise<{ files: { name: string; bytes: Uint8Array }[] }> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'multipart/form-data') return { files: [{ name: '', bytes: checkSize(new Uint8Array(await request.arrayBuffer())) }] }
  const parts = (await readForm(request)).getAll('file')
  const files = parts.filter((part) => typeof part !== 'string')
  if (files.length < Math.max(1, parts.length)) {
    throw invalidInput([{ pointer: '#/file', detail: 'is required: send each file, with a file name, in a part named `file`.' }])
  }
  return {
    files: await Promise.all(files.map(async (file) => ({ name: file.name, bytes: checkSize(new Uint8Array(await file.arrayBuffer())) }))),
  }
}

async function readForm(request: Request): Promise<FormData> {
  try {
    return await request.formData()
  } catch {
    throw invalidInput([{ pointer: '#', detail: 'is not valid multipart/form-data.' }])
  }
}

const otherTypes = /^(application\/(pdf|vnd\.(openxmlformats-officedocument|oasis\.opendocument|ms-powerpoint).*)|image\/.*)$/
const otherNames = /\.(pdf|pptx?|odp|png|jpe?g|webp)$/i

/** What a file is, its bytes say; but a message of some other server, kept under the name of a document, is no deck of Markdown. */
function checkFile(bytes: Uint8Array, type = '', name = ''): Uint8Array {
  if ((otherTypes.test(type) || otherNames.test(name)) && sniff(bytes) === 'markdown')
    throw new ServiceError(
      'unsupported_media_type',
      'The file is plain text, not what its name or type says: send the document, or `text/markdown`.',
    )
  return checkSize(bytes)
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
