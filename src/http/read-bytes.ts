// Reads a request body into memory, counting bytes as they come: a declared length is checked, but never trusted.
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../kernel/errors.ts'

/** The whole body; `payload_too_large` as soon as more than `maxBytes` have come, or were announced. */
export function readIncoming(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (Number(incoming.headers['content-length']) > maxBytes) {
      reject(tooLarge(maxBytes))
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    const stop = (error: Error) => {
      incoming.off('data', take).off('end', finish).off('error', abort).off('close', abort)
      incoming.pause()
      reject(error)
    }
    const abort = () => stop(new ServiceError('invalid_request', 'The body ended early: send as many bytes as `Content-Length` says.'))
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) stop(tooLarge(maxBytes))
      else chunks.push(chunk)
    }
    const finish = () => {
      incoming.off('close', abort)
      const [only] = chunks
      resolve(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks))
    }
    incoming.on('data', take).on('end', finish).on('error', abort).on('close', abort)
  })
}

/** The same for a web-standard request, which is how tests call. */
export async function readRequest(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  const body: AsyncIterable<Uint8Array> = request.body
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(maxBytes: number): ServiceError {
  // The rest of the body is not read, so the connection cannot carry another request.
  return new ServiceError('payload_too_large', `The body is larger than ${inWords(maxBytes)}: send less.`, {
    headers: { Connection: 'close' },
  })
}

function inWords(bytes: number): string {
  const mebibytes = bytes / 1_048_576
  return mebibytes >= 1 ? `${Number(mebibytes.toFixed(1))} MiB` : `${bytes} bytes`
}
