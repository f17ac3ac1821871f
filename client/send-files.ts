// Sends files and tells how much of them has gone. `fetch` tells nothing of a body on its way: a browser has XMLHttpRequest for it; where
// there is none the body is sent as a stream that is counted.

/** A form, or the bytes of the one file where the operation takes those. */
export function bodyOf(upload: { path: string; takes?: 'bytes' }, files: readonly File[]): FormData | Blob {
  const [only] = files
  if (upload.takes === 'bytes') return new Blob([...files], { type: only?.type || 'application/octet-stream' })
  const form = new FormData()
  for (const file of files) form.append('file', file, file.name)
  return form
}

export interface FilesSent {
  method: 'PUT' | 'POST'
  body: FormData | Blob
  headers?: Readonly<Record<string, string>>
  /** 0..1. */
  onProgress?: ((share: number) => void) | undefined
  signal?: AbortSignal | undefined
  fetch?: typeof fetch
}

export interface FilesAnswer {
  status: number
  text: string
  retryAfter: string | null
}

/** What is used of it; its types are those of a browser. */
interface Request {
  readonly status: number
  readonly responseText: string
  readonly upload: { addEventListener(type: 'progress', listener: (event: Progress) => void): void }
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getResponseHeader(name: string): string | null
  addEventListener(type: string, listener: () => void): void
  send(body: FormData | Blob): void
  abort(): void
}
interface Progress {
  lengthComputable: boolean
  loaded: number
  total: number
}

/** Rejects where no whole answer came. */
export function sendFiles(url: string, sent: FilesSent): Promise<FilesAnswer> {
  const { XMLHttpRequest: Xhr } = globalThis as { XMLHttpRequest?: new () => Request }
  return Xhr === undefined ? sendStream(url, sent) : sendRequest(new Xhr(), url, sent)
}

function sendRequest(request: Request, url: string, { method, body, headers = {}, onProgress, signal }: FilesSent): Promise<FilesAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<FilesAnswer>()
  request.open(method, url)
  for (const [name, value] of Object.entries({ Accept: 'application/json', ...headers })) request.setRequestHeader(name, value)
  request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => lengthComputable && onProgress?.(loaded / total))
  for (const ending of ['error', 'abort', 'timeout'])
    request.addEventListener(ending, () => reject(new TypeError(`The upload ended: ${ending}.`)))
  request.addEventListener('load', () => {
    const { status, responseText } = request
    resolve({ status, text: responseText, retryAfter: request.getResponseHeader('Retry-After') })
  })
  signal?.addEventListener('abort', () => request.abort(), { once: true })
  request.send(body)
  return promise
}

async function sendStream(
  url: string,
  { method, body, headers, onProgress, signal, fetch: send = fetch }: FilesSent,
): Promise<FilesAnswer> {
  const whole = new Response(body)
  const type = whole.headers.get('Content-Type') ?? ''
  const bytes = await whole.blob()
  let gone = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk)
      gone += chunk.byteLength
      onProgress?.(gone / bytes.size)
    },
  })
  // The types of `fetch` know `duplex` in some places alone.
  const init = {
    method,
    headers: { Accept: 'application/json', ...headers, 'Content-Type': type },
    body: bytes.stream().pipeThrough(counted),
    duplex: 'half' as const,
  }
  const response = await send(url, { ...init, ...(signal === undefined ? {} : { signal }) })
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get('Retry-After') }
}
