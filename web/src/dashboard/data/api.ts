import { RostrumError } from '../../../../client/error.ts'
import type { InputOf, OperationName, OutputOf, UploadName } from '../../../../client/operations.ts'
import { address, request } from '../../../../client/request.ts'
import { routes, uploads } from '../../../../client/routes.ts'
import { bodyOf, sendFiles } from '../../../../client/send-files.ts'

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
  if (status === 503 && body.detail !== undefined) return body.detail
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
  accept?: string
  signal?: AbortSignal
  /** The tag of what was read: refused (412) where it has changed. */
  ifMatch?: string
}

type Name = OperationName | UploadName

const all = { ...uploads, ...routes }

/** No whole answer came: of an unsafe call nobody here knows whether it was done. */
const unanswered = (method: string): Problem =>
  new Problem(0, method === 'GET' ? {} : { detail: 'The server did not answer. It may have been done: look before you try again.' })

async function send(name: Name, input: object, options: Options, bytes?: Blob): Promise<Response> {
  const { accept = 'application/json', signal, ifMatch, keepalive = false } = options
  const { method } = all[name]
  const { path, rest } = address(all[name], { ...input })
  const headers = {
    Accept: accept,
    ...(method !== 'GET' && { 'X-CSRF-Token': csrf }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  }
  const body = bytes ?? (method === 'GET' || method === 'DELETE' ? undefined : rest)
  try {
    return await request(path, { method, headers, body, signal, keepalive, credentials: 'same-origin' })
  } catch (error) {
    if (signal?.aborted === true) throw error
    if (!(error instanceof RostrumError)) throw unanswered(method)
    const problem = problemOf(error)
    if (problem.code === 'csrf_failed' && (await renewCsrf())) return send(name, input, options, bytes)
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

/** Calls an operation by its name; the types are those of its declaration. */
export async function call<Called extends Name>(name: Called, input: InputOf<Called>, options: Options = {}): Promise<OutputOf<Called>> {
  return readJson(name, await send(name, { ...input }, options), options)
}

async function readJson<Called extends Name>(name: Called, response: Response, { signal }: Options): Promise<OutputOf<Called>> {
  const text = await response.text().catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw unanswered(all[name].method)
  })
  // The service validates nothing it sends; its contract tests check each output against this very schema.
  return (text === '' ? undefined : JSON.parse(text)) as OutputOf<Called>
}

/** The same of a script, with its tag, to be sent as `ifMatch` with a change. */
export async function tagged<Called extends 'get_script' | 'put_script' | 'restore_script'>(
  name: Called,
  input: InputOf<Called>,
  options: Options = {},
): Promise<OutputOf<'get_script'> & { tag: string }> {
  const response = await send(name, { ...input }, options)
  return { ...(await readJson(name, response, options)), tag: response.headers.get('ETag') ?? '' }
}

/** Another representation of what is read, as text: CSV, Markdown, VTT. */
export async function download<Called extends Name>(name: Called, input: InputOf<Called>, accept: string): Promise<string> {
  return (await send(name, { ...input }, { accept })).text()
}

/** A file that the server gives in pages, the next of which its `Link` names. */
export async function downloadPages<Called extends Name>(name: Called, input: InputOf<Called>, accept: string): Promise<string[]> {
  const pages: string[] = []
  let page: object | undefined = {}
  while (page !== undefined) {
    const response: Response = await send(name, { ...input, ...page }, { accept })
    pages.push(await response.text())
    const next = /^<(\?[^>]+)>; rel="next"$/.exec(response.headers.get('Link') ?? '')?.[1]
    page = next === undefined ? undefined : Object.fromEntries(new URLSearchParams(next))
  }
  return pages
}

/** Sends the bytes of the one file that the operation takes. */
export async function sendBytes(
  name: UploadName,
  input: Readonly<Record<string, string>>,
  bytes: Blob,
  signal?: AbortSignal,
): Promise<void> {
  await send(name, input, signal === undefined ? {} : { signal }, bytes)
}

/** Sends files and tells the progress (0..1); `fetch` tells no progress of a request body. */
export async function upload<Called extends UploadName>(
  name: Called,
  input: Readonly<Record<string, string>>,
  files: readonly File[],
  onProgress?: (share: number) => void,
): Promise<OutputOf<Called>> {
  const { method } = uploads[name]
  const { path } = address(uploads[name], input)
  const sent = { method, body: bodyOf(uploads[name], files), headers: { 'X-CSRF-Token': csrf }, onProgress }
  const { status, text, retryAfter } = await sendFiles(path, sent).catch(() => {
    throw unanswered(method)
  })
  if (status < 300) {
    try {
      return JSON.parse(text)
    } catch {
      throw unanswered(method)
    }
  }
  const problem = problemOf(RostrumError.from(status, text, retryAfter))
  if (problem.code === 'csrf_failed' && (await renewCsrf())) return upload(name, input, files, onProgress)
  throw problem
}

/** Words for anything that was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Problem ? error.message : 'Something went wrong in this page. Reload it and try again.'
}
