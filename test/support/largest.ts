// The largest that an operation takes, made of one pump: for each member of its input that holds text a body in which this member is as
// large as its schema and the bound of bytes allow, beside what else a good body needs. Driven by the schemas alone.
import { z } from 'zod'
import type { JsonSchema } from '@rostrum/contract/members'
import type { Operation } from '../../server/platform/operation.ts'
import { draw, type Drawing } from './random-calls/draw.ts'
import { goodBodies } from './random-calls/good-bodies.ts'

export interface Largest {
  /** Of the input: what is large. */
  member: string
  /** What is sent, without what stands in the path. */
  of(pump: string, ids: LargestIds): Record<string, unknown>
}

export interface LargestIds extends Drawing {
  /** In order, for lists in which each slide stands once. */
  slideIds: readonly string[]
}

const bodyUsual = 1_048_576
/** Where a schema names no bound. */
const listUsual = 50
/** Shorter texts hold nobody up, and are in the other bodies as well. */
const shortest = 100

export const filled = (pump: string, chars: number): string => pump.repeat(Math.ceil(chars / pump.length)).slice(0, chars)

/** With what is named by `$ref` in its place. */
function resolved(schema: JsonSchema, defs: Readonly<Record<string, JsonSchema>>, depth = 0): JsonSchema {
  if (depth > 12) return {}
  const named = schema.$ref === undefined ? schema : { ...defs[schema.$ref.split('/').at(-1) ?? ''], ...schema, $ref: undefined }
  const each = (parts: readonly JsonSchema[]) => parts.map((part) => resolved(part, defs, depth + 1))
  const { properties, items, anyOf, oneOf, allOf, ...rest } = named
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, resolved(part, defs, depth + 1)])),
    }),
    ...(items && { items: resolved(items, defs, depth + 1) }),
    ...(anyOf && { anyOf: each(anyOf) }),
    ...(oneOf && { oneOf: each(oneOf) }),
    ...(allOf && { allOf: each(allOf) }),
  } as JsonSchema
}

function isText({ type, format, pattern, const: only, enum: choices, maxLength = Infinity }: JsonSchema): boolean {
  return type === 'string' && format === undefined && pattern === undefined && only === undefined && !choices && maxLength >= shortest
}

const partsOf = ({ properties = {}, items, anyOf = [], oneOf = [], allOf = [] }: JsonSchema): JsonSchema[] => [
  ...Object.values(properties),
  ...(items ? [items] : []),
  ...anyOf,
  ...oneOf,
  ...allOf,
]
const holdsText = (schema: JsonSchema): boolean => isText(schema) || partsOf(schema).some(holdsText)

/** Every way to make its input large; none where it takes no text. */
export function largestOf({ input, http, name }: Operation): Largest[] {
  if (http === undefined || (http.readBody !== undefined && http.bodyTypes?.includes('application/json') !== true)) return []
  const made = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema & { $defs?: Record<string, JsonSchema> }
  const { properties = {}, required = [] } = resolved(made, made.$defs ?? {})
  const inPath = new Set([...http.path.matchAll(/\{(\w+)\}/g)].map(([, member = '']) => member))
  const inHead = new Set(Object.values(http.headerMembers ?? {}))
  const sent = Object.entries(properties).filter(([member]) => !inPath.has(member) && !inHead.has(member))
  const needed = Object.fromEntries(sent.filter(([member]) => required.includes(member)))
  const budget =
    (http.bodyTypes?.includes('application/json') ? Math.min(http.bodyMax ?? bodyUsual, 16 * bodyUsual) : (http.bodyMax ?? bodyUsual)) *
    0.95
  return sent
    .filter(([, schema]) => holdsText(schema))
    .map(([member, schema]) => ({
      member,
      of(pump, ids) {
        const good = (goodBodies[name]?.(ids) ?? draw({ type: 'object', properties: needed, required }, ids)) as Record<string, unknown>
        return { ...good, [member]: large(schema, member, { pump, ids, budget }) }
      },
    }))
}

interface Filling {
  pump: string
  ids: LargestIds
  /** Bytes. */
  budget: number
}

function large(schema: JsonSchema, name: string, filling: Filling): unknown {
  const { pump, ids, budget } = filling
  if (isText(schema)) {
    const whole = `${/url$/i.test(name) ? 'https://example.com/' : 'Fact '}${filled(pump, schema.maxLength ?? Math.floor(budget / 4))}`
    return whole.slice(0, schema.maxLength ?? whole.length).toWellFormed()
  }
  const way = (schema.anyOf ?? schema.oneOf)?.find(holdsText)
  if (way !== undefined) return large(way, name, filling)
  if (schema.type === 'array' && schema.items !== undefined) {
    const one = large(schema.items, name, filling)
    const most = Math.min(schema.maxItems ?? listUsual, Math.floor(budget / Buffer.byteLength(JSON.stringify(one))))
    // One that is too large by itself fills what there is.
    const items = Array.from({ length: Math.max(1, most) }, () => one)
    return items.map((each, at) => (isRecord(each) && 'slideId' in each ? { ...each, slideId: ids.slideIds[at] ?? each['slideId'] } : each))
  }
  if (schema.type !== 'object') return draw(schema, ids, name)
  const { properties = {}, required = [] } = schema
  // What names a thing that is there is left out, and addresses, which are another way to say what texts say.
  const members = Object.entries(properties).filter(
    ([member, part]) => required.includes(member) || (holdsText(part) && !/(?:id|url)$/i.test(member)),
  )
  return Object.fromEntries(
    members.map(([member, part]) => {
      if (!holdsText(part)) return [member, draw(part, ids, member)]
      return [member, large(part, member, { ...filling, budget: part.type === 'array' ? Math.min(budget, 1_000_000) / 30 : budget })]
    }),
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
