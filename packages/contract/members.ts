// What each member means and how it looks: as its schema says, else by its name, since a name means one thing everywhere
// (`members.json`: words and an example, by `name`, or by `parent.name` where it means something else there).
import { z } from 'zod'
import words from './members.json' with { type: 'json' }

/** The file is ours: words (empty where every schema has its own), then an example. */
const known = new Map(Object.entries(words as unknown as Readonly<Record<string, readonly [string, unknown?]>>))

const byFormat: Readonly<Record<string, string>> = {
  uuid: '0198c1d2-7a53-4c1e-9a40-5f6d2b8e4c11',
  uri: 'https://example.com/',
  email: 'maya@example.com',
  'date-time': '2026-11-20T12:00:00.000Z',
}

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

/** The schema with words and an example for every member below it; `at` is the operation, then the member that holds them. */
function described(schema: JsonSchema, at: string): JsonSchema {
  const inner = (list: readonly JsonSchema[] | undefined) => list?.map((each) => described(each, at))
  const { properties, items, anyOf, oneOf, allOf, additionalProperties } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, describedMember(member, name, at)])),
    }),
    ...(items && { items: described(items, at) }),
    ...(anyOf && { anyOf: inner(anyOf) ?? [] }),
    ...(oneOf && { oneOf: inner(oneOf) ?? [] }),
    ...(allOf && { allOf: inner(allOf) ?? [] }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: described(additionalProperties, at) }),
  }
}

export function describedMember(member: JsonSchema, name: string, at: string): JsonSchema {
  const inner = described(member, name)
  const description = member.description ?? entryOf(name, at, 0)
  const examples = member.examples ?? (holdsObjects(member) ? undefined : [exampleOf(member, name, at)])
  return { ...inner, ...(typeof description === 'string' && { description }), ...(examples && { examples }) }
}

/** Words are looked for at the place first, then by the name; an example too, for a place may have words alone. */
function entryOf(name: string, at: string, part: 0 | 1): unknown {
  return [`${at}.${name}`, name].map((key) => known.get(key)?.[part]).find((value) => value !== undefined && value !== '')
}

/** An object is shown by its members. */
export function holdsObjects({ properties, items, anyOf, oneOf, allOf, $ref }: JsonSchema): boolean {
  const parts = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? []), ...(items ? [items] : [])]
  return $ref !== undefined || properties !== undefined || parts.some(holdsObjects)
}

function exampleOf(schema: JsonSchema, name: string, at: string): unknown {
  const value = entryOf(name, at, 1)
  if (value !== undefined && fits(value, schema)) return value
  const choice = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.find((each) => each.type !== 'null')
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.type === undefined && choice !== undefined) return exampleOf(choice, name, at)
  if (schema.prefixItems !== undefined) return schema.prefixItems.map((each) => exampleOf(each, name, at))
  if (schema.type === 'array') return schema.maxItems === 0 ? [] : [exampleOf(schema.items ?? {}, name, at)]
  if (schema.type === 'object') return typeof schema.additionalProperties === 'object' ? sampleOf(schema) : {}
  return scalar(schema)
}

function fits(value: unknown, schema: JsonSchema): boolean {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.some((each) => fits(value, each))
  if (schema.const !== undefined) return schema.const === value
  if (schema.enum !== undefined) return schema.enum.includes(value)
  if (typeof schema.type === 'object' && value === null) return schema.type.includes('null')
  switch (typeOf(schema)) {
    case 'string':
      return typeof value === 'string' && value.length <= (schema.maxLength ?? Infinity) && isOfFormat(value, schema)
    case 'integer':
      return Number.isInteger(value) && isBetween(value as number, schema)
    case 'number':
      return typeof value === 'number' && isBetween(value, schema)
    case 'boolean':
      return typeof value === 'boolean'
    case 'array':
      return Array.isArray(value) && value.every((each, index) => fits(each, schema.prefixItems?.[index] ?? schema.items ?? {}))
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'null':
      return value === null
    default:
      return true
  }
}

/** Of a type that may be null as well: the other. */
const typeOf = ({ type }: JsonSchema): string | undefined => (typeof type === 'object' ? type.find((each) => each !== 'null') : type)

const isOfFormat = (value: string, { format, pattern }: JsonSchema): boolean =>
  (pattern === undefined || new RegExp(pattern, 'u').test(value)) && (format !== 'uri' || URL.canParse(value))
const isBetween = (value: number, { minimum = -Infinity, maximum = Infinity }: JsonSchema): boolean => value >= minimum && value <= maximum

function scalar(schema: JsonSchema): unknown {
  if (schema.format !== undefined && byFormat[schema.format] !== undefined) return byFormat[schema.format]
  if (schema.default !== undefined) return schema.default
  if (schema.description?.startsWith('Unix milliseconds') === true) return Date.UTC(2026, 10, 20, 12)
  switch (typeOf(schema)) {
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1))
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return 'text'
  }
}

/** A value of a described schema: of an object everything where it `isWhole`, else what is required, and where nothing is, the first member: an example to start from. */
export function sampleOf(schema: JsonSchema, isWhole = false): unknown {
  const { examples, type, properties, items, additionalProperties } = schema
  if (examples !== undefined && examples.length > 0) return examples[0]
  const choice = (schema.anyOf ?? schema.oneOf)?.find((each) => each.type !== 'null')
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((each) => sampleOf(each, isWhole))) as unknown
  if (type === 'array') return [sampleOf(items ?? {}, isWhole)]
  if (properties !== undefined) return sampleObject(schema, properties, choice, isWhole)
  if (type === 'object') return typeof additionalProperties === 'object' ? { key: sampleOf(additionalProperties, isWhole) } : {}
  return choice === undefined ? scalar(schema) : sampleOf(choice, isWhole)
}

function sampleObject(
  schema: JsonSchema,
  properties: Readonly<Record<string, JsonSchema>>,
  choice: JsonSchema | undefined,
  isWhole: boolean,
): object {
  const members = Object.entries(properties)
  const isNeeded = (name: string) => schema.required?.includes(name) === true || choice?.required?.includes(name) === true
  const required = members.filter(([name]) => isNeeded(name))
  const shown = isWhole ? members : required.length > 0 ? required : members.slice(0, 1)
  return Object.fromEntries(shown.map(([name, member]) => [name, sampleOf(member, isWhole)]))
}
