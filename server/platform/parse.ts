// Turns a schema's verdict into words: which member, and what to send instead: every 400 names a pointer.
import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type FieldError, ServiceError } from '@rostrum/base/errors'

type Issue = z.core.$ZodIssue

/**
 * Parses `raw`; a failure is `invalid_request` with at most 20 pointers. Never echoes the value sent. Null, where a member takes no null,
 * is a member left out: clients of many languages write it so.
 */
export function parseInput<T extends z.ZodType>(schema: T, raw: unknown): z.output<T> {
  const first = schema.safeParse(raw)
  if (first.success) return first.data
  const sent = first.error.issues.reduce((value, { path }) => (isNullMember(raw, path) ? without(value, path) : value), raw)
  const parsed = sent === raw ? first : schema.safeParse(sent)
  if (parsed.success) return parsed.data
  throw invalidInput(parsed.error.issues.slice(0, 20).map((issue) => ({ pointer: pointerOf(issue.path), detail: wordsFor(issue, sent) })))
}

const isNullMember = (raw: unknown, path: readonly PropertyKey[]): boolean => typeof path.at(-1) === 'string' && valueAt(raw, path) === null

/** A copy without the member at `path`. */
function without(value: unknown, [step, ...rest]: readonly PropertyKey[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: unknown, at) => (at === step ? without(each, rest) : each))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]: [string, unknown]) =>
      name !== step ? [[name, each]] : rest.length === 0 ? [] : [[name, without(each, rest)]],
    ),
  )
}

/** An `invalid_request` whose detail is the first field error. */
export function invalidInput(errors: readonly FieldError[]): ServiceError {
  const [first] = errors
  return new ServiceError('invalid_request', first === undefined ? 'The request is invalid.' : sentenceOf(first), { errors })
}

/** A field error as words on their own. */
export function sentenceOf({ pointer, detail }: FieldError): string {
  return `${pointer === '#' ? 'The body' : `\`${pointer.slice(2)}\``}: ${detail}`
}

/** RFC 6901 in fragment form. */
function pointerOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '#' : `#/${path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}

