// The HTTP projection of one operation: authenticate, scope, rate limit, parse, run, view; every failure a problem
// document. Built once per operation at start, with no middleware in between.
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { Clock } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import { invalidInput, parseInput, parseJson, passedOverBy } from '../parse.ts'
import { admit, type Call, checkVerdict, type EventFeed, type HttpView, invoke, type Limiter, type Operation } from '../operation.ts'
import { actsForAccount, type Principal } from '../principal.ts'
import { type SentBody, SentFile } from '../sent-file.ts'
import { lazily } from '@rostrum/base/work'
import {
  type Answer,
  answerOf,
  compressed,
  type Exchange,
  matches,
  mayCompress,
  problemAnswer,
  namesNothing,
  type ProblemTools,
  revalidated,
  visibleError,
  withWarnings,
} from './exchange.ts'
import { type Cors, deprecationHeaders } from './headers.ts'
import { feedHeaders, type Feeds } from './feeds.ts'
import { checkKey, keyId, type KeptAnswers, oneByOne, onlyOnce, repeatable, sha256 } from './idempotency.ts'
import { partsOf } from './multipart.ts'
import { type Completed, traceparentOf } from './observe.ts'
import type { Authenticate, TrackStream } from './ports.ts'

const bodyMaxByDefault = 1_048_576

type Members = Record<string, unknown>

// The raw input of an operation, and what is asked before its body is read.

/** Reads the body, as bytes or as a file; the caller may want it for more than parsing. */
interface Body {
  bytes(): Promise<Uint8Array>
  sent(): Promise<SentBody>
}

/** The raw input of `operation`. Called after the credential, the scope and the limit have passed. */
function inputReader(
  operation: Operation,
  view: HttpView<unknown>,
): (exchange: Exchange, body: Body, onJson?: (sent: Members) => void) => Promise<Members> {
  const kinds = lazily(() => memberKinds(operation.input))
  const headers = Object.entries(view.headerMembers ?? {})
  const hasPath = view.path.includes('{')
  const takesJson = view.method !== 'GET' && view.method !== 'DELETE' && view.readBody === undefined
  const takesQuery = !takesJson
  return async (exchange, body, onJson) => {
    const members = view.readBody ? await readOther(exchange, view, body, view.readBody) : takesJson ? await readJson(exchange, body) : {}
    if (takesJson || exchange.header('content-type')?.startsWith('application/json')) onJson?.({ ...members })
    const query = takesQuery ? exchange.queryText : undefined
    if (query !== undefined) Object.assign(members, queryMembers(query, kinds()))
    for (const [header, member] of headers) {
      const value = exchange.header(header)
      if (value !== undefined) members[member] = value
    }
    if (hasPath) for (const [name, text] of Object.entries(exchange.params())) members[name] = coerce(text, kinds()[name])
    return members
  }
}

async function readJson(exchange: Exchange, body: Body): Promise<Members> {
  // Before it comes, where it is known that it will.
  const isComing = (exchange.announced ?? 0) > 0
  if (isComing) checkMediaType(exchange, ['application/json'])
  const bytes = await body.bytes()
  if (bytes.length === 0) return {}
  if (!isComing) checkMediaType(exchange, ['application/json'])
  await turnOf(bytes)
  const value = parseJson(bytes)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalidInput([{ pointer: '#', detail: 'send a JSON object.' }])
}

const largeBytes = 1_048_576

/** A large body was put together in this turn of the thread; it is parsed in the next one, and others come in between. */
async function turnOf(bytes: Uint8Array): Promise<void> {
  if (bytes.length > largeBytes) await setImmediate()
}

async function readOther(
  exchange: Exchange,
  { bodyTypes }: HttpView<unknown>,
  body: Body,
  read: (body: SentBody) => Promise<Members>,
): Promise<Members> {
  if (bodyTypes !== undefined) checkMediaType(exchange, bodyTypes)
  return { ...(await read(await body.sent())) }
}

