// JSON Schema of what an operation takes and gives, from the same Zod schemas that parse and answer.
import { z } from 'zod'
import type { HttpView, Operation } from '../platform/operation.ts'
import { described } from './members.ts'

/** The part of JSON Schema 2020-12 that our schemas come out as. */
export interface JsonSchema {
  type?: string | readonly string[]
  format?: string
  $ref?: string
  description?: string
  examples?: readonly unknown[]
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  items?: JsonSchema
  prefixItems?: readonly JsonSchema[]
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  allOf?: readonly JsonSchema[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  additionalProperties?: boolean | JsonSchema
  propertyNames?: JsonSchema
}

/**
 * Every member with words and an example; `at` names the operation. Checks that zod cannot express (a refinement, a transform) are left
 * out; their words are in the descriptions.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output', at = ''): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline', override: open })
  // zod writes plain JSON Schema; the interface above names the keywords that are read here.
  return described(rest as JsonSchema, at)
}

/** A later version may send more. */
function open({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

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
