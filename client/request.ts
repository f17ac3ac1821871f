// One request to the service, as every call makes it, the dashboard's and the room's too: how an address and a body are written, and a
// refusal is read.
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

/** Fills `{members}` of the path; the others are the query of a GET or DELETE, else the body. */
export function address({ method, path }: { method: string; path: string }, input: Readonly<Record<string, unknown>>) {
  const rest: Record<string, unknown> = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, member: string) => {
    const value = rest[member]
    delete rest[member]
    return encodeURIComponent(asText(value))
  })
  if (method !== 'GET' && method !== 'DELETE') return { path: filled, rest }
  const query = new URLSearchParams(
    Object.entries(rest).flatMap(([member, value]) => (value === undefined ? [] : [[member, asText(value)]])),
  )
  return { path: query.size === 0 ? filled : `${filled}?${query.toString()}`, rest }
}

/** Texts as they are; numbers and truth values as JSON writes them. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
