// What the operations, pages and commands of this area need; `app.ts` builds it once.
import type { Clock } from '../kernel/clock.ts'
import type { Cursors } from '../kernel/cursor.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Store } from '../storage/store.ts'
import type { CookieJar } from './cookies.ts'
import type { Csrf } from './csrf.ts'
import type { RateLimiter } from './limits/limiter.ts'
import type { Passwords } from './password.ts'

/** The part of the configuration that this area reads. */
export interface AuthSettings {
  /** An origin without a trailing slash. */
  baseUrl: string
  /** The name of this service on its pages. */
  title: string
  /** The first signs, all verify. At least one. */
  secrets: readonly string[]
  /** Sessions that an account may create in a month. */
  planSessions: number
  /** Whether agents may register without an identity. */
  anonymous: boolean
  agentTtlMs: number
  agentClaimedTtlMs: number
}

export interface AuthDeps {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  settings: AuthSettings
  passwords: Passwords
  limiter: RateLimiter
  csrf: Csrf
  jar: CookieJar
}
