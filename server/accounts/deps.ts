// What the operations, pages and commands of this area need; `app.ts` builds it once.
import type { Config } from '../config/config.ts'
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Cursors } from '../platform/db/cursor.ts'
import type { Store, Tx } from '../platform/db/store.ts'
import type { CookieJar, Csrf, Devices } from './cookies.ts'
import type { EndedHow } from './credentials.ts'
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

type Needed = 'baseUrl' | 'title' | 'planSessions' | 'anonymous' | 'agentTtlMs' | 'agentClaimedTtlMs'
export interface AuthSettings extends Pick<Config, Needed>, Partial<Pick<Config, 'signup' | 'trustedIssuers'>> {
  /** The first signs, all verify. At least one. */
  secrets: readonly string[]
}

export type TrustedIssuer = NonNullable<Config['trustedIssuers']>[number]
