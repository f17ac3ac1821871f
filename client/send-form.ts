// Sends a form and tells how much of it has gone. `fetch` tells nothing of a body on its way: a browser has XMLHttpRequest for it; where
// there is none the body is sent as a stream that is counted.

export interface FormSent {
  method: 'PUT' | 'POST'
  form: FormData
  headers?: Readonly<Record<string, string>>
  /** 0..1. */
  onProgress?: ((share: number) => void) | undefined
  signal?: AbortSignal | undefined
  fetch?: typeof fetch
}

export interface FormAnswer {
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
  send(form: FormData): void
  abort(): void
}
interface Progress {
  lengthComputable: boolean
  loaded: number
  total: number
}

/** Rejects where no whole answer came. */
export function sendForm(url: string, sent: FormSent): Promise<FormAnswer> {
  const { XMLHttpRequest: Xhr } = globalThis as { XMLHttpRequest?: new () => Request }
  return Xhr === undefined ? sendStream(url, sent) : sendRequest(new Xhr(), url, sent)
}

function sendRequest(request: Request, url: string, { method, form, headers = {}, onProgress, signal }: FormSent): Promise<FormAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<FormAnswer>()
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
  request.send(form)
  return promise
}

async function sendStream(url: string, { method, form, headers, onProgress, signal, fetch: send = fetch }: FormSent): Promise<FormAnswer> {
  const whole = new Response(form)
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
