// Outcomes of outbound requests as values. Callers show `reason`; `detail` is for the operator's log, because telling a
// caller why a destination was refused would make the service a port scanner and a resolver for private networks.

export type OutboundReason =
  | 'blocked_destination'
  | 'blocklist_unavailable'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'redirect'
  | 'too_large'

export interface OutboundFailure {
  ok: false
  reason: OutboundReason
  detail: string
}

export interface OutboundResponse {
  ok: true
  /** Redirect statuses too, where the caller did not ask to follow them. */
  status: number
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  /** More came than `maxBytes` or than fitted into the time for the body. */
  truncated: boolean
  /** Where the answer came from, after redirects. */
  url: string
  /** Address that was dialled. */
  peer: string
}

export type OutboundOutcome = OutboundResponse | OutboundFailure

export function failed(reason: OutboundReason, detail: string): OutboundFailure {
  return { ok: false, reason, detail }
}

/** The one sentence a caller may read about a refused destination, whatever the rule that refused it. */
export const refusalWords = 'This address is not allowed. Send a public https URL.'
