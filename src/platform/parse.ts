// Turns a schema's verdict into words: which member, and what to send instead: every 400 names a pointer.
import type { z } from 'zod'
import { type FieldError, ServiceError } from './errors.ts'

type Issue = z.core.$ZodIssue

/** Parses `raw`; a failure is `invalid_request` with at most 20 pointers. Never echoes the value sent. */
export function parseInput<T extends z.ZodType>(schema: T, raw: unknown): z.output<T> {
  const parsed = schema.safeParse(raw)
  if (parsed.success) return parsed.data
  throw invalidInput(parsed.error.issues.slice(0, 20).map((issue) => ({ pointer: pointerOf(issue.path), detail: wordsFor(issue, raw) })))
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
export function pointerOf(path: readonly PropertyKey[]): string {
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
  email: 'send an e-mail address.',
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
