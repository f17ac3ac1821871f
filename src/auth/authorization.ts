// Reads the `Authorization` header (RFC 9110 section 11.6.2, RFC 6750 section 2.1) from all the values that were sent: Node
// drops a second one silently, so the caller passes the distinct values.
import type { TokenKind } from './token.ts'
import { tokenKind } from './token.ts'

export type Authorization =
  /** Nothing, or a scheme that is not ours: the bare challenge. */
  | { type: 'none' }
  /** More than one header: which of them counts would be a guess. */
  | { type: 'several' }
  /** `Bearer` with something that cannot be one of our tokens. */
  | { type: 'malformed' }
  | { type: 'bearer'; token: string; kind: TokenKind }

const usualScheme = 'Bearer '

/** Total: every list of values has a verdict. */
export function readAuthorization(values: readonly string[] | undefined): Authorization {
  const [value, second] = values ?? []
  if (value === undefined) return { type: 'none' }
  if (second !== undefined) return { type: 'several' }
  // As nearly everybody writes it: the pattern costs more than the rest of the reading.
  const usual = value.startsWith(usualScheme) ? tokenKind(value.slice(usualScheme.length)) : undefined
  if (usual !== undefined) return { type: 'bearer', token: value.slice(usualScheme.length), kind: usual }
  const credentials = withoutBlanks(value)
  const end = credentials.search(/[ \t]/)
  const scheme = end < 0 ? credentials : credentials.slice(0, end)
  const token = end < 0 ? '' : withoutBlanks(credentials.slice(end))
  if (scheme.toLowerCase() !== 'bearer') return { type: 'none' }
  const kind = tokenKind(token)
  return kind === undefined ? { type: 'malformed' } : { type: 'bearer', token, kind }
}

/** Without the spaces and tabs at both ends; a pattern that looks for those at the end would start anew at each of them. */
function withoutBlanks(value: string): string {
  const isBlank = (at: number) => value[at] === ' ' || value[at] === '\t'
  let start = 0
  let end = value.length
  while (start < end && isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return value.slice(start, end)
}
