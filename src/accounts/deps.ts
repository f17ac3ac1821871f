// What the operations, pages and commands of this area need; `app.ts` builds it once.
import type { Clock, Ids } from '../platform/clock.ts'
import type { Cursors } from '../platform/cursor.ts'
import type { Store, Tx } from '../platform/db/store.ts'
import type { CookieJar, Csrf, Devices } from './cookies.ts'
import type { RateLimiter } from './limits.ts'
import type { Mailer } from './mail.ts'
import type { Passwords } from './password.ts'

export interface AccountDeps {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  settings: AuthSettings
  passwords: Passwords
  limiter: RateLimiter
  csrf: Csrf
  devices: Devices
  jar: CookieJar
  /** Absent where the service sends no mail. */
  mail?: Mailer
  /** Ends the agents and applications of a person in an account that they leave, in the transaction in which they do. */
  endDelegated(tx: Tx, whose: { accountId: string; userId: string }, how: EndedHow): Promise<void>
}

/** Why and when something ended. */
export interface EndedHow {
  reason: string
  now: number
}

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
