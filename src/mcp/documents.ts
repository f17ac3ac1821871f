// What `mcp/` is given and shows: prompts, resources and UI views. `app.ts` brings the texts; nothing here makes data up.
import type { AccountPrincipal, Principal } from '../platform/principal.ts'

export interface PromptArgument {
  name: string
  description: string
  required: boolean
}

export interface PromptMessage {
  role: 'user'
  content: { type: 'text'; text: string }
}

export interface PromptDeclaration {
  name: string
  title: string
  description: string
  arguments: readonly PromptArgument[]
  /** The texts, from arguments that are all strings, the required ones non-empty. */
  render(values: Readonly<Record<string, string>>, caller: Principal): Promise<readonly PromptMessage[]>
}

export interface ResourceDeclaration {
  uri: string
  name: string
  title: string
  description: string
  /** `text/markdown`, or `text/html;profile=mcp-app` for a UI view. */
  mimeType: string
  text(): string
  /** The list says how many bytes the text has; not where it is only made when it is read. */
  isMadeOnReading?: true
  /** `_meta` of the content: the policy of a UI view. */
  meta?: Readonly<Record<string, unknown>>
}

/** Completes the values of prompt arguments from what the caller may see. */
export interface SessionNames {
  /** Up to `limit` of the account's sessions whose id or title starts with or contains `value`, newest first. */
  find(caller: AccountPrincipal, value: string, limit: number): Promise<{ ids: readonly string[]; total: number }>
}
