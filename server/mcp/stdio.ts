// `rostrum mcp` beside a running service: each line of standard input is posted to that service, and its answers and progress
// come back as lines. The bridge keeps nothing but the version a legacy client has agreed on.
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createInterface } from 'node:readline'
import type { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

export interface BridgeOptions {
  /** Of the service: `http://127.0.0.1:4400`. Where it is reached by another name than its own, `host` is its own. */
  url: string
  host?: string
  /** Sent as the bearer; null where the service is asked without one. */
  key: string | null
  input: NodeJS.ReadableStream
  write(line: string): void
}

interface Message {
  id?: string | number
  method?: string
  params?: { name?: unknown; uri?: unknown; protocolVersion?: unknown; requestId?: unknown; _meta?: Record<string, unknown> }
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const named: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])
const internalError = -32_603
const parseError = -32_700

/** Forwards until the input ends; what is under way is then given up. */
export async function bridgeStdio(options: BridgeOptions): Promise<void> {
  const { input, write } = options
  const running = new Map<string | number, AbortController>()
  let agreed: string | undefined
  const forward = async (line: string): Promise<void> => {
    const message = parse(line)
    if (message === undefined) return write(errorLine(null, parseError, 'The line is not a JSON-RPC message.'))
    const { id, method, params } = message
    const gone = new AbortController()
    if (id !== undefined) running.set(id, gone)
    try {
      const isHandshake = method === 'initialize'
      const answers = await post(
        line,
        headersOf(message, isHandshake ? undefined : agreed, options.key),
        options,
        gone.signal,
        (answer) => {
          if (isHandshake) agreed = agreedIn(answer) ?? agreed
          write(withId(answer, id))
        },
      )
      if (answers === 0 && id !== undefined) write(errorLine(id, internalError, 'The service gave no answer.'))
    } catch (error) {
      const isOurs = gone.signal.aborted
      const words = error instanceof Error ? error.message : String(error)
      if (!isOurs && id !== undefined) write(errorLine(id, internalError, `${options.url} cannot be reached: ${words}`))
    } finally {
      if (id !== undefined) running.delete(id)
    }
    // A cancelled request has no connection of its own to end on the other side: its stream is.
    const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined
    if (typeof cancelled === 'string' || typeof cancelled === 'number') running.get(cancelled)?.abort()
  }
  // The handshake decides the headers of what follows, so it is waited for; everything else runs side by side.
  let order = Promise.resolve()
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue
    const done = order.then(() => forward(line))
    if (parse(line)?.method === 'initialize') order = done
  }
  for (const gone of running.values()) gone.abort()
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function headersOf({ method, params }: Message, agreed: string | undefined, key: string | null): Record<string, string> {
  const modern = params?._meta?.[versionKey]
  const name = params?.name ?? params?.uri
  const version = typeof modern === 'string' ? modern : agreed
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
    ...(typeof modern === 'string' && method !== undefined ? { 'Mcp-Method': headerValue(method) } : {}),
    ...(typeof modern === 'string' && typeof name === 'string' && named.has(method ?? '') ? { 'Mcp-Name': headerValue(name) } : {}),
  }
}

/** As the protocol writes values that a header cannot carry. */
function headerValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?')
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

/** Posts one message; gives how many answers came. A stream gives one for each of its events. */
async function post(
  body: string,
  headers: Record<string, string>,
  { url, host }: BridgeOptions,
  signal: AbortSignal,
  onAnswer: (answer: string) => void,
): Promise<number> {
  const address = new URL(`${url}/mcp`)
  const send = address.protocol === 'https:' ? requestHttps : requestHttp
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(address, { method: 'POST', headers: { ...headers, ...(host === undefined ? {} : { Host: host }) }, signal }, resolve)
    sent.once('error', reject)
    sent.end(body)
  })
  response.setEncoding('utf8')
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
  let count = 0
  let text = ''
  for await (const chunk of response) {
    text += String(chunk)
    if (!isStream) continue
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = [...event.matchAll(/^data: ?(.*)$/gm)].map(([, part = '']) => part).join('\n')
      if (data === '') continue
      count++
      onAnswer(data)
    }
  }
  if (isStream || text.trim() === '') return count
  onAnswer(text)
  return 1
}

/** One line, and the id of the request where the service could not read it (a refusal before the message). */
function withId(answer: string, id: string | number | undefined): string {
  const value: unknown = JSON.parse(answer)
  const isNameless = id !== undefined && typeof value === 'object' && value !== null && 'id' in value && value.id === null
  return JSON.stringify(isNameless ? { ...value, id } : value)
}

function agreedIn(answer: string): string | undefined {
  const { result } = JSON.parse(answer) as { result?: { protocolVersion?: unknown } }
  return typeof result?.protocolVersion === 'string' ? result.protocolVersion : undefined
}

function errorLine(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

// The tool protocol on standard input and output (spec 4.5): one connection, both eras, protocol lines alone on the output.

export interface StdioOptions {
  build: () => Server
  /** Out-of-band trouble: for the log, never for the wire. */
  onError: (error: Error) => void
}

/** Speaks until standard input ends; what is still running then is aborted and not answered. */
export async function speakOnStdio({ build, onError }: StdioOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', () => resolve())
    process.stdin.once('close', () => resolve())
  })
  const connection = serveStdio(build, { onerror: onError })
  await ended
  await connection.close()
}