/** Without its parameters, in lower case; empty where none is named. */
const mediaTypeOf = (exchange: Exchange): string => exchange.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** `unsupported_media_type` names what to send. JSON has no charset but UTF-8, and no content coding is taken. */
function checkMediaType(exchange: Exchange, allowed: readonly string[]): void {
  const coding = exchange.header('content-encoding')
  if (coding !== undefined && coding !== 'identity') throw unsupported('Send the body without a `Content-Encoding`.')
  const [type = '', ...parameters] = (exchange.header('content-type') ?? '').toLowerCase().split(';')
  const base = type.trim()
  const isJson = base === 'application/json' || /^application\/[\w.-]+\+json$/.test(base)
  if (!allowed.includes(base) && !(isJson && allowed.includes('application/json'))) {
    throw unsupported(`Send the body as ${allowed.map((each) => `\`${each}\``).join(' or ')}, named in \`Content-Type\`.`)
  }
  const named = parameters.map((parameter) => parameter.split('=', 2).map((part) => part.trim()))
  const charset = named.find(([name]) => name === 'charset')?.[1]?.replace(/^"|"$/g, '')
  if (isJson && charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    throw unsupported('Send JSON in UTF-8; leave the charset out.')
}

function unsupported(detail: string): ServiceError {
  return new ServiceError('unsupported_media_type', detail)
}

type Kind = 'text' | 'number' | 'boolean' | 'list'

/** What each member of an object schema holds, read from its JSON Schema so that wrappers need not be known here. */
function memberKinds(schema: z.ZodType): Readonly<Record<string, Kind>> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const shapes = [json, ...(json.allOf ?? []), ...(json.anyOf ?? []), ...(json.oneOf ?? [])]
  const properties = shapes.flatMap((shape) => Object.entries(shape.properties ?? {}))
  return Object.fromEntries(properties.map(([name, property]) => [name, kindOf(property)]))
}

function kindOf(property: z.core.JSONSchema._JSONSchema): Kind {
  if (typeof property === 'boolean') return 'text'
  const types = [property, ...(property.anyOf ?? [])].map((each) => (typeof each === 'boolean' ? undefined : each.type))
  if (types.includes('array')) return 'list'
  if (types.includes('string')) return 'text'
  if (types.includes('number') || types.includes('integer')) return 'number'
  return types.includes('boolean') ? 'boolean' : 'text'
}

function queryMembers(query: string, kinds: Readonly<Record<string, Kind>>): Members {
  const members: Members = {}
  for (const [name, text] of new URLSearchParams(query)) {
    // Declared members only: whatever else the address carries is ignored, as unknown members of a body are.
    if (!Object.hasOwn(kinds, name)) continue
    if (text.includes('\0')) throw invalidInput([{ pointer: `#/${name}`, detail: 'must not hold U+0000.' }])
    const before = members[name]
    const values = kinds[name] === 'list' ? text.split(',').filter(Boolean) : undefined
    if (values !== undefined) members[name] = Array.isArray(before) ? before.concat(values) : values
    else if (before === undefined) members[name] = coerce(text, kinds[name])
    else throw invalidInput([{ pointer: `#/${name}`, detail: 'send it once.' }])
  }
  return members
}

/** Text that is not of the kind stays text, and the schema then says what to send. */
function coerce(text: string, kind: Kind | undefined): unknown {
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (kind === 'boolean' && /^(true|false|1|0)$/.test(text)) return text === 'true' || text === '1'
  return text
}

/**
 * Asks by the head alone whether the body is wanted: whose object it is for, and whether there is room. Not for a small JSON object, which
 * costs less than the question.
 */
