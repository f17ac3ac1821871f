// One fresh protocol server for each request, with our own handlers over constants: the library's registration would convert
// every schema and parse every input a second time. Instances are never reused; shared ones have leaked answers between clients.
import {
  type JSONRPCMessage,
  type JSONRPCResultResponse,
  ProtocolError,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server'
import { detailOf, type ErrorCode, isServiceError, type ServiceError } from '@rostrum/base/errors'
import { type Call, invoke, type Limiter, type Operation, type ToolView } from '../platform/operation.ts'
import { type PassedOver, passedOverBy, sentenceOf } from '../platform/parse.ts'
import { type AccountPrincipal, actsForAccount, type Principal } from '../platform/principal.ts'
import type { Answer } from '../platform/http/exchange.ts'
import type { Catalogue } from './catalogue.ts'
import type { SessionNames } from './resources.ts'
import { type Content, furtherContent } from './a2ui.ts'

// Completes prompt arguments: the caller's own session ids, and short lists where an answer is a matter of taste.

const valuesMax = 20

const suggestions: Readonly<Record<string, readonly string[]>> = {
  targetAudience: ['customers', 'developers', 'executives', 'new colleagues', 'partners', 'prospects', 'students'],
  ctaGoal: ['book a demo', 'contact sales', 'download the guide', 'join the community', 'start a trial', 'subscribe'],
}

export interface Completion {
  values: readonly string[]
  total: number
  hasMore: boolean
}

interface Wanted {
  ref: { type: string; name?: string; uri?: string }
  argument: { name: string; value: string }
}

/** Completes one argument of a prompt or the part of a resource; what cannot be completed gives an empty list. */
async function complete(
  { ref, argument: { name, value } }: Wanted,
  { promptOf, partsOf }: Catalogue,
  sessions: SessionNames,
  caller: AccountPrincipal | undefined,
): Promise<Completion> {
  const wanted = value.trim().toLowerCase()
  const among = (values: readonly string[]) => {
    const fitting = values.filter((each) => each.includes(wanted))
    return { values: fitting.slice(0, valuesMax), total: fitting.length, hasMore: fitting.length > valuesMax }
  }
  if (ref.type === 'ref/resource')
    return among(
      name === 'part'
        ? [
            ...(partsOf
              .get(ref.uri ?? '')?.()
              .keys() ?? []),
          ]
        : [],
    )
  const isAsked = promptOf.get(ref.name ?? '')?.arguments.some((each) => each.name === name) === true
  if (!isAsked || name !== 'sessionId') return among(isAsked ? (suggestions[name] ?? []) : [])
  if (caller?.scopes.includes('sessions:read') !== true) return among([])
  const { ids, total } = await sessions.find(caller, value, valuesMax)
  return { values: ids, total, hasMore: total > ids.length }
}

// What a tool call answers: the data and its text twin, or words that name the next step. Text of callers and attendees is
// never echoed in an error, because a model reads it.

export interface ToolResult {
  [member: string]: unknown
  content: Content[]
  structuredContent?: Record<string, unknown>
  isError?: true
  _meta?: Record<string, unknown>
}

/** What the tool shows of the call: of its own operation, or of those that it is instead; with a key, of the first call that had it. */
async function shownBy(
  operation: Operation,
  tool: ToolView<unknown>,
  sent: Readonly<Record<string, unknown>>,
  act: (target: Operation, input: object) => Promise<unknown>,
  { catalogue, once }: BuildOptions,
): Promise<unknown> {
  const others = tool.instead?.of(sent)
  if (tool.instead !== undefined && others !== undefined) {
    let last: unknown
    for (const { name, input } of others) {
      const target = catalogue.every.get(name)
      if (target === undefined) throw new Error(`There is no operation ${name}.`)
      last = await act(target, input)
    }
    return tool.instead.view(last, sent)
  }
  const key = tool.repeatKey === undefined ? undefined : sent[tool.repeatKey]
  if (typeof key !== 'string') return tool.view(await act(operation, sent))
  const written = (result: unknown) => ({ status: 200, headers: {}, body: JSON.stringify(tool.view(result)) })
  const { body } = (await act(once(operation, key, JSON.stringify(sent), written), sent)) as Answer
  return JSON.parse(body ?? '{}')
}

/** What is shown, and the same JSON as text, byte for byte and first; then what `further` adds. */
async function toolResult(
  view: unknown,
  passedOver: readonly PassedOver[],
  further: (data: Record<string, unknown>) => readonly Content[],
): Promise<ToolResult> {
  // A tool's output schema is an object. Members that are undefined go with the writing of the whole, as they go from the twin.
  const shown = (await view) as Record<string, unknown>
  const own = Array.isArray(shown['warnings']) ? (shown['warnings'] as unknown[]) : []
  const structuredContent = passedOver.length === 0 ? shown : { ...shown, warnings: [...own, ...passedOver] }
  const text = JSON.stringify(structuredContent)
  return { content: [{ type: 'text', text }, ...further(structuredContent)], structuredContent }
}

const retryable: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'temporarily_unavailable', 'run_state'])

