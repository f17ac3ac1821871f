// Files as a body brings them: the parts of a form, or the body itself.
import { ServiceError } from '@rostrum/base/errors'
import { invalidInput } from './parse.ts'
import type { SentBody, SentFile } from './sent-file.ts'

export const uploadMaxBytes = 50 * 1024 * 1024
/** Multipart headers and boundaries come on top of the file. */
export const uploadBodyMaxBytes = uploadMaxBytes + 64 * 1024

/** The parts `file`, or the body itself. */
export async function readFiles(body: SentBody): Promise<{ files: readonly SentFile[]; fields?: ReadonlyMap<string, string> }> {
  if (body.type !== 'multipart/form-data')
    return { files: [checkSize(body.file.part(0, body.file.sizeBytes, { name: '', type: body.type }))] }
  const { files, fields } = await body.parts()
  const sent = files.filter(({ field }) => field === 'file')
  if (sent.length === 0 || fields.has('file'))
    throw invalidInput([{ pointer: '#/file', detail: 'is required: send each file, with a file name, in a part named `file`.' }])
  return { files: sent.map(({ file }) => checkSize(file)), fields }
}

function checkSize(file: SentFile): SentFile {
  if (file.sizeBytes > uploadMaxBytes) throw new ServiceError('payload_too_large', 'The file is larger than 50 MiB.')
  return file
}
