// A value that a JSON Schema of the API describes, drawn at random, and now and then one that it does not.
import type { JsonSchema } from '@rostrum/contract/members'
import type { Random } from '../sim/random.ts'
import { oneOf, under, uuidOf } from '../sim/random.ts'

export interface Drawing {
  random: Random
  /** How often a value is one of the odd ones, whatever the schema says: 0 to 1. */
  oddShare: number
  /** A value that answers have told under this name. */
  known(name: string): string | undefined
  /** An address that may be fetched. */
  url: string
}

/** What handlers stumble over where a schema lets it through. */
const odd: readonly unknown[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x'.repeat(5_000),
  '../../etc',
  '%00',
  '💥'.repeat(200),
  '\u202e',
  "'; --",
  '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11',
  null,
  -1,
  1e308,
  2 ** 53 + 1,
  1.5,
  true,
  {},
  [],
]
const words = [
  'grid',
  'storage',
  'What is the price?',
  'A battery shifts the evening peak',
  'The warranty is ten years',
  '電力網',
  'yes',
  'no',
]
const emails = ['ann@example.com', 'ben@example.com', 'carl@example.org']
const times = ['2020-01-01T00:00:00Z', '2026-11-20T12:00:00Z', '2030-01-01T00:00:00Z']
const depthMost = 4
const itemsMost = 3

export const oddText = (random: Random): string => String(oneOf(random, odd)).toWellFormed()

/** `name` is that of the member, by which ids are known. */
export function draw(schema: JsonSchema, drawing: Drawing, name = '', depth = 0): unknown {
  const { random, oddShare } = drawing
  if (random() < oddShare) return oneOf(random, odd)
  const known = random() < 0.85 && name !== 'id' ? drawing.known(name) : undefined
  if (known !== undefined) return known
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return oneOf(random, schema.enum)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return draw(oneOf(random, alternatives), drawing, name, depth)
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((each) => draw(each, drawing, name, depth)))
  switch (schema.type) {
    case 'object':
      return drawObject(schema, drawing, depth)
    case 'array': {
      const { items = {}, minItems = 0 } = schema
      const length = Math.max(minItems, depth > depthMost ? 0 : under(random, itemsMost + 1))
      return Array.from({ length }, () => draw(items, drawing, name, depth + 1))
    }
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 50 } = schema
      const value = minimum + random() * (Math.min(maximum, 1e6) - minimum)
      return schema.type === 'integer' || 'multipleOf' in schema ? Math.round(value) : value
    }
    case 'boolean':
      return random() < 0.5
    case 'null':
      return null
    case 'string':
    case undefined:
    default:
      return drawText(schema, drawing, name)
  }
}

function drawObject({ properties = {}, required = [] }: JsonSchema, drawing: Drawing, depth: number): Record<string, unknown> {
  const { random, oddShare } = drawing
  const members = Object.entries(properties).filter(([name]) => (required.includes(name) ? random() >= oddShare : random() < 0.35))
  return Object.fromEntries(members.map(([name, schema]) => [name, draw(schema, drawing, name, depth + 1)]))
}

function drawText({ format, minLength = 0, maxLength = Infinity }: JsonSchema, { random, url }: Drawing, name: string): string {
  if (format === 'uuid') return uuidOf(random)
  if (format === 'date-time') return oneOf(random, times)
  if (/email/i.test(name)) return oneOf(random, emails)
  if (format === 'uri' || /url$/i.test(name)) return oneOf(random, [url, url, 'https://127.0.0.1:1/x', 'nonsense'])
  if (name === 'language') return oneOf(random, ['en', 'de', 'ja'])
  return oneOf(random, words).padEnd(minLength, 'x').slice(0, maxLength)
}
