// One operation as a section of its page, in Markdown: who may call it, what it takes and gives, its errors, and an example.
import { errorTable } from '@rostrum/base/errors'
import type { HttpView, Operation } from '../platform/operation.ts'
import { type JsonSchema, jsonSchemaOf, sampleOf } from '@rostrum/contract/members'
import { inputShape, type Member, membersOf } from './input-shape.ts'
import { codesOf, wordsOf } from './openapi.ts'

export function operationSection(operation: Operation, operations: readonly Operation[], baseUrl: string): string {
  const { http, tool } = operation
  return [
    `## ${operation.summary} {#${operation.name}}`,
    ...(http === undefined ? [] : [`\`${http.method} ${http.path}\``]),
    wordsOf(operation),
    `${whoMayCall(operation)} Rate limit: \`${operation.limit}\`.${tool === undefined ? '' : ` Tool: \`${operation.name}\`.`}`,
    ...(http === undefined ? [] : [takes(operation, http), gives(operation, http)]),
    errorsOf(operation, operations),
    // A person signed in has a cookie, which nobody pastes.
    ...(http === undefined || operation.access.type === 'sign_in' ? [] : [curl(operation, http, baseUrl)]),
    ...(tool === undefined ? [] : [toolCall(operation)]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function whoMayCall({ access }: Operation): string {
  const scopes = access.scopes.map((scope) => `\`${scope}\``).join(' and ')
  switch (access.type) {
    case 'open':
      return 'Anybody may call this, without a credential.'
    case 'credential':
      return 'Any valid credential may call this, an anonymous agent’s too.'
    case 'scopes':
      return `Needs ${scopes}.`
    case 'attendee':
      return 'For the attendee of the run, with the token from joining.'
    case 'attendee_or_scopes':
      return `For the attendee of the run, or a credential of the owner with ${scopes === '' ? 'any scope' : scopes}.`
    case 'sign_in':
      return 'For a person signed in to the dashboard; bearer credentials are refused.'
  }
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return rows.length === 0 ? '' : [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const nameOf = ({ name, required }: Member) => `\`${name}\`${required ? '' : ' (optional)'}`

function takes(operation: Operation, view: HttpView<unknown>): string {
  const { path, query, header, body } = inputShape(operation, view)
  const row = (place: string) => (member: Member) => {
    const words = [member.schema.description ?? '', boundsOf(member.schema)].filter((part) => part !== '').join(' ')
    return [nameOf(member), place, typeOf(member.schema), words.replaceAll('|', '\\|')]
  }
  const rows = [
    ...path.map((member) => row('path')({ ...member, required: true })),
    ...query.map(row('query')),
    ...header.map((member) => row('header')({ ...member, name: member.header })),
    ...(body === undefined ? [] : membersOf(body).map(row('body'))),
  ]
  const types = (view.bodyTypes ?? ['any type']).map((type) => `\`${type}\``).join(' or ')
  const upload = view.readBody === undefined ? '' : `The body is ${types}.`
  return [upload, table(['Member', 'In', 'Type', ''], rows)].filter((part) => part !== '').join('\n\n')
}

/** The type in words: `string`, `array of object`, `"a" or "b"`. */
export function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `array of ${schema.items === undefined ? 'anything' : typeOf(schema.items)}`
  if (schema.type === 'object' && schema.properties !== undefined)
    return `object (${Object.keys(schema.properties)
      .map((name) => `\`${name}\``)
      .join(', ')})`
  const type = typeof schema.type === 'object' ? schema.type.join(' or ') : schema.type
  return schema.format === undefined ? (type ?? 'anything') : `${type ?? 'string'} (${schema.format})`
}

function boundsOf(schema: JsonSchema): string {
  const parts: string[] = []
  if (schema.default !== undefined) parts.push(`Default \`${JSON.stringify(schema.default)}\`.`)
  if (schema.maxLength !== undefined) parts.push(`At most ${schema.maxLength.toLocaleString('en')} characters.`)
  if (schema.maxItems !== undefined) parts.push(`At most ${schema.maxItems.toLocaleString('en')} elements.`)
  const largest = schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER ? schema.maximum : undefined
  const smallest = schema.minimum !== undefined && schema.minimum > Number.MIN_SAFE_INTEGER ? schema.minimum : undefined
  if (smallest !== undefined && largest !== undefined) parts.push(`${smallest} to ${largest}.`)
  return parts.join(' ')
}

