// One request as the routes see it: Hono's context, and beside it what every call needs. What few routes read is made when it is read.
import { hash } from 'node:crypto'
import { validateHeaderValue } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { compress } from 'hono/compress'
import { parseAccept } from 'hono/utils/accept'
import type { Clock, Ids } from '@rostrum/base/clock'
import { isServiceError, problemOf, ServiceError } from '@rostrum/base/errors'
import type { HttpView, Operation } from '../operation.ts'
import type { PassedOver } from '../parse.ts'
import { continueTrace, startTrace, type Trace } from './observe.ts'
import type { SentFile } from '../sent-file.ts'
import type { Challenge, Log, Presented } from './ports.ts'
import { asArrival, type Received, smallBytes, type Spool, tooLarge } from './spool.ts'

export interface ExchangeTools {
  clock: Clock
  ids: Ids
  addressOf: ClientAddress
  spool: Spool
  /** Start a trace for every request, because spans are exported. */
  tracesAll: boolean
}

/** Empty for callers in the same process. */
export type HttpContext = Context<{ Bindings: Partial<HttpBindings> }>

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A class, because it has identity and a life: from the head of the request to the end of the response. */
export class Exchange {
  readonly context: HttpContext
  readonly request: Request
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly requestId: string
  readonly now: number
  readonly startedMs: number
  readonly address: string
  readonly trace: Trace | undefined
  #tools: ExchangeTools
  #nonce: string | undefined
  #received: Received | undefined

  constructor(context: HttpContext, tools: ExchangeTools) {
    this.context = context
    this.request = context.req.raw
    this.method = context.req.method
    this.path = context.req.path
    this.#tools = tools
    this.now = tools.clock.now()
    this.startedMs = tools.clock.elapsed()
    const given = this.header('x-request-id')
    this.requestId = given !== undefined && uuidShape.test(given) ? given : tools.ids.uuid()
    this.address = tools.addressOf(context.env.incoming?.socket.remoteAddress, this.header('x-forwarded-for'))
    this.trace = continueTrace(this.header('traceparent'), tools.ids) ?? (tools.tracesAll ? startTrace(tools.ids) : undefined)
  }

  /** A header by its lower-case name. */
  header(name: string): string | undefined {
    return this.request.headers.get(name) ?? undefined
  }

  /** The parts of the path that the pattern names. One with U+0000, which no store takes, stays as it came: no id looks like that. */
  params(): Record<string, string> {
    const params = this.context.req.param()
    for (const [name, value] of Object.entries(params)) if (value.includes('\0')) params[name] = encodeURIComponent(value)
    return params
  }

  presented(isOpen: boolean, queryToken?: string): Presented {
    return {
      method: this.method,
      authorization: this.header('authorization')?.split(', ') ?? [],
      header: (name) => this.header(name),
      address: this.address,
      now: this.now,
      path: this.path,
      isOpen,
      ...(queryToken === undefined ? {} : { queryToken }),
    }
  }

  /** The query without its `?`; undefined where there is none. */
  get queryText(): string | undefined {
    const { url } = this.request
    const start = url.indexOf('?')
    if (start === -1) return undefined
    const end = url.indexOf('#', start)
    return url.slice(start + 1, end === -1 ? undefined : end)
  }

  /** The whole body in memory, for this call: `payload_too_large` beyond `maxBytes`. `owner`: whose it is, where that is known. */
  async bytes(maxBytes: number, owner?: string): Promise<Uint8Array> {
    // Nearly every body, and read the way that costs least. A caller in this process has it in memory anyway.
    if (this.isSmall || this.context.env.incoming === undefined) return readBytes(this.request, maxBytes)
    return (await this.received(maxBytes, owner)).bytes()
  }

  /** Announced, and so small that it stays in memory. */
  get isSmall(): boolean {
    return (this.announced ?? Infinity) <= smallBytes
  }

  get announced(): number | undefined {
    const header = this.header('content-length')
    return header === undefined ? undefined : Number(header)
  }

  /** The whole body as a file, until `release`. */
  async received(maxBytes: number, owner = this.address): Promise<SentFile> {
    const { announced, request } = this
    const { incoming } = this.context.env
    // Past the adapter: of that stream it would hold in memory what we do not take at once. An answer can still be given after a refusal.
    const arriving: AsyncIterable<Uint8Array> | null = incoming === undefined ? request.body : incoming.iterator({ destroyOnReturn: false })
    const chunks = (arriving ?? nothing())[Symbol.asyncIterator]()
    this.#received = await this.#tools.spool.receive({ chunks, owner, maxBytes, announced })
    return this.#received.file
  }

