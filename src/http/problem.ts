// Every failure as one document (RFC 9457), with the OAuth pair beside it. What is not a ServiceError is a bug: it is
// logged with the request id and answered without any detail.
import { isServiceError, problemOf, ServiceError } from '../kernel/errors.ts'
import type { Answer } from './answer.ts'
import type { Challenge, Log } from './ports.ts'

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
