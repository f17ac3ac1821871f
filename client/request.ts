// One request to the service, as every call makes it, the dashboard's and the room's too: how a body is written, and a refusal is read.
import { RostrumError } from './error.ts'

export interface Sent {
  method?: string
  headers?: Readonly<Record<string, string>>
  /** Bytes and forms as they are, anything else as JSON. */
  body?: unknown
  signal?: AbortSignal | undefined
  /** It outlives the page. */
  keepalive?: boolean
  credentials?: 'omit' | 'same-origin'
  fetch?: typeof fetch
}

/** Throws `RostrumError` for a refusal, and what `fetch` throws for a broken connection. */
export async function request(url: string, { headers, body, signal, fetch: send = fetch, ...sent }: Sent): Promise<Response> {
  const isJson = body !== undefined && !(body instanceof Blob) && !(body instanceof FormData)
  const response = await send(url, {
    ...sent,
    headers: { Accept: 'application/json', ...(isJson && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    ...(signal !== undefined && { signal }),
  })
  if (!response.ok) throw await RostrumError.of(response)
  return response
}