function gives(operation: Operation, view: HttpView<unknown>): string {
  const others = [...Object.keys(view.formats ?? {}), ...(view.feed === undefined ? [] : ['text/event-stream'])]
  const also = others.length === 0 ? '' : ` By \`Accept\` also ${others.map((type) => `\`${type}\``).join(', ')}.`
  if (view.output === undefined) return also === '' ? '' : `Answers${also.replace(' By', ' by')}`
  const table = memberTable(jsonSchemaOf(view.output, 'output', operation.name))
  return table === '' ? also.trim() : `Answers with:${also}\n\n${table}`
}

/** What is sent, member by member; empty where it has none. */
export const memberTable = (sent: JsonSchema): string =>
  table(
    ['Member', 'Type', ''],
    membersOf(sent).map((member) => [nameOf(member), typeOf(member.schema), member.schema.description ?? '']),
  )

function errorsOf(operation: Operation, operations: readonly Operation[]): string {
  const links = codesOf(operation, operations).map((code) => `[${code}](/docs/errors#${code}) (${errorTable[code].status})`)
  return `Errors: ${links.join(', ')}.`
}

function curl(operation: Operation, view: HttpView<unknown>, baseUrl: string): string {
  const shape = inputShape(operation, view)
  const byName = new Map(shape.path.map(({ name, schema }) => [name, String(sampleOf(schema))]))
  const path = view.path.replace(/\{(\w+)\}/g, (_, name: string) => byName.get(name) ?? name)
  // Addresses of this very service are its own.
  const own = (sample: unknown) => JSON.stringify(sample).replaceAll('https://talks.example.com', baseUrl)
  const required = shape.query
    .filter((member) => member.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(own(sampleOf(schema)).replaceAll('"', ''))}`)
  const words = [
    `curl ${view.method === 'GET' ? '' : `-X ${view.method} `}'${baseUrl}${path}${required.length > 0 ? `?${required.join('&')}` : ''}'`,
  ]
  const token = operation.access.type.startsWith('attendee')
    ? 'ATTENDEE_TOKEN'
    : operation.errors.includes('not_an_agent')
      ? 'AGENT_TOKEN'
      : 'ROSTRUM_API_KEY'
  if (operation.access.type !== 'open') words.push(`-H 'Authorization: Bearer '"$${token}"`)
  const types = view.readBody === undefined ? [] : (view.bodyTypes ?? [])
  const raw = ['audio/wav', 'video/webm'].find((type) => types.includes(type))
  if (shape.body !== undefined)
    words.push(`-H 'Content-Type: application/json'`, `-d '${own(sampleOf(shape.body)).replaceAll("'", String.raw`'\''`)}'`)
  else if (raw !== undefined)
    words.push(`-H 'Content-Type: ${raw}'`, `--data-binary '@${raw.startsWith('audio/') ? 'question.wav' : 'film.webm'}'`)
  else if (types.length > 0) words.push(`-F 'file=@${types.includes('application/pdf') ? 'deck.pdf' : 'picture.png'}'`)
  return ['```sh', words.join(' \\\n  '), '```'].join('\n')
}

function toolCall(operation: Operation): string {
  const schema = jsonSchemaOf(operation.tool?.input ?? operation.input, 'input', operation.name)
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: operation.name, arguments: sampleOf(schema) } }
  return ['As a tool:', '', '```json', JSON.stringify(call, null, 2), '```'].join('\n')
}