  /** What was received is gone: the call has ended. */
  release(): void {
    this.#received?.release()
  }

  get nonce(): string {
    this.#nonce ??= Buffer.from(this.#tools.ids.bytes(16)).toString('base64url')
    return this.#nonce
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A small body whole; `payload_too_large` as soon as more than `maxBytes` have come, or were announced. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = request.headers.get('content-length')
  if (Number(announced) > maxBytes) throw tooLarge(maxBytes)
  try {
    // Node lets through as many bytes as were announced, and not one more.
    if (announced !== null) return new Uint8Array(await request.arrayBuffer())
    const chunks: Uint8Array[] = []
    let size = 0
    const body: AsyncIterable<Uint8Array> | null = request.body
    for await (const chunk of body ?? []) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    throw asArrival(error)
  }
}

/**
 * The address that limits and audit count by: the socket's, or what trusted proxies say of it. `X-Forwarded-For` is read from right to
 * left and only through addresses of `ROSTRUM_TRUST_PROXY`, so a caller cannot choose its own.
 */
export type ClientAddress = (remote: string | undefined, forwardedFor: string | undefined) => string

/** Builds the reader once; ranges are CIDRs that the configuration has checked. */
export function clientAddress(trustedRanges: readonly string[]): ClientAddress {
  if (trustedRanges.length === 0) return (remote) => plain(remote ?? '')
  const trusted = new BlockList()
  for (const range of trustedRanges) {
    const [start = '', bits = ''] = range.split('/')
    trusted.addSubnet(start, Number(bits), isIP(start) === 4 ? 'ipv4' : 'ipv6')
  }
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  return (remote, forwardedFor) => {
    let address = plain(remote ?? '')
    const hops = forwardedFor?.split(',') ?? []
    while (hops.length > 0 && isTrusted(address)) {
      const hop = plain(hops.pop()?.trim() ?? '')
      if (isIP(hop) === 0) break
      address = hop
    }
    return address
  }
}

/** Without brackets, port or zone; IPv4-mapped IPv6 as IPv4. */
function plain(address: string): string {
  // An IPv4 address alone, as a socket says it.
  if (!address.includes(':') && !address.startsWith('[')) return address
  const bare = /^\[([^\]]+)\]/.exec(address)?.[1] ?? /^([^:]+):\d+$/.exec(address)?.[1] ?? address
  return bare.startsWith('::ffff:') && bare.includes('.') ? bare.slice(7) : bare
}

// Turns the result of an operation into status, headers and body, by its own HTTP view and what the caller prefers (RFC 9110 sections
// 12.5 and 8.4), and every failure into one document (RFC 9457), with the OAuth pair beside it.

export interface Answer {
  status: number
  headers: Record<string, string>
  /** null: no body. */
  body: string | null
}

/** The representation the caller prefers; JSON unless it asks for another that the operation offers. */
export function answerOf(operation: Operation, view: HttpView<unknown>, result: unknown, accept: string | undefined): Answer {
  const status = typeof view.status === 'object' ? view.status.of(result) : view.status
  const headers: Record<string, string> = { 'Cache-Control': operation.secret ? 'no-store' : 'private, no-cache' }
  const body = bodyOf(view, result, accept, headers)
  for (const [name, value] of Object.entries(view.headers?.(result) ?? {})) {
    // Node refuses it too, but only when the head is half made.
    validateHeaderValue(name, value)
    headers[name] = value
  }
  return { status: status ?? (body === null ? 204 : 200), headers, body }
}

function bodyOf(view: HttpView<unknown>, result: unknown, accept: string | undefined, headers: Record<string, string>): string | null {
  if (view.formats !== undefined) {
    headers['Vary'] = 'Accept'
    const type = preferred(accept, ['application/json', ...Object.keys(view.formats)])
    const write = view.formats[type]
    if (write !== undefined) {
      headers['Content-Type'] = type.startsWith('text/') ? `${type}; charset=utf-8` : type
      return write(result)
    }
  }
  if (view.view === undefined && view.output === undefined) return null
  headers['Content-Type'] = 'application/json'
  return JSON.stringify(view.view === undefined ? result : view.view(result))
}

