// Shapes with names: every object of the description of the HTTP API becomes a schema of its components, once however often it is
// used, so that a generator writes one type for it. A shape is called after the member that holds it, with its holder before it where
// that name is another's.
import type { JsonSchema } from '@rostrum/contract/members'

export interface Components {
  schemas: Record<string, JsonSchema>
  /** The schema with each object in it, and itself if it is one, as a reference. */
  named(schema: JsonSchema, name: string): JsonSchema
}

/** `reserved`: names of whole answers, which nothing else is called. */
export function createComponents(given: Readonly<Record<string, JsonSchema>>, reserved: ReadonlySet<string>): Components {
  const schemas: Record<string, JsonSchema> = { ...given }
  const nameByText = new Map(Object.entries(given).map(([name, schema]) => [JSON.stringify(schema), name]))

  function refer(schema: JsonSchema, names: readonly string[]): JsonSchema {
    const isWhole = names.length === 1
    const { description, ...shape } = schema
    const text = JSON.stringify(shape)
    let name = nameByText.get(text)
    if (name === undefined) {
      name = freeName(isWhole ? names : names.filter((each) => !reserved.has(each)))
      schemas[name] = schema
      nameByText.set(text, name)
    }
    return { $ref: `#/components/schemas/${name}`, ...(description === undefined ? {} : { description }) }
  }
  function freeName(names: readonly string[]): string {
    const free = names.find((name) => schemas[name] === undefined)
    if (free !== undefined) return free
    const last = names.at(-1) ?? 'Shape'
    for (let number = 2; ; number++) if (schemas[`${last}${number}`] === undefined) return `${last}${number}`
  }
  /** `names`: what it may be called, best first; the last is the holder's of what is in it. */
  function walk(schema: JsonSchema, names: readonly string[]): JsonSchema {
    const own = names[0] ?? ''
    const { properties, items, anyOf, oneOf, allOf, additionalProperties } = schema
    const choices = (list: readonly JsonSchema[] | undefined) => list?.map((each) => walk(each, choiceNames(each, names)))
    const inner: JsonSchema = {
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([member, each]) => [member, walk(each, memberNames(member, own, each))]),
        ),
      }),
      ...(items && { items: walk(items, names) }),
      ...(anyOf && { anyOf: choices(anyOf) ?? [] }),
      ...(oneOf && { oneOf: choices(oneOf) ?? [] }),
      ...(allOf && { allOf: allOf.map((each) => walk(each, names)) }),
      ...(typeof additionalProperties === 'object' && { additionalProperties: walk(additionalProperties, names) }),
    }
    return inner.properties === undefined ? inner : refer(inner, names)
  }
  return { schemas, named: (schema, name) => walk(schema, [name]) }
}

/** `slides` of `Deck`: `Slide`, else `DeckSlide`. What `data` is depends on who holds it. */
function memberNames(member: string, holder: string, schema: JsonSchema): readonly string[] {
  const name = pascal(schema.type === 'array' ? singular(member) : member)
  return member === 'data' || member === 'value' || member === 'example' ? [`${holder}${name}`] : [name, `${holder}${name}`]
}

const singular = (name: string) => (name === 'series' ? name : name.replace(/(?<=tch)es$|(?<![su])s$/, '').replace(/ie$/, 'y'))

/** Of several shapes one is told from the others by a member that is always the same. */
function choiceNames({ properties = {} }: JsonSchema, names: readonly string[]): readonly string[] {
  const mark = Object.entries(properties).find(([, member]) => member.const !== undefined || member.enum?.length === 1)
  const value = mark?.[1].const ?? mark?.[1].enum?.[0]
  const word = value === true ? mark?.[0] : value
  return typeof word === 'string' ? names.map((name) => `${pascal(word)}${name}`) : names
}

export const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
