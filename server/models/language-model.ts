// The port to a language model: one prompt in, pieces of text out. Answers are prompted by `prompt.ts`, whose types have no room for
// private notes (Spec 2.3).

export interface ModelPrompt {
  /** Fixed rules, the same bytes in every call, so that a provider may cache them. */
  rules: string
  /** Public text of the session, the same bytes while its content stays the same; may be empty. */
  material: string
  /** What changes with each call: history and question. */
  ask: string
  outputTokensMax: number
}

export interface TokenCount {
  input: number
  /** Of `input`: read from the provider's cache. */
  cached: number
  output: number
}

export type ModelPart = { type: 'text'; text: string } | { type: 'tokens'; tokens: TokenCount }

/** Per million tokens, in the operator's own currency. */
export interface ModelPrice {
  input: number
  output: number
}

export interface LanguageModel {
  /** `provider:model`, for traces and logs. */
  name: string
  price: ModelPrice | null
  /** Streams what the model writes; throws where it fails, ends early where `signal` aborts. */
  stream(prompt: ModelPrompt, signal: AbortSignal): AsyncIterable<ModelPart>
}

/** What so many tokens cost, where a price is configured. */
export function costOf(tokens: TokenCount, price: ModelPrice | null): number | null {
  if (price === null) return null
  return (tokens.input * price.input + tokens.output * price.output) / 1_000_000
}
