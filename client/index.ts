// The typed client of Rostrum's HTTP API. No dependencies; every call is one operation, named as in /docs, with the types that
// the service itself validates.
import { RostrumError } from './error.ts'
import { followRun, pause, type RunMessage } from './follow-run.ts'
import type { InputOf, OperationName, OutputOf, PagedName, UploadName } from './operations.ts'
import { address, request } from './request.ts'
import { routes, uploads } from './routes.ts'
import { bodyOf, sendFiles } from './send-files.ts'

export { RostrumError } from './error.ts'
export type { FollowOptions } from './follow-run.ts'
export { followRun } from './follow-run.ts'
export type { InputOf, OperationName, OutputOf, PagedName, RunMessage, UploadName } from './operations.ts'
export type { WebhookRefusal, WebhookVerdict } from './verify-webhook.ts'
export { verifyWebhook } from './verify-webhook.ts'

export interface ClientOptions {
  /** Such as `https://talks.example.com`. */
  baseUrl: string
  /** An API key or agent token; without one only open operations answer. */
  token?: string
  fetch?: typeof fetch
  /** How often a call is sent again that was told to come later (429, 503 with `Retry-After`); 2 unless said otherwise. */
  retries?: number
  /** Longest such wait; a longer one is an error at once. 60 unless said otherwise. */
  waitMaxSeconds?: number
}

export interface CallOptions {
  /** Makes a repeated POST harmless for 24 hours. */
  idempotencyKey?: string
  signal?: AbortSignal
}

export interface UploadOptions {
  /** 0..1. */
  onProgress?: (share: number) => void
  signal?: AbortSignal
}

export interface Client {
  /** Calls an operation by name. Throws `RostrumError` for a refusal, and what `fetch` throws for a broken connection. */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>, options?: CallOptions): Promise<OutputOf<Name>>
  /** A list, page after page, until there is no more. */
  pages<Name extends PagedName>(name: Name, input: InputOf<Name>, options?: CallOptions): AsyncGenerator<Awaited<OutputOf<Name>>>
  /** Sends files to an operation that takes them, such as `put_deck` and `add_knowledge`, or the bytes of one, such as `transcribe_utterance`. */
  upload<Name extends UploadName>(
    name: Name,
    input: Readonly<Record<string, string>>,
    files: readonly File[],
    options?: UploadOptions,
  ): Promise<OutputOf<Name>>
  /** Follows a run as its owner; an attendee uses `followRun` with the token of joining. */
  followRun(runId: string, options?: { after?: string; signal?: AbortSignal }): AsyncGenerator<RunMessage>
}

export function createClient({ baseUrl, token, fetch: send = fetch, retries = 2, waitMaxSeconds = 60 }: ClientOptions): Client {
  const base = baseUrl.replace(/\/$/, '')
  const credential: Readonly<Record<string, string>> = token === undefined ? {} : { Authorization: `Bearer ${token}` }

  /** Again, where the service says when: it has done nothing of a call that it refuses so. */
  async function patiently<T>(act: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let tried = 0; ; tried++) {
      try {
        return await act()
      } catch (error) {
        const wait = error instanceof RostrumError && (error.status === 429 || error.status === 503) ? error.retryAfterSeconds : undefined
        if (wait === undefined || wait > waitMaxSeconds || tried >= retries) throw error
        await pause(wait * 1_000, signal)
        signal?.throwIfAborted()
      }
    }
  }

  const call: Client['call'] = (name, input, { idempotencyKey, signal } = {}) => {
    const { method } = routes[name]
    const { path, rest } = address(routes[name], { ...input })
    const headers = { ...credential, ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }) }
    const body = method === 'GET' || method === 'DELETE' ? undefined : rest
    return patiently(async () => {
      const response = await request(base + path, { method, headers, body, signal, fetch: send })
      // The service validates nothing it sends; its contract tests check each output against this very schema.
      return (await response.json().catch(() => ({}))) as OutputOf<typeof name>
    }, signal)
  }

  return {
    call,
    async *pages(name, input, options) {
      let cursor: string | undefined
      do {
        // Every list that is answered in pages takes the cursor of the next.
        const next = { ...input, ...(cursor === undefined ? {} : { cursor }) } as typeof input
        const page = (await call(name, next, options)) as Awaited<OutputOf<typeof name>>
        yield page
        // A paged answer has the member while there is more.
        cursor = (page as { nextCursor?: string }).nextCursor
      } while (cursor !== undefined)
    },
    upload(name, input, files, { onProgress, signal } = {}) {
      const { method, path: filled } = uploads[name]
      const { path } = address({ method: 'GET', path: filled }, input)
      const body = bodyOf(uploads[name], files)
      return patiently(async () => {
        const { status, text, retryAfter } = await sendFiles(base + path, {
          method,
          body,
          headers: credential,
          onProgress,
          signal,
          fetch: send,
        })
        if (status >= 300) throw RostrumError.from(status, text, retryAfter)
        return (text === '' ? {} : JSON.parse(text)) as OutputOf<typeof name>
      }, signal)
    },
    followRun: (runId, { after, signal } = {}) =>
      followRun({ url: `${base}/api/v1/runs/${encodeURIComponent(runId)}/stream`, token: token ?? '', after, signal, fetch: send }),
  }
}