function wordsFor(issue: Issue, root: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${lead(root, issue)}send ${article(issue.expected)}.`
    case 'too_small':
      if (issue.origin === 'string')
        return Number(issue.minimum) === 1 ? 'must not be empty.' : `send at least ${String(issue.minimum)} characters.`
      return issue.origin === 'array' ? `send at least ${counted(issue.minimum)}.` : `send ${String(issue.minimum)} or more.`
    case 'too_big':
      if (issue.origin === 'string') return `send at most ${Number(issue.maximum).toLocaleString('en')} characters.`
      return issue.origin === 'array' ? `send at most ${counted(issue.maximum)}.` : `send ${String(issue.maximum)} or less.`
    case 'invalid_value':
      return `${lead(root, issue)}${oneOf(issue.values)}`
    case 'not_multiple_of':
      return issue.divisor === 1 ? 'send a whole number.' : `send a multiple of ${String(issue.divisor)}.`
    case 'invalid_format':
      return formatWords[issue.format] ?? issue.message
    case 'invalid_union':
      // A union told apart by one member says which values that member takes; no other union is an input.
      return 'options' in issue && Array.isArray(issue.options) ? `${lead(root, issue)}${oneOf(issue.options)}` : issue.message
    case 'unrecognized_keys':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return issue.message
  }
}

const formatWords: Readonly<Record<string, string>> = {
  uuid: 'send a UUID.',
  email: 'send an email address.',
  url: 'send an absolute http or https URL.',
  datetime: 'send an ISO 8601 date and time with a zone.',
}

/** What is wrong, where the kind of the value alone does not say it. */
function lead(root: unknown, { path }: Issue): string {
  const value = valueAt(root, path)
  if (value === null) return 'must not be null: '
  return value === undefined ? 'is required: ' : ''
}

function oneOf(values: readonly unknown[]): string {
  const written = values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value)))
  return written.length === 1 ? `send ${written.join('')}.` : `send one of ${written.join(', ')}.`
}

function counted(elements: number | bigint): string {
  return `${Number(elements).toLocaleString('en')} ${Number(elements) === 1 ? 'element' : 'elements'}`
}

function article(type: string): string {
  const words: Readonly<Record<string, string>> = { int: 'a whole number', array: 'an array', object: 'an object', record: 'an object' }
  return words[type] ?? `a ${type}`
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[step]
  }
  return value
}

// Reads a JSON body strictly (RFC 8259, I-JSON): UTF-8 only, one value, at most 64 levels and 20,000 values, no member twice. `__proto__`
// and `constructor` are plain data, because JSON.parse defines own properties and schemas copy only what they name.

const depthMax = 64
/** The fullest session has some 5,000. Millions would hold the server for seconds, long before a schema says that they are too many. */
const valuesMax = 20_000
const byteOrderMark = 0xfeff

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c
const space = 0x20
/** Square ones; the curly ones are `curly` behind them. */
const [opening, closing, curly] = [0x5b, 0x5d, 0x20]

/** The value of `bytes`; `invalid_request` says what is wrong without repeating any of it. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  const members = membersIn(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed(text.trim() === '' ? 'The body is empty: send a JSON object.' : 'The body is not valid JSON: send one JSON object.')
  }
  // Of members of one name, in whatever spelling, JSON.parse has kept the last.
  if (membersOf(value) !== members) throw malformed('The body has a member twice: send each member once.')
  return value
}

function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8: send JSON in UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const values = Object.values(value)
  let count = Array.isArray(value) ? 0 : values.length
  for (const each of values) count += membersOf(each)
  return count
}

/** Members that a text sends, if JSON.parse accepts it: each has its colon, outside of every string. Refuses what is too deep or too many. */
function membersIn(text: string): number {
  let count = 0
  let values = 0
  let level = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= space) continue
    if (code === quote) at = endOfString(text, at)
    else if (code === colon) count++
    else if (code === comma) values++
    else if (code === opening || code === opening + curly) level++
    else if (code === closing || code === closing + curly) level--
    if (level > depthMax) throw malformed(`The body is nested too deeply: send at most ${depthMax} levels.`)
    if (count + values > valuesMax) throw malformed(`The body holds too many values: send at most ${valuesMax}.`)
  }
  return count
}

/** Index of the quote that closes the string opened at `start`; the end of a text that never closes it. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1)
  if (end < 0) return text.length
  if (text.charCodeAt(end - 1) !== backslash) return end
  // With a quote in it, sign by sign: one may be behind every other.
  for (let at = text.indexOf('\\', start + 1); at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at
  }
  return text.length
}

function malformed(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '#', detail }] })
}

// What of an input nobody reads: members that its schema does not name stay accepted, and are told of in the answer with what was
// probably meant, instead of being lost in silence. Names and places alone; values are never repeated.

export const passedOverShape = z.object({ code: z.string(), pointer: z.string().optional(), detail: z.string() })
export type PassedOver = z.output<typeof passedOverShape>

type JsonSchema = z.core.JSONSchema.JSONSchema
type Path = readonly (string | number)[]

const shownMax = 20
const nameMax = 100

/** `shown`: the answer. What stands in it as it was sent, as where a caller sends back what they have read, is not lost. */
type Look = (sent: unknown, shown?: unknown) => readonly PassedOver[]

const looks = new WeakMap<z.ZodType, Look>()

/** Knows what `schema` names; made once for each. `elsewhere`: where members belong that people send here, in words, by `name` or `slides.name`. */
export function passedOverBy(schema: z.ZodType, elsewhere: Readonly<Record<string, string>> = {}): Look {
  const known = looks.get(schema) ?? lookFor(schema, elsewhere)
  looks.set(schema, known)
  return known
}

function lookFor(schema: z.ZodType, elsewhere: Readonly<Record<string, string>>): Look {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const places = placesOf(root, '')
  return (sent, shown) => {
    const found: PassedOver[] = []
    look(root, sent, [], (path, here) => {
      if (found.length >= shownMax || isDeepStrictEqual(valueAt(sent, path), valueAt(shown, path))) return
      const name = String(path.at(-1))
      if (name.length > nameMax) return
      const isSpelt = (known: string) => plain(known) === plain(name)
      const near = Object.keys(here).find(isSpelt)
      const place = near === undefined ? places.find((each) => isSpelt(each.name)) : undefined
      const slip = place === undefined ? Object.keys(here).find((known) => isMeant(name, known)) : undefined
      const named = path.filter((part) => typeof part === 'string').join('.')
      const detail = words(near ?? slip, place, Object.hasOwn(elsewhere, named) ? elsewhere[named] : undefined)
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
