// What the operations, pages and commands of this area need; `app.ts` builds it once.
import type { Clock } from '../kernel/clock.ts'
import type { Cursors } from '../kernel/cursor.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Store } from '../storage/store.ts'
import type { Assertions } from './assertions/verify.ts'
import type { CookieJar } from './cookies.ts'
import type { Csrf } from './csrf.ts'
import type { Devices } from './devices.ts'
import type { RateLimiter } from './limits/limiter.ts'
import type { Mailer } from './mail/mailer.ts'
import type { SigningKeys } from './oauth/signing-keys.ts'
import type { Passwords } from './password.ts'
import type { AuthSettings } from './settings.ts'

export interface AuthDeps {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  settings: AuthSettings
  passwords: Passwords
  limiter: RateLimiter
  csrf: Csrf
  devices: Devices
  assertions: Assertions
  signingKeys: SigningKeys
  /** Fetches the documents by which OAuth clients describe themselves; absent where nothing goes out. */
  outbound?: Pick<Outbound, 'request'>
  jar: CookieJar
  /** Absent where the service sends no mail. */
  mail?: Mailer
}
