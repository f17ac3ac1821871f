// Turns the result of an operation into status, headers and body, by the operation's own HTTP view.
import { hash } from 'node:crypto'
import { validateHeaderValue } from 'node:http'
import type { HttpView, Operation } from '../kernel/operation.ts'
import { preferred } from './accept.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  /** null: no body. */
  body: string | null
}

/** The representation the caller prefers; JSON unless it asks for another that the operation offers. */
export function answerOf(operation: Operation, view: HttpView<unknown>, result: unknown, accept: string | undefined): Answer {
  const status = typeof view.status === 'object' ? view.status.of(result) : view.status
  const headers: Record<string, string> = { 'Cache-Control': operation.secret ? 'no-store' : 'private, no-cache' }
  const body = bodyOf(view, result, accept, headers)
  for (const [name, value] of Object.entries(view.headers?.(result) ?? {})) {
    // Node refuses it too, but only when the head is half made.
    validateHeaderValue(name, value)
    headers[name] = value
  }
  return { status: status ?? (body === null ? 204 : 200), headers, body }
}

function bodyOf(view: HttpView<unknown>, result: unknown, accept: string | undefined, headers: Record<string, string>): string | null {
  if (view.formats !== undefined) {
    headers['Vary'] = 'Accept'
    const type = preferred(accept, ['application/json', ...Object.keys(view.formats)])
    const write = view.formats[type]
    if (write !== undefined) {
      headers['Content-Type'] = type.startsWith('text/') ? `${type}; charset=utf-8` : type
      return write(result)
    }
  }
  if (view.view === undefined && view.output === undefined) return null
  headers['Content-Type'] = 'application/json'
  return JSON.stringify(view.view === undefined ? result : view.view(result))
}

/** Adds an `ETag` to a read, after the one that its operation gives it, and answers 304 to a caller that has it already. */
export function revalidated(answer: Answer, ifNoneMatch: string | undefined): Answer {
  if (answer.body === null || answer.status !== 200 || answer.headers['Cache-Control'] === 'no-store') return answer
  const own = answer.headers['ETag']
  const tag = `${own === undefined ? '"' : `${own.slice(0, -1)}.`}${hash('sha1', answer.body, 'base64url')}"`
  answer.headers['ETag'] = tag
  if (ifNoneMatch === undefined || !matches(ifNoneMatch, tag)) return answer
  delete answer.headers['Content-Type']
  return { status: 304, headers: answer.headers, body: null }
}

function matches(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag)
}
