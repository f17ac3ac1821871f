// What of an input nobody reads: members that its schema does not name stay accepted, and are told of in the answer with what was
// probably meant, instead of being lost in silence. Names and places alone; values are never repeated.
import { z } from 'zod'
import { pointerOf } from './parse.ts'

export const passedOverShape = z.object({ code: z.string(), pointer: z.string().optional(), detail: z.string() })
export type PassedOver = z.output<typeof passedOverShape>

type JsonSchema = z.core.JSONSchema.JSONSchema
type Path = readonly (string | number)[]

const shownMax = 20
const nameMax = 100

type Look = (sent: unknown) => readonly PassedOver[]

const looks = new WeakMap<z.ZodType, Look>()

/** Knows what `schema` names; made once for each. `elsewhere`: where members belong that people send here, in words. */
export function passedOverBy(schema: z.ZodType, elsewhere: Readonly<Record<string, string>> = {}): Look {
  const known = looks.get(schema) ?? lookFor(schema, elsewhere)
  looks.set(schema, known)
  return known
}

function lookFor(schema: z.ZodType, elsewhere: Readonly<Record<string, string>>): Look {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const places = placesOf(root, '')
  return (sent) => {
    const found: PassedOver[] = []
    look(root, sent, [], (path, here) => {
      if (found.length >= shownMax) return
      const name = String(path.at(-1))
      if (name.length > nameMax) return
      const isSpelt = (known: string) => plain(known) === plain(name)
      const near = Object.keys(here).find(isSpelt)
      const place = near === undefined ? places.find((each) => isSpelt(each.name)) : undefined
      const slip = place === undefined ? Object.keys(here).find((known) => isMeant(name, known)) : undefined
      const detail = words(near ?? slip, place, path.length === 1 ? elsewhere[name] : undefined)
      found.push({ code: 'unknown_member', pointer: pointerOf(path), detail })
    })
    return found
  }
}

function words(near: string | undefined, place: Place | undefined, elsewhere: string | undefined): string {
  const lost = 'There is no such member here, and nothing was done with it'
  if (elsewhere !== undefined) return `${lost}: ${elsewhere}`
  if (near !== undefined) return `${lost}: did you mean \`${near}\`?`
  if (place !== undefined)
    return `${lost}: \`${place.name}\` belongs ${place.within === '' ? 'beside the outermost members' : `into \`${place.within}\``}.`
  return `${lost}.`
}

interface Place {
  name: string
  /** `slides[]`; empty for the body itself. */
  within: string
}

/** Every member that the schema names, with where it belongs. */
function placesOf(schema: JsonSchema, within: string): Place[] {
  return shapesOf(schema).flatMap((shape) => [
    ...Object.entries(shape.properties ?? {}).flatMap(([name, child]) => [
      { name, within },
      ...(typeof child === 'object' ? placesOf(child, within === '' ? name : `${within}.${name}`) : []),
    ]),
    ...(isSchema(shape.items) ? placesOf(shape.items, `${within}[]`) : []),
  ])
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema, and all that it may be instead. */
function shapesOf(schema: JsonSchema): JsonSchema[] {
  const others = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  return [schema, ...others.flatMap((each) => (isSchema(each) ? shapesOf(each) : []))]
}

/** Calls `tell` for each member that no shape names, with those that are named beside it. */
function look(schema: JsonSchema, sent: unknown, path: Path, tell: (path: Path, here: object) => void): void {
  const shapes = shapesOf(schema)
  if (Array.isArray(sent)) {
    const { items } = shapes.find((shape) => isSchema(shape.items)) ?? {}
    if (isSchema(items)) sent.forEach((each, at) => look(items, each, [...path, at], tell))
    return
  }
  if (typeof sent !== 'object' || sent === null) return
  const objects = shapes.filter((shape) => shape.properties !== undefined)
  // A record takes any name.
  if (objects.length === 0 || shapes.some((shape) => isSchema(shape.additionalProperties))) return
  const here: Record<string, unknown> = Object.fromEntries(objects.flatMap((shape) => Object.entries(shape.properties ?? {})))
  for (const [name, value] of Object.entries(sent)) {
    const known = Object.hasOwn(here, name) ? here[name] : undefined
    if (isSchema(known)) look(known, value, [...path, name], tell)
    else if (known === undefined) tell([...path, name], here)
  }
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** A part that says enough, or a slip of one or two letters. */
function isMeant(name: string, known: string): boolean {
  const [sent, named] = [plain(name), plain(known)]
  if (sent.length < 4) return false
  return named.startsWith(sent) || named.endsWith(sent) || distance(sent, named) <= (sent.length < 6 ? 1 : 2)
}

/** Of Levenshtein. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1])))
    row = next
  }
  return row.at(-1) ?? 0
}
