import { RostrumError } from '../../../../client/error.ts'
import { request } from '../../../../client/request.ts'
import { sendForm } from '../../../../client/send-form.ts'

// The dashboard's one way to the server: documented operations with the signed-in cookie and its CSRF token, and every
// refusal as a Problem whose message is fit to be shown (RFC 9457).

interface ProblemBody {
  status?: number
  code?: string
  title?: string
  detail?: string
  instance?: string
  errors?: { pointer: string; detail: string }[]
  quota?: { limit: number; used: number; resetsAt: string | null }
  scopes_required?: string[]
}

/** A refused or failed call. `message` says what happened and what to do, in words for the host. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly body: ProblemBody
  /** Milliseconds after which the server takes calls again, where it says so. */
  readonly waitMs: number | undefined

  constructor(status: number, body: ProblemBody, retryAfterSeconds?: number) {
    super(wordsFor(status, body, retryAfterSeconds))
    this.name = 'Problem'
    this.status = status
    this.code = body.code ?? (status === 0 ? 'unreachable' : 'internal_error')
    this.body = body
    this.waitMs = retryAfterSeconds && retryAfterSeconds * 1_000
  }

  /** What is wrong with one member of the body sent, by its name. */
  field(name: string): string | undefined {
    return this.body.errors?.find((error) => error.pointer === `#/${name}` || error.pointer.startsWith(`#/${name}/`))?.detail
  }
}

function wordsFor(status: number, body: ProblemBody, retryAfterSeconds?: number): string {
  if (status === 0) return body.detail ?? 'The server did not answer. Nothing was changed.'
  if (status === 402 && body.quota !== undefined) return quotaWords(body.quota)
  if (status === 403 && body.scopes_required !== undefined) return `This needs the right ${body.scopes_required.join(' and ')}.`
  if (status === 429) return `Too many requests. Try again in ${retryAfterSeconds ?? 'a few'} seconds.`
  if (status === 401 && body.code !== 'login_required' && body.code !== 'sign_in_failed')
    return 'You are signed out. Sign in again to go on.'
  if (status >= 500)
    return `The server failed${body.instance === undefined ? '' : ` (request ${body.instance.replace('urn:uuid:', '')})`}. Try again.`
  return body.detail ?? body.title ?? `The server answered ${status}.`
}

function quotaWords({ used, limit, resetsAt }: { limit: number; used: number; resetsAt: string | null }): string {
  const counted = `You have used ${used.toLocaleString('en')} of ${limit.toLocaleString('en')} sessions`
  if (resetsAt === null) return `${counted}.`
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(new Date(resetsAt))
  return `${counted} this month. It resets on ${day}.`
}

let csrf = ''

/** The token that unsafe requests carry; `GET /api/v1/account` and a new sign-in give it. */
export function keepCsrf(token: string): void {
  csrf = token
}

let onSignedOut = () => {}

/** Called whenever the server no longer knows the sign-in. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener
}

interface Options {
  /** The call outlives the page. */
  keepalive?: boolean
  body?: unknown
  form?: FormData | Blob
  accept?: string
  signal?: AbortSignal
  /** The tag of what was read: refused (412) where it has changed. */
  ifMatch?: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** No whole answer came: of an unsafe call nobody here knows whether it was done. */
const unanswered = (method: Method): Problem =>
  new Problem(0, method === 'GET' ? {} : { detail: 'The server did not answer. It may have been done: look before you try again.' })

async function send(method: Method, path: string, options: Options): Promise<Response> {
  const { body, form, accept = 'application/json', signal, ifMatch, keepalive = false } = options
  const headers = {
    Accept: accept,
    ...(method !== 'GET' && { 'X-CSRF-Token': csrf }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  }
  try {
    return await request(path, { method, headers, body: form ?? body, signal, keepalive, credentials: 'same-origin' })
  } catch (error) {
    if (signal?.aborted === true) throw error
    if (!(error instanceof RostrumError)) throw unanswered(method)
    const problem = problemOf(error)
    if (problem.code === 'csrf_failed' && (await renewCsrf())) return send(method, path, options)
    throw problem
  }
}

/** A new sign-in, in another tab, has another token. True when there is one that was not tried yet. */
async function renewCsrf(): Promise<boolean> {
  const before = csrf
  const account: unknown = await fetch('/api/v1/account', { credentials: 'same-origin' })
    .then((response) => response.json())
    .catch(() => null)
  if (typeof account === 'object' && account !== null && 'csrf' in account && typeof account.csrf === 'string') csrf = account.csrf
  return csrf !== before
}

function problemOf({ status, problem: body, retryAfterSeconds }: RostrumError): Problem {
  const problem = new Problem(status, body, retryAfterSeconds)
  if (status === 401 && problem.code === 'invalid_token') onSignedOut()
  return problem
}

/** A call that answers JSON (or nothing). `T` is the documented shape of the answer. */
export async function call<T>(method: Method, path: string, options: Options = {}): Promise<T> {
  return readJson<T>(await send(method, path, options), method, options)
}

async function readJson<T>(response: Response, method: Method, options: Options): Promise<T> {
  const text = await response.text().catch((error: unknown) => {
    if (options.signal?.aborted === true) throw error
    throw unanswered(method)
  })
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** The same of what has a tag, to be sent as `ifMatch` with a change. */
export async function tagged<T extends object>(method: Method, path: string, options: Options = {}): Promise<T & { tag: string }> {
  const response = await send(method, path, options)
  return { ...(await readJson<T>(response, method, options)), tag: response.headers.get('ETag') ?? '' }
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>('GET', path, signal === undefined ? {} : { signal })

/** Another representation of a resource, as text: CSV, Markdown, VTT. */
export async function download(path: string, accept: string): Promise<string> {
  return (await send('GET', path, { accept })).text()
}

/** A file that the server gives in pages, the next of which its `Link` names. */
export async function downloadPages(path: string, accept: string): Promise<string[]> {
  const pages: string[] = []
  let query: string | undefined = ''
  while (query !== undefined) {
    const response: Response = await send('GET', path + query, { accept })
    pages.push(await response.text())
    query = /^<(\?[^>]+)>; rel="next"$/.exec(response.headers.get('Link') ?? '')?.[1]
  }
  return pages
}

/** Sends files and tells the progress (0..1); `fetch` tells no progress of a request body. */
export async function upload<T>(
  path: string,
  form: FormData,
  onProgress: (share: number) => void,
  method: 'PUT' | 'POST' = 'PUT',
): Promise<T> {
  const headers = { 'X-CSRF-Token': csrf }
  const { status, text, retryAfter } = await sendForm(path, { method, form, headers, onProgress }).catch(() => {
    throw unanswered(method)
  })
  if (status < 300) {
    try {
      return JSON.parse(text) as T
    } catch {
      throw unanswered(method)
    }
  }
  const problem = problemOf(RostrumError.from(status, text, retryAfter))
  if (problem.code === 'csrf_failed' && (await renewCsrf())) return upload(path, form, onProgress, method)
  throw problem
}

/** Words for anything that was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Problem ? error.message : 'Something went wrong in this page. Reload it and try again.'
}
