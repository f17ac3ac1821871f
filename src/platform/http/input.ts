// The raw input of an operation, and what is asked before its body is read.
import { z } from 'zod'
import { ServiceError } from '../errors.ts'
import type { Call, HttpView, Operation } from '../operation.ts'
import { invalidInput, parseInput, parseJson } from '../parse.ts'
import type { SentBody } from '../sent-file.ts'
import { lazily } from '../work.ts'
import type { Exchange } from './exchange.ts'

// Gathers the raw input of an operation: members of the path and the query as text, brought to the type the schema asks
// for, over the members of the body. The schema itself decides what is valid.

type Members = Record<string, unknown>

/** Reads the body, as bytes or as a file; the caller may want it for more than parsing. */
export interface Body {
  bytes(): Promise<Uint8Array>
  sent(): Promise<SentBody>
}

/** The raw input of `operation`. Called after the credential, the scope and the limit have passed. */
export function inputReader(
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
  const value = parseJson(bytes)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalidInput([{ pointer: '#', detail: 'send a JSON object.' }])
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
export const mediaTypeOf = (exchange: Exchange): string => exchange.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''

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
  const charset = parameters
    .map((parameter) => parameter.split('=', 2).map((part) => part.trim()))
    .find(([name]) => name === 'charset')?.[1]
    ?.replace(/^"|"$/g, '')
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
export function headAsker(operation: Operation, view: HttpView<unknown>): ((exchange: Exchange, call: Call) => Promise<void>) | undefined {
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
