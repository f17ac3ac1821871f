// Turns the result of an operation into status, headers and body, by its own HTTP view and what the caller prefers (RFC 9110 sections
// 12.5 and 8.4), and every failure into one document (RFC 9457), with the OAuth pair beside it.
import { hash } from 'node:crypto'
import { validateHeaderValue } from 'node:http'
import { compress } from 'hono/compress'
import { isServiceError, problemOf, ServiceError } from '../errors.ts'
import type { HttpView, Operation } from '../operation.ts'
import type { Exchange } from './exchange.ts'
import type { Challenge, Log } from './ports.ts'

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

export interface ProblemTools {
  baseUrl: string
  challenge: Challenge
  log: Log
}

/** The caller's own failure, or `internal_error` for a bug, which is logged here. */
export function visibleError(error: unknown, requestId: string, route: string, log: Log): ServiceError {
  if (isServiceError(error)) return error
  log.error({ requestId, route, err: error }, 'A request failed by a fault of ours')
  return new ServiceError('internal_error', 'Something went wrong on our side. Try again; if it goes on, report the request id.')
}

export function problemAnswer(error: ServiceError, requestId: string, tools: ProblemTools): Answer {
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' }
  const challenge = tools.challenge(error)
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge
  if (error.status === 503) headers['Retry-After'] = '2'
  Object.assign(headers, error.extra.headers)
  return { status: error.status, headers, body: JSON.stringify(problemOf(error, { baseUrl: tools.baseUrl, requestId })) }
}

/** `offered` in our order of preference. Falls back to the first, because an answer in the usual form beats a refusal. */
export function preferred<T extends string>(accept: string | undefined, offered: readonly [T, ...T[]]): T {
  const [usual] = offered
  if (accept === undefined || accept === '*/*') return usual
  const ranges = accept.split(',').map(rangeOf)
  let best: { type: T; q: number } = { type: usual, q: 0 }
  for (const type of offered) {
    const q = qualityOf(type, ranges)
    if (q > best.q) best = { type, q }
  }
  return best.type
}

interface Range {
  type: string
  q: number
}

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.toLowerCase().split(';')
  const q = parameters.map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1]).find((value) => value !== undefined)
  return { type: type.trim(), q: q === undefined ? 1 : Number(q) || 0 }
}

/** The most specific range that covers `type` decides. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const wildcard = `${type.slice(0, type.indexOf('/'))}/*`
  for (const candidate of [type, wildcard, '*/*']) {
    const range = ranges.find((entry) => entry.type === candidate)
    if (range !== undefined) return range.q
  }
  return 0
}

/** JSON of an operation: most answers are small, and a program on a fast line would only wait. */
const jsonMin = 4_096
const squeeze = compress()

/**
 * A page, a document or an answer for who takes it compressed, and only one whose length may be known to anybody: beside a secret, text
 * of an attacker's choosing would tell that secret by the length of the whole (BREACH). So one with `no-store` (sign-in, consent and
 * claim hold a token against forgery) or a cookie of ours goes as it is.
 */
export async function compressed({ context }: Exchange, response: Response): Promise<Response> {
  if (response.headers.has('Set-Cookie') || response.headers.get('Cache-Control')?.includes('no-store')) return response
  await squeeze(context, async () => void (context.res = response))
  return context.res
}

/** Whether an answer may be: another site can make a browser send its cookie, but never a bearer token. */
export function mayCompress({ body, headers }: Answer, exchange: Exchange): boolean {
  return body !== null && body.length >= jsonMin && exchange.header('cookie') === undefined && headers['Cache-Control'] !== 'no-store'
}