const nextStep: Partial<Record<ErrorCode, string>> = {
  not_found: 'Call list_sessions or discover_sessions to see the ids that exist.',
  rate_limited: 'The same call works then.',
  invalid_request: 'Correct it and call again.',
  url_not_allowed: 'Use a public https address and call again.',
}

/** Words that name a tool say the next step themselves. */
const namesTool = /\b(?:list|discover|create)_sessions?\b/

/** A refusal as a tool result: one text block, and the code with its pointers under `_meta`. */
function toolError(error: ServiceError, principal: Principal, baseUrl: string): ToolResult {
  const { code, extra } = error
  const message = detailOf(error, baseUrl)
  const usual = nextStep[code] ?? (retryable.has(code) ? 'Try again later.' : '')
  const step = isToClaim(error, principal) ? claimWords(baseUrl) : namesTool.test(message) ? '' : usual
  const others = (extra.errors ?? []).slice(1).map(sentenceOf)
  return {
    content: [{ type: 'text', text: [message, ...others, step].filter((part) => part !== '').join(' ') }],
    isError: true,
    _meta: { 'x-rostrum/error': { code, retryable: retryable.has(code), ...(extra.errors === undefined ? {} : { errors: extra.errors }) } },
  }
}

/** What a claim by a person mends. */
function isToClaim({ code }: ServiceError, principal: Principal): boolean {
  return 'isUnclaimed' in principal && code === 'insufficient_scope'
}

const claimWords = (baseUrl: string) =>
  `Give your person the claim_uri of your registration: GET ${baseUrl}/api/v1/auth/registration with your token shows it.`

const invalidParams = -32602
const internalError = -32603

/** The facts of one exchange, beside what the protocol carries. */
export interface McpCall extends Omit<Call, 'signal'> {
  /** Its signal says that the client has gone; absent on standard input and output. */
  request?: { readonly signal: AbortSignal }
  /** Methods of the body, so that only their handlers are installed; empty installs all. */
  methods: readonly string[]
  /** The client takes no stream, so that it cannot be told of progress. */
  isDeaf?: boolean
  /** Why a tool may not be called now; its result says so. */
  refusal?: ServiceError | undefined
}

export interface BuildOptions {
  /** Without a trailing slash. */
  baseUrl: string
  catalogue: Catalogue
  sessions: SessionNames
  /** Progress of a slow tool: its steps in order, sent while it runs. */
  progressOf: (tool: string) => readonly string[]
  onBug: (error: unknown, call: McpCall) => void
  /** The operation, whose handler gives an Answer and runs once for each key of its caller. */
  once(operation: Operation, key: string, body: string, written: (result: unknown) => Answer): Operation
}

/** The route has consumed the limit before the library sees the request. */
const passed: Limiter = { consume: async () => ({ allowed: true, headers: {} }) }

type Install = (low: Server, call: McpCall, options: BuildOptions) => void

const noCursor = (params: { cursor?: string | undefined } | undefined, list: string) => {
  if (params?.cursor !== undefined) throw new ProtocolError(invalidParams, `${list} has one page: leave \`cursor\` out.`)
}

/** A refusal where the protocol has no result for one: the code is the HTTP status, as of a refusal before the library. */
function inProtocol(error: unknown): never {
  if (!isServiceError(error)) throw error
  throw new ProtocolError(error.status, error.message, { code: error.code, retryable: retryable.has(error.code) })
}

/** Aborts a slow call when its client cancels or has gone. */
function goneSignal({ request }: McpCall, cancelled: AbortSignal): AbortSignal {
  return request === undefined ? cancelled : AbortSignal.any([request.signal, cancelled])
}

