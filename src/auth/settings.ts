// The part of the configuration that this area reads.

export interface AuthSettings {
  /** An origin without a trailing slash. */
  baseUrl: string
  /** The name of this service on its pages. */
  title: string
  /** The first signs, all verify. At least one. */
  secrets: readonly string[]
  /** Sessions that an account may create in a month. */
  planSessions: number
  /** `closed`: nobody new comes in; people who are here may still join another account. */
  signup?: 'invite' | 'closed'
  /** Whether agents may register without an identity. */
  anonymous: boolean
  agentTtlMs: number
  agentClaimedTtlMs: number
  /** Issuers of signed assertions; none unless configured. */
  trustedIssuers?: readonly TrustedIssuer[] | null
}

export interface TrustedIssuer {
  issuer: string
  jwks_uri: string
  /** Clients of the issuer that may come; any where absent. */
  client_ids?: readonly string[] | undefined
}
