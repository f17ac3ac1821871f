// One request as the routes see it: Hono's context, and beside it what every call needs. What few routes read is made when it is read.
import { BlockList, isIP } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Presented } from './ports.ts'
import { continueTrace, startTrace, type Trace } from './traces.ts'

export interface ExchangeTools {
  clock: Clock
  ids: Ids
  addressOf: ClientAddress
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

  bytes(maxBytes: number): Promise<Uint8Array> {
    return readBytes(this.request, maxBytes)
  }

  get nonce(): string {
    this.#nonce ??= Buffer.from(this.#tools.ids.bytes(16)).toString('base64url')
    return this.#nonce
  }
}

/** The whole body; `payload_too_large` as soon as more than `maxBytes` have come, or were announced. */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
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
    if (error instanceof ServiceError) throw error
    throw new ServiceError('invalid_request', 'The body ended early: send as many bytes as `Content-Length` says.')
  }
}

function tooLarge(maxBytes: number): ServiceError {
  const mebibytes = maxBytes / 1_048_576
  const words = mebibytes >= 1 ? `${Number(mebibytes.toFixed(1))} MiB` : `${maxBytes} bytes`
  return new ServiceError('payload_too_large', `The body is larger than ${words}: send less.`)
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