// The casts below hand the library constants that the catalogue has made from the same declarations; its result types list
// members one by one, and the conformance suites check the shapes on the wire.
const handlers: Readonly<Record<string, Install>> = {
  'tools/list': (low, _, { catalogue }) =>
    low.setRequestHandler('tools/list', ({ params }) => {
      noCursor(params, 'tools/list')
      return { tools: catalogue.tools } as never
    }),
  'resources/list': (low, _, { catalogue }) =>
    low.setRequestHandler('resources/list', ({ params }) => {
      noCursor(params, 'resources/list')
      return { resources: catalogue.resources }
    }),
  'resources/templates/list': (low, _, { catalogue }) =>
    low.setRequestHandler('resources/templates/list', ({ params }) => {
      noCursor(params, 'resources/templates/list')
      return { resourceTemplates: catalogue.templates }
    }),
  'prompts/list': (low, _, { catalogue }) =>
    low.setRequestHandler('prompts/list', ({ params }) => {
      noCursor(params, 'prompts/list')
      return { prompts: catalogue.prompts } as never
    }),
  'resources/read': (low, _, { catalogue }) =>
    low.setRequestHandler('resources/read', ({ params }) => {
      const resource = catalogue.read(params.uri)
      if (resource === undefined) {
        const words = 'There is no such resource: see resources/list, and service://docs/spec for the parts of the specification.'
        throw new ProtocolError(invalidParams, words, { uri: params.uri })
      }
      const { uri, mimeType, meta } = resource
      return { contents: [{ uri, mimeType, text: resource.text(), ...(meta === undefined ? {} : { _meta: meta }) }] }
    }),
  'prompts/get': (low, call, { catalogue }) =>
    low.setRequestHandler('prompts/get', async ({ params }) => {
      const prompt = catalogue.promptOf.get(params.name)
      if (prompt === undefined) throw new ProtocolError(invalidParams, 'There is no such prompt: see prompts/list.')
      const values = params.arguments ?? {}
      for (const { name, required } of prompt.arguments) {
        if (required && (values[name] ?? '').trim() === '') throw new ProtocolError(invalidParams, `The argument \`${name}\` is required.`)
      }
      return { description: prompt.description, messages: [...(await prompt.render(values, call.principal).catch(inProtocol))] }
    }),
  'completion/complete': (low, call, { catalogue, sessions }) =>
    low.setRequestHandler('completion/complete', async ({ params }) => {
      const caller = actsForAccount(call.principal) ? call.principal : undefined
      const completion = await complete(params, catalogue, sessions, caller).catch(inProtocol)
      return { completion: { ...completion, values: [...completion.values] } }
    }),
  'tools/call': (low, call, options) =>
    low.setRequestHandler('tools/call', async ({ params }, context) => {
      const operation = options.catalogue.operations.get(params.name)
      if (operation?.tool === undefined) throw new ProtocolError(invalidParams, 'There is no such tool: see tools/list.')
      const { principal, now, requestId, address, refusal } = call
      const refused = (error: ServiceError) => toolError(error, principal, options.baseUrl) as never
      if (refusal !== undefined) return refused(refusal)
      const steps = options.progressOf(operation.name)
      const progress = call.isDeaf === true ? undefined : progressFor(context, steps)
      progress?.tell(1)
      const signal = steps.length === 0 ? context.mcpReq.signal : goneSignal(call, context.mcpReq.signal)
      try {
        const sent = params.arguments ?? {}
        const act = (target: Operation, input: object) =>
          invoke(target, {
            call: { principal, now, requestId, address, signal, ...(progress && { progress: progress.tell }) },
            read: () => input,
            limiter: passed,
          })
        const shown = await shownBy(operation, operation.tool, sent, act, options)
        await progress?.sent()
        const { name, _meta: meta } = params
        const unread = passedOverBy(operation.tool.input ?? operation.input)(sent)
        return (await toolResult(shown, unread, (data) => furtherContent(name, data, meta, options.baseUrl))) as never
      } catch (error) {
        await progress?.sent()
        if (isServiceError(error)) return refused(error)
        // Nobody reads the answer to a call that was given up, and stopping it is no fault.
        if (!signal.aborted) options.onBug(error, call)
        throw new ProtocolError(internalError, 'Internal error', { requestId: call.requestId })
      }
    }),
}

