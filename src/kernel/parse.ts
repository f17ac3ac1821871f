// Turns a schema's verdict into words: which member, and what to send instead: every 400 names a pointer.
import type { z } from 'zod'
import type { FieldError } from './errors.ts'
import { ServiceError } from './errors.ts'

type Issue = z.core.$ZodIssue

/** Parses `raw`; a failure is `invalid_request` with at most 20 pointers. Never echoes the value sent. */
export function parseInput<T extends z.ZodType>(schema: T, raw: unknown): z.output<T> {
  const parsed = schema.safeParse(raw)
  if (parsed.success) return parsed.data
  throw invalidInput(parsed.error.issues.slice(0, 20).map((issue) => ({ pointer: pointerOf(issue.path), detail: wordsFor(issue, raw) })))
}

/** An `invalid_request` whose detail is the first field error. */
export function invalidInput(errors: readonly FieldError[]): ServiceError {
  const first = errors[0]
  const where = first === undefined || first.pointer === '#' ? 'The body' : `\`${first.pointer.slice(2)}\``
  return new ServiceError('invalid_request', first === undefined ? 'The request is invalid.' : `${where}: ${first.detail}`, { errors })
}

/** RFC 6901 in fragment form. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '#' : `#/${path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}

function wordsFor(issue: Issue, root: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(root, issue.path) === undefined ? `is required: send ${article(issue.expected)}.` : `send ${article(issue.expected)}.`
    case 'too_small':
      if (issue.origin === 'string')
        return Number(issue.minimum) === 1 ? 'must not be empty.' : `send at least ${String(issue.minimum)} characters.`
      return issue.origin === 'array' ? `send at least ${String(issue.minimum)} elements.` : `send ${String(issue.minimum)} or more.`
    case 'too_big':
      if (issue.origin === 'string') return `send at most ${Number(issue.maximum).toLocaleString('en')} characters.`
      return issue.origin === 'array'
        ? `send at most ${Number(issue.maximum).toLocaleString('en')} elements.`
        : `send ${String(issue.maximum)} or less.`
    case 'invalid_value':
      return `send one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}.`
    case 'not_multiple_of':
      return issue.divisor === 1 ? 'send a whole number.' : `send a multiple of ${String(issue.divisor)}.`
    case 'invalid_format':
      return formatWords[issue.format] ?? issue.message
    case 'unrecognized_keys':
    case 'invalid_union':
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
