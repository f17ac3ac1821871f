// One fresh protocol server for each request, with our own handlers over constants: the library's registration would convert
// every schema and parse every input a second time. Instances are never reused; shared ones have leaked answers between clients.
import type { Server } from '@modelcontextprotocol/server'
import { ProtocolError } from '@modelcontextprotocol/server'
import { isServiceError } from '../platform/errors.ts'
import { authorize, type Call, invoke, type Limiter, type Operation } from '../platform/operation.ts'
import { actsForAccount } from '../platform/principal.ts'
import type { Catalogue } from './catalogue.ts'
import type { SessionNames } from './documents.ts'
import { complete } from './completions.ts'
import type { FurtherSettings } from './further-content.ts'
import { furtherContent } from './further-content.ts'
import { PlainServer } from './plain-words.ts'
import { progressFor } from './progress.ts'
import { toolError, toolResult } from './results.ts'

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
}

export interface BuildOptions extends FurtherSettings {
  catalogue: Catalogue
  sessions: SessionNames
  /** Progress of a slow tool: its steps in order, sent while it runs. */
  progressOf: (tool: string) => readonly string[]
  onBug: (error: unknown, call: McpCall) => void
}

/** The route has consumed the limit before the library sees the request. */
const passed: Limiter = { consume: async () => ({ allowed: true, headers: {} }) }

type Install = (low: Server, call: McpCall, options: BuildOptions) => void

const noCursor = (params: { cursor?: string | undefined } | undefined, list: string) => {
  if (params?.cursor !== undefined) throw new ProtocolError(invalidParams, `${list} has one page: leave \`cursor\` out.`)
}

/** Aborts a slow call when its client cancels or has gone. */
function goneSignal({ request }: McpCall, cancelled: AbortSignal): AbortSignal {
  return request === undefined ? cancelled : AbortSignal.any([request.signal, cancelled])
}

/** A refusal with the status of HTTP as its code, as the route answers it. */
function gate(access: Operation['access'], call: McpCall): void {
  try {
    authorize(access, call.principal)
  } catch (error) {
    if (!isServiceError(error)) throw error
    throw new ProtocolError(error.status, error.message, { code: error.code, ...error.extra.members })
  }
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
      return { resources: catalogue.resources } as never
    }),
  'resources/templates/list': (low) =>
    low.setRequestHandler('resources/templates/list', ({ params }) => {
      noCursor(params, 'resources/templates/list')
      return { resourceTemplates: [] }
    }),
  'prompts/list': (low, _, { catalogue }) =>
    low.setRequestHandler('prompts/list', ({ params }) => {
      noCursor(params, 'prompts/list')
      return { prompts: catalogue.prompts } as never
    }),
  'resources/read': (low, _, { catalogue }) =>
    low.setRequestHandler('resources/read', ({ params }) => {
      const resource = catalogue.resourceOf.get(params.uri)
      if (resource === undefined) {
        throw new ProtocolError(invalidParams, 'There is no such resource: see resources/list.', { uri: params.uri })
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
      return { description: prompt.description, messages: [...(await prompt.render(values, call.principal))] }
    }),
  'completion/complete': (low, call, { catalogue, sessions }) =>
    low.setRequestHandler('completion/complete', async ({ params }) => {
      const caller = actsForAccount(call.principal) ? call.principal : undefined
      const completion = await complete(params.ref, params.argument, catalogue.promptOf, sessions, caller)
      return { completion: { ...completion, values: [...completion.values] } }
    }),
  'tools/call': (low, call, options) =>
    low.setRequestHandler('tools/call', async ({ params }, context) => {
      const operation = options.catalogue.operations.get(params.name)
      if (operation?.tool === undefined) throw new ProtocolError(invalidParams, 'There is no such tool: see tools/list.')
      // The route has asked before; on standard input and output this is the gate.
      gate(operation.access, call)
      const steps = options.progressOf(operation.name)
      const progress = call.isDeaf === true ? undefined : progressFor(context, steps)
      progress?.tell(1)
      const { principal, now, requestId, address } = call
      const signal = steps.length === 0 ? context.mcpReq.signal : goneSignal(call, context.mcpReq.signal)
      try {
        const result = await invoke(operation, {
          call: { principal, now, requestId, address, signal, ...(progress && { progress: progress.tell }) },
          read: () => params.arguments ?? {},
          limiter: passed,
        })
        await progress?.sent()
        const { name, _meta: meta } = params
        // A model is asked for those that somebody vouches for.
        const further = 'isUnclaimed' in principal ? { ...options, layouts: null } : options
        return (await toolResult(operation.tool, result, (data) => furtherContent(name, data, meta, further))) as never
      } catch (error) {
        await progress?.sent()
        if (isServiceError(error)) return toolError(error) as never
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