/** Builds the server of one exchange (or, on stdio, of one connection). */
export function buildServer(call: McpCall, options: BuildOptions): PlainServer {
  const { info, instructions, capabilities, cacheHints, discovery } = options.catalogue
  const server = new PlainServer(info, {
    instructions,
    // The library passes members it does not know through, in both eras.
    capabilities,
    cacheHints,
  })
  const wanted = call.methods.length === 0 ? Object.keys(handlers) : call.methods
  for (const method of new Set(wanted)) if (Object.hasOwn(handlers, method)) handlers[method]?.(server, call, options)
  server.discovery = discovery
  return server
}

// `notifications/progress` of a slow tool (spec 4.5): its steps by name, in order, all sent before the result.

export interface Progress {
  /** Tells step 1, 2, ...; one that was told, or an earlier one, is not told again. */
  tell(step: number): void
  /** Resolves when everything told has been sent. Never rejects: a client that does not listen loses only this. */
  sent(): Promise<void>
}

/** Undefined where the request has no progress token, or the tool is not slow. */
function progressFor({ mcpReq }: ServerContext, steps: readonly string[]): Progress | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined || steps.length === 0) return undefined
  let told = 0
  let sending = Promise.resolve()
  return {
    tell(step) {
      const message = steps[step - 1]
      if (message === undefined || step <= told) return
      told = step
      const params = { progressToken, progress: step, total: steps.length, message }
      sending = sending.then(() => mcpReq.notify({ method: 'notifications/progress', params })).catch(() => undefined)
    },
    sent: () => sending,
  }
}

// What the protocol library says of a request with members of the wrong type is a dump of its schema's findings, some of it under
// the code of an internal error. Here it becomes words that say which member to mend; and a member that is null counts as left out,
// because some clients cannot leave one out.

const dump = /^(?:Invalid \S+ request: )?(\[\s*\{[\s\S]*\}\s*\])$/

/** The library's server, on any transport of it: it takes no null amiss, sends no dump of a schema, and describes itself as we do. */
class PlainServer extends Server {
  /** The result of `server/discover`: the library's own, which it puts in place of any handler, lists no resources and no metadata. */
  discovery: JSONRPCResultResponse['result'] | undefined

  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport)
    const { onmessage: receive, onclose: end } = transport
    const send = transport.send.bind(transport)
    const discovering = new Set<unknown>()
    const open = new Set<unknown>()
    // The transport of the library has one handler, which is a member.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    transport.onmessage = (message, extra) => {
      if ('method' in message && 'id' in message) {
        open.add(message.id)
        if (message.method === 'server/discover') discovering.add(message.id)
      }
      receive?.(withoutNulls(message), extra)
    }
    transport.send = (message, options) => {
      const { discovery } = this
      if ('id' in message && !('method' in message)) open.delete(message.id)
      const isDiscovery = discovery !== undefined && 'result' in message && discovering.delete(message.id)
      return send(isDiscovery ? { ...message, result: discovery } : inWords(message), options)
    }
    // The end of an exchange that was answered is nobody's fault: the library would make an error of it and abort what has finished.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    transport.onclose = () => (open.size === 0 ? this.onclose?.() : end?.())
  }
}

function withoutNulls(message: JSONRPCMessage): JSONRPCMessage {
  if (!('params' in message) || message.params === undefined) return message
  const members = Object.entries(message.params)
  const kept = members.filter(([, value]) => value !== null)
  return kept.length === members.length ? message : { ...message, params: Object.fromEntries(kept) }
}

function inWords(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message
  const findings = dump.exec(message.error.message)?.[1]
  if (findings === undefined) return message
  return { ...message, error: { code: invalidParams, message: wordsOf(findings) } }
}

/** `params.name: expected string, received undefined`, for each finding of the dump. */
function wordsOf(findings: string): string {
  const parsed = findingsIn(findings).slice(0, 3)
  const lines = parsed.map(({ path = [], message = '' }) => {
    const member = path.length === 0 ? 'the request' : `\`${path.join('.')}\``
    return `${member}: ${message.replace(/^Invalid input: /, '') || 'not of a shape that is known'}`
  })
  return `The parameters are not valid. ${lines.join('; ')}. Mend ${lines.length === 1 ? 'it' : 'them'} and send the request again.`
}

function findingsIn(text: string): { path?: (string | number)[]; message?: string }[] {
  try {
    // The library's own schema has written it.
    return JSON.parse(text) as { path?: (string | number)[]; message?: string }[]
  } catch {
    return [{}]
  }
}
