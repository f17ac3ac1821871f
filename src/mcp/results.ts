// What a tool call answers: the data and its text twin, or words that name the next step. Text of callers and attendees is
// never echoed in an error, because a model reads it.
import type { ErrorCode, ServiceError } from '../platform/errors.ts'
import type { ToolView } from '../platform/operation.ts'
import { sentenceOf } from '../platform/parse.ts'
import type { Content } from './further-content.ts'

export interface ToolResult {
  [member: string]: unknown
  content: Content[]
  structuredContent?: Record<string, unknown>
  isError?: true
  _meta?: Record<string, unknown>
}

/** The view of `result`, and the same JSON as text, byte for byte and first; then what `further` adds. */
export async function toolResult(
  view: ToolView<unknown>,
  result: unknown,
  further: (data: Record<string, unknown>) => readonly Content[] | Promise<readonly Content[]>,
): Promise<ToolResult> {
  // A tool's output schema is an object. Members that are undefined go with the writing of the whole, as they go from the twin.
  const structuredContent = (await view.view(result)) as Record<string, unknown>
  const text = JSON.stringify(structuredContent)
  return { content: [{ type: 'text', text }, ...(await further(structuredContent))], structuredContent }
}

const retryable: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'temporarily_unavailable', 'run_state'])

const nextStep: Partial<Record<ErrorCode, string>> = {
  not_found: 'Call list_sessions or discover_sessions to see the ids that exist.',
  quota_exceeded: 'Retrying does not help before the quota resets.',
  invalid_request: 'Correct it and call again.',
  url_not_allowed: 'Use a public https address and call again.',
}

/** A refusal as a tool result: one text block, and the code with its pointers under `_meta`. */
export function toolError(error: ServiceError): ToolResult {
  const { code, message, extra } = error
  const step = nextStep[code] ?? (retryable.has(code) ? 'Try again later.' : '')
  const others = (extra.errors ?? []).slice(1).map(sentenceOf)
  return {
    content: [{ type: 'text', text: [message, ...others, step].filter((part) => part !== '').join(' ') }],
    isError: true,
    _meta: { 'x-rostrum/error': { code, retryable: retryable.has(code), ...(extra.errors === undefined ? {} : { errors: extra.errors }) } },
  }
}
