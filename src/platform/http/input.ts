// Gathers the raw input of an operation: members of the path and the query as text, brought to the type the schema asks
// for, over the members of the body. The schema itself decides what is valid.
import { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { parseJson } from '../json-body.ts'
import { lazily } from '../lazily.ts'
import type { HttpView, Operation } from '../operation.ts'
import { invalidInput } from '../parse.ts'
import type { Exchange } from './exchange.ts'

export const bodyMaxByDefault = 1_048_576

type Members = Record<string, unknown>

/** Reads the body as bytes; the caller may want them for more than parsing. */
export type ReadBody = () => Promise<Uint8Array>

/** The raw input of `operation`. Called after the credential, the scope and the limit have passed. */
export function inputReader(operation: Operation, view: HttpView<unknown>): (exchange: Exchange, body: ReadBody) => Promise<Members> {
  const kinds = lazily(() => memberKinds(operation.input))
  const headers = Object.entries(view.headerMembers ?? {})
  const hasPath = view.path.includes('{')
  const takesJson = view.method !== 'GET' && view.method !== 'DELETE' && view.readBody === undefined
  const takesQuery = !takesJson
  return async (exchange, body) => {
    const members = view.readBody ? await readOther(exchange, view, body, view.readBody) : takesJson ? await readJson(exchange, body) : {}
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

async function readJson(exchange: Exchange, body: ReadBody): Promise<Members> {
  const bytes = await body()
  if (bytes.length === 0) return {}
  checkMediaType(exchange, ['application/json'])
  const value = parseJson(bytes)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalidInput([{ pointer: '#', detail: 'send a JSON object.' }])
}

async function readOther(
  exchange: Exchange,
  view: HttpView<unknown>,
  body: ReadBody,
  read: (request: Request) => Promise<Members>,
): Promise<Members> {
  if (view.bodyTypes !== undefined) checkMediaType(exchange, view.bodyTypes)
  const headers = new Headers()
  for (const name of ['content-type', 'content-disposition', 'content-language']) {
    const value = exchange.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  const bytes = await body()
  return { ...(await read(new Request('http://body.invalid/', { method: 'POST', headers, body: new Uint8Array(bytes) }))) }
}

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