function headAsker(operation: Operation, view: HttpView<unknown>): ((exchange: Exchange, call: Call) => Promise<void>) | undefined {
  const { before } = operation
  if (before === undefined) return undefined
  const shape = operation.input instanceof z.ZodObject ? operation.input.shape : {}
  const names = [...view.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const named = lazily(() => z.object(Object.fromEntries(names.map((name) => [name, shape[name] ?? z.string()]))))
  return async (exchange, call) => {
    if (view.readBody === undefined && exchange.isSmall) return
    await before(parseInput(named(), exchange.params()), call, { type: mediaTypeOf(exchange), sizeBytes: exchange.announced })
  }
}

export interface OperationTools extends ProblemTools {
  authenticate: Authenticate
  trackStream?: TrackStream
  limiter: Limiter
  hasRoomFor?: (bytes: number) => void
  idempotency: KeptAnswers
  clock: Clock
  cors: Cors
  feeds: Feeds
  completed: Completed
}

/** Headers that every answer carries, whatever produced it. */
export function commonHeaders(exchange: Exchange, cors: Cors): Record<string, string> {
  const headers: Record<string, string> = { 'X-Request-Id': exchange.requestId, 'X-Content-Type-Options': 'nosniff' }
  const origin = exchange.header('origin')
  if (origin !== undefined) Object.assign(headers, cors.headersFor(origin))
  if (exchange.trace !== undefined) headers['traceparent'] = traceparentOf(exchange.trace)
  return headers
}

const revoked = Buffer.from('event: closed\ndata: {"reason":"revoked"}\n\n')

/** The feed, ended with a word once the credential it was opened with is revoked. */
function revocable(feed: EventFeed, principal: Principal, { trackStream }: OperationTools): EventFeed {
  if (trackStream === undefined) return feed
  return {
    open(sink) {
      const opened = feed.open(sink)
      const forget = trackStream(principal, () => {
        sink.write(revoked)
        sink.close()
      })
      if (forget === undefined) return opened
      return {
        stop() {
          forget()
          opened.stop()
        },
      }
    },
  }
}

/** What it gives never throws. `shown` reads what this one changes: `If-Match` counts. */
export function operationRoute(
  operation: Operation,
  view: HttpView<unknown>,
  tools: OperationTools,
  shown?: Operation,
): (exchange: Exchange) => Promise<Response> {
  const read = inputReader(operation, view)
  const asked = headAsker(operation, view)
  const bodyMax = view.bodyMax ?? bodyMaxByDefault
  const isRead = view.method === 'GET'
  const isOpen = operation.access.type === 'open'
  const leaving = deprecationHeaders(operation)

  async function perform(exchange: Exchange, headers: Record<string, string>): Promise<Answer | Response> {
    const principal = await tools.authenticate(exchange.presented(isOpen, queryToken(exchange, view)))
    const key = view.method === 'POST' ? exchange.header('idempotency-key') : undefined
    const repeats = key !== undefined && repeatable(operation, view.method, principal) ? key : undefined
    if (repeats !== undefined) checkKey(repeats)
    /** What a repeat must send again. */
    let print: Uint8Array | string | undefined
    const owner = ownerOf(principal, exchange)
    const body: Body = {
      async bytes() {
        const bytes = await exchange.bytes(bodyMax, owner)
        print = bytes
        return bytes
      },
      async sent() {
        const file = exchange.isSmall ? SentFile.of(await exchange.bytes(bodyMax)) : await exchange.received(bodyMax, owner)
        if (repeats !== undefined) print = await file.sha256()
        return { type: mediaTypeOf(exchange), file, parts: () => partsOf(file, exchange.header('content-type') ?? '') }
      },
    }
    let sent: Members | undefined // Nothing was sent that could be passed over.
    const call = new HttpCall(exchange, principal)
    const invocation = {
      call,
      async read() {
        // A repeat is answered as the first time, whatever has become of what it was for.
        const isRepeat = async (sentKey: string) => tools.idempotency.isTaken(keyId(operation, principal, sentKey), call.now)
        if (view.readBody !== undefined && mayBeFile(principal) && mediaTypeOf(exchange) !== 'application/json')
          checkVerdict(await tools.limiter.consume('unclaimedUpload', call))
        if (view.isKept) tools.hasRoomFor?.(Number(exchange.header('content-length') ?? bodyMax))
        if (asked !== undefined && (repeats === undefined || !(await isRepeat(repeats)))) await asked(exchange, call)
        return read(exchange, body, (members) => (sent = members))
      },
      limiter: tools.limiter,
      onLimit: (limitHeaders: Readonly<Record<string, string>>) => void Object.assign(headers, limitHeaders),
    }
    const unread = passedOverBy(operation.input, operation.elsewhere)
    const answer = (result: unknown) => {
      const made = answerOf(operation, view, result, exchange.header('accept'))
      return sent === undefined ? made : withWarnings(made, (shown) => unread(sent, shown))
    }
    if (repeats !== undefined) {
      const fingerprint = () => sha256(exchange.path, exchange.queryText ?? '', print ?? '')
      const onUnkept = (err: unknown) =>
        tools.log.error(
          { requestId: exchange.requestId, route: view.path, err },
          'The answer to a call with an `Idempotency-Key` was not kept',
        )
      const once = onlyOnce(operation, { key: repeats, fingerprint, answer, onUnkept }, tools.idempotency, tools.clock)
      // `onlyOnce` gives a handler whose result is the Answer itself.
      return (await invoke(once, invocation)) as Answer
    }
    const ifMatch = exchange.header('if-match')
    if (shown !== undefined && ifMatch !== undefined)
      return answer(await invoke(ifUnchanged(operation, shown, ifMatch, exchange, tools), invocation))
    const result = await invoke(operation, invocation)
    if (view.feed === undefined) return isRead ? revalidated(answer(result), exchange.header('if-none-match')) : answer(result)
    const feed = view.view && exchange.header('accept')?.startsWith('application/json') ? undefined : view.feed(result)
    if (feed === undefined) return answer(result)
    if (exchange.method === 'HEAD') {
      feed.discard?.()
      return { status: 200, headers: { ...feedHeaders }, body: null }
    }
    return tools.feeds.open(exchange, revocable(feed, principal, tools), headers)
  }

  return async (exchange) => {
    const headers = Object.assign(commonHeaders(exchange, tools.cors), leaving)
    let answer: Answer | Response
    try {
      answer = await perform(exchange, headers)
    } catch (error) {
      const visible = namesNothing(visibleError(error, exchange.requestId, view.path, tools.log), exchange)
      answer = problemAnswer(visible, exchange.requestId, tools)
    } finally {
      exchange.release()
    }
    tools.completed(exchange, view.path, answer.status)
    if (answer instanceof Response) return answer
    const { status, body } = answer
    if (headers['Vary'] !== undefined && answer.headers['Vary'] !== undefined) answer.headers['Vary'] += `, ${headers['Vary']}`
    Object.assign(headers, answer.headers)
    if (isRead && !operation.secret && mayCompress(answer, exchange)) return compressed(exchange, new Response(body, { status, headers }))
    if (body !== null && exchange.method === 'HEAD') headers['Content-Length'] = String(Buffer.byteLength(body))
    else if (body === null && status !== 204 && status !== 304) headers['Content-Length'] = '0'
    return new Response(body, { status, headers })
  }
}

const noBody: Body = {
  bytes: async () => new Uint8Array(),
  sent: () => Promise.reject(new Error('A read has no body.')),
}

/**
 * `shown` is read by the same caller, and its `ETag` must be the one sent. Changes that say what they were made of wait for each other, so
 * that of many with one `ETag` one is made.
 */
function ifUnchanged(operation: Operation, shown: Operation, ifMatch: string, exchange: Exchange, tools: OperationTools): Operation {
  const handle: Operation['handle'] = async (input, call) => {
    admit(shown.access, call, tools.limiter)
    const view = shown.http
    const wanted = view && parseInput(shown.input, await inputReader(shown, view)(exchange, noBody))
    const present = view && revalidated(answerOf(shown, view, await shown.handle(wanted, call), undefined), undefined).headers['ETag']
    if (present !== undefined && matches(ifMatch, present)) return operation.handle(input, call)
    throw new ServiceError('precondition_failed', 'It was changed meanwhile. Read it again, and send your change with the new `ETag`.')
  }
  const name = `if-match ${exchange.path}`
  return { ...operation, handle: (input, call) => oneByOne(name, () => handle(input, call), tools.idempotency, tools.clock) }
}

/**
 * A class for its one getter: `signal` is made when it is first read, and most operations never do. A getter in a literal would
 * give every call a hidden class of its own, which outlives the request until the next full collection.
 */
class HttpCall implements Call {
  readonly principal: Principal
  readonly now: number
  readonly requestId: string
  readonly address: string
  doneIn: Call['doneIn']
  readonly #exchange: Exchange

  constructor(exchange: Exchange, principal: Principal) {
    this.principal = principal
    this.now = exchange.now
    this.requestId = exchange.requestId
    this.address = exchange.address
    this.#exchange = exchange
  }

  get signal(): AbortSignal {
    return this.#exchange.request.signal
  }
}

/** Files of agents that nobody has claimed are counted once more. */
const mayBeFile = (principal: Principal): boolean => 'isUnclaimed' in principal

/** Against whom it counts what is held for a call. */
function ownerOf(principal: Principal, { address }: Exchange): string {
  if (principal.kind === 'attendee') return principal.attendeeId
  return actsForAccount(principal) ? principal.accountId : address
}

/** Credentials in an address end in logs and histories: only the attendee's token may travel there, where a route says so. */
function queryToken(exchange: Exchange, view: HttpView<unknown>): string | undefined {
  const query = exchange.queryText
  if (query === undefined || !query.includes('token')) return undefined
  const parameters = new URLSearchParams(query)
  if (parameters.has('access_token')) {
    throw invalidInput([{ pointer: '#/access_token', detail: 'send the credential in the `Authorization` header, never in the address.' }])
  }
  return view.tokenInQuery ? (parameters.get('token') ?? undefined) : undefined
}
