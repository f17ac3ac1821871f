// What a tool call answers: the data and its text twin, or words that name the next step. Text of callers and attendees is
// never echoed in an error, because a model reads it.
import type { ErrorCode, ServiceError } from '../kernel/errors.ts'
import type { ToolView } from '../kernel/operation.ts'
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
  further: (data: Record<string, unknown>) => readonly Content[],
): Promise<ToolResult> {
  const text = JSON.stringify(await view.view(result))
  // A tool's output schema is an object, so its JSON parses to one; parsing drops members that are undefined, as the twin does.
  const structuredContent = JSON.parse(text) as Record<string, unknown>
  return { content: [{ type: 'text', text }, ...further(structuredContent)], structuredContent }
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
  const others = (extra.errors ?? []).slice(1).map(({ pointer, detail }) => `${pointer.slice(2)}: ${detail}`)
  return {
    content: [{ type: 'text', text: [message, ...others, step].filter((part) => part !== '').join(' ') }],
    isError: true,
    _meta: { 'x-rostrum/error': { code, retryable: retryable.has(code), ...(extra.errors === undefined ? {} : { errors: extra.errors }) } },
  }
}
