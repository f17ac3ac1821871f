// Where the members of an operation travel: path, query, headers, body.
import { describedMember, type JsonSchema, jsonSchemaOf } from '@rostrum/contract/members'
import type { HttpView, Operation } from '../platform/operation.ts'

export interface Member {
  name: string
  schema: JsonSchema
  required: boolean
}

/** The members of an object schema, those of every alternative included. */
export function membersOf(schema: JsonSchema): readonly Member[] {
  const shapes = [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const found = new Map<string, Member>()
  for (const shape of shapes) {
    for (const [name, property] of Object.entries(shape.properties ?? {})) {
      const required = (schema.required ?? shape.required)?.includes(name) ?? false
      if (!found.has(name)) found.set(name, { name, schema: property, required })
    }
  }
  return [...found.values()]
}

/** Where each member of the input travels. */
export interface InputShape {
  path: readonly Member[]
  query: readonly Member[]
  header: readonly (Member & { header: string })[]
  /** The JSON body; undefined where there is none. */
  body: JsonSchema | undefined
}

export function inputShape(operation: Operation, view: HttpView<unknown>): InputShape {
  const schema = jsonSchemaOf(operation.input, 'input', operation.name)
  const members = membersOf(schema)
  const inPath = new Set([...view.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
  const headers = Object.entries(view.headerMembers ?? {})
  const inHeader = new Set(headers.map(([, member]) => member))
  const elsewhere = (member: Member) => inPath.has(member.name) || inHeader.has(member.name)
  const hasJson =
    view.method !== 'GET' && view.method !== 'DELETE' && (view.readBody === undefined || view.bodyTypes?.[0] === 'application/json')
  const others = members.filter((member) => !elsewhere(member))
  return {
    path: members.filter((member) => inPath.has(member.name)),
    header: headers.flatMap(([header, name]) => members.filter((member) => member.name === name).map((member) => ({ ...member, header }))),
    query: view.method === 'GET' || view.method === 'DELETE' ? others : [],
    body: hasJson && others.length > 0 ? without(schema, new Set([...inPath, ...inHeader])) : undefined,
  }
}

/** As OpenAPI writes what stands outside a body. */
export function shown(name: string, schema: JsonSchema) {
  const { description, examples: [example] = [], ...rest } = describedMember(schema, name, '')
  return { ...(description !== undefined && { description }), example, schema: rest }
}

export const parameter = (place: 'path' | 'query' | 'header', name: string, { schema, required }: Omit<Member, 'name'>) => ({
  name,
  in: place,
  required,
  ...shown(name, schema),
})

function without(schema: JsonSchema, names: ReadonlySet<string>): JsonSchema {
  if (names.size === 0) return schema
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !names.has(name)))
  const required = schema.required?.filter((name) => !names.has(name)) ?? []
  const { required: _, ...rest } = schema
  const inner = (list: readonly JsonSchema[] | undefined) => list?.map((each) => without(each, names))
  return {
    ...rest,
    ...(schema.properties && { properties }),
    ...(required.length > 0 && { required }),
    ...(schema.anyOf && { anyOf: inner(schema.anyOf) ?? [] }),
    ...(schema.allOf && { allOf: inner(schema.allOf) ?? [] }),
  }
}