/** Adds an `ETag` to a read, after the one that its operation gives it, and answers 304 to a caller that has it already. */
export function revalidated(answer: Answer, ifNoneMatch: string | undefined): Answer {
  if (answer.body === null || answer.status !== 200 || answer.headers['Cache-Control'] === 'no-store') return answer
  const own = answer.headers['ETag']
  const tag = `${own === undefined ? '"' : `${own.slice(0, -1)}.`}${hash('sha1', answer.body, 'base64url')}"`
  answer.headers['ETag'] = tag
  if (ifNoneMatch === undefined || !matches(ifNoneMatch, tag)) return answer
  delete answer.headers['Content-Type']
  return { status: 304, headers: answer.headers, body: null }
}

export function matches(header: string, tag: string): boolean {
  return header.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag)
}

/** What was passed over, in the answer that the caller reads. */
export function withWarnings(answer: Answer, look: (shown?: unknown) => readonly PassedOver[]): Answer {
  if (look().length === 0 || answer.body === null || answer.headers['Content-Type'] !== 'application/json') return answer
  const body: unknown = JSON.parse(answer.body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return answer
  const found = look(body)
  if (found.length === 0) return answer
  const own: readonly unknown[] = 'warnings' in body && Array.isArray(body.warnings) ? body.warnings : []
  return { ...answer, body: JSON.stringify({ ...body, warnings: [...own, ...found] }) }
}

export interface ProblemTools {
  baseUrl: string
  challenge: Challenge
  log: Log
}

/** The caller's own failure, or `internal_error` for a bug, which is logged here. */
export function visibleError(error: unknown, requestId: string, route: string, log: Log): ServiceError {
  if (isServiceError(error)) return error
  log.error({ requestId, route, err: error }, 'A request failed by a fault of ours')
  return new ServiceError('internal_error', 'Something went wrong on our side. Try again; if it goes on, report the request id.')
}

/** What cannot be an id names nothing: an address that holds it is answered as one with an unknown id is. */
export function namesNothing(error: ServiceError, exchange: Exchange): ServiceError {
  if (error.code !== 'invalid_request') return error
  const params = exchange.params()
  const wrong = error.extra.errors?.find(({ pointer }) => Object.hasOwn(params, pointer.slice(2)))
  if (wrong === undefined) return error
  return new ServiceError('not_found', `Nothing has this \`${wrong.pointer.slice(2)}\`: ${wrong.detail}`)
}

export function problemAnswer(error: ServiceError, requestId: string, tools: ProblemTools): Answer {
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' }
  const challenge = tools.challenge(error)
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge
  if (error.status === 503) headers['Retry-After'] = '2'
  Object.assign(headers, error.extra.headers)
  return { status: error.status, headers, body: JSON.stringify(problemOf(error, { baseUrl: tools.baseUrl, requestId })) }
}

/** `offered` in our order of preference. Falls back to the first, because an answer in the usual form beats a refusal. */
export function preferred<T extends string>(accept: string | undefined, offered: readonly [T, ...T[]]): T {
  const [usual] = offered
  if (accept === undefined || accept === '*/*') return usual
  const ranges = parseAccept(accept.toLowerCase())
  /** The most specific range that covers the type decides. */
  const quality = (type: string): number => {
    const covering = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*'].map((each) => ranges.find((range) => range.type === each))
    return covering.find((range) => range !== undefined)?.q ?? 0
  }
  const [best = usual] = offered.toSorted((one, other) => quality(other) - quality(one))
  return quality(best) > 0 ? best : usual
}

/** JSON of an operation: most answers are small, and a program on a fast line would only wait. */
const jsonMin = 4_096
const squeeze = compress()

/**
 * A page, a document or an answer for who takes it compressed, and only one whose length may be known to anybody: beside a secret, text
 * of an attacker's choosing would tell that secret by the length of the whole (BREACH). So one with `no-store` (sign-in, consent and
 * claim hold a token against forgery) or a cookie of ours goes as it is.
 */
export async function compressed({ context }: Exchange, response: Response): Promise<Response> {
  if (response.headers.has('Set-Cookie') || response.headers.get('Cache-Control')?.includes('no-store')) return response
  await squeeze(context, async () => void (context.res = response))
  return context.res
}

/** Whether an answer may be: another site can make a browser send its cookie, but never a bearer token. */
export function mayCompress({ body, headers }: Answer, exchange: Exchange): boolean {
  return body !== null && body.length >= jsonMin && exchange.header('cookie') === undefined && headers['Cache-Control'] !== 'no-store'
}
