// Builds the area of agents from its configuration and ports: what `app.ts` and the command line hold of it.
import { createAuthenticator, type FindAttendee } from '../accounts/authenticate.ts'
import { cookieJar, createCsrf, createDevices } from '../accounts/cookies.ts'
import { cachedLookup, createActivity, createCredentialLookup, createOpenStreams } from '../accounts/credentials.ts'
import type { AuthSettings } from '../accounts/deps.ts'
import type { AuthDeps } from './deps.ts'
import { createLimiter, createNotes, memoryCounters, postgresCounters } from '../accounts/limits.ts'
import type { Rates } from '../config/config.ts'
import type { Mailer } from '../accounts/mail.ts'
import { createPasswords, type PasswordCost } from '../accounts/password.ts'
import type { Clock, Ids } from '@rostrum/base/clock'
import { createCursors } from '../platform/db/cursor.ts'
import type { Store } from '../platform/db/store.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import { endDelegated } from './agents.ts'
import { claimUriOf } from './register.ts'
import { createAssertions, createIssuerKeys } from './assertion.ts'
import { createSigningKeys } from './signing-keys.ts'

export interface AuthOptions {
  store: Store
  clock: Clock
  ids: Ids
  settings: AuthSettings
  rates: Rates
  findAttendee: FindAttendee
  /** Fetches the keys of trusted issuers and the documents of OAuth clients. Without it neither is accepted. */
  outbound?: Pick<Outbound, 'request'>
  /** Carries links to people. Without it the operator and admins hand them over. */
  mail?: Mailer
  /** Background work failed: the write of "last used", the sweep, a counter. */
  onFailure?: (error: unknown) => void
  /** Cheaper in tests. */
  passwordCost?: PasswordCost
}

export type Auth = ReturnType<typeof createAuth>

export function createAuth({
  store,
  clock,
  ids,
  settings,
  rates,
  findAttendee,
  outbound,
  mail,
  onFailure = () => undefined,
  passwordCost,
}: AuthOptions) {
  const [secret = ''] = settings.secrets
  const counters = store.dialect === 'postgres' ? postgresCounters(store) : memoryCounters()
  const notes = createNotes(store, ids, onFailure)
  const limiter = createLimiter({
    rates,
    counters,
    clock,
    notes,
    onFailure,
    claimUriOf: (accountId, now) => claimUriOf(store.read, accountId, { settings }, now),
  })
  const csrf = createCsrf(settings.secrets)
  const activity = createActivity(store, clock, onFailure)
  const lookup = cachedLookup(store, createCredentialLookup(store))
  const openStreams = createOpenStreams(store, clock, onFailure)
  const deps: AuthDeps = {
    store,
    clock,
    ids,
    settings,
    limiter,
    csrf,
    devices: createDevices(settings.secrets, ids),
    cursors: createCursors(secret),
    assertions: createAssertions(settings, outbound && createIssuerKeys(outbound)),
    signingKeys: createSigningKeys({ store, ids, secrets: settings.secrets }),
    jar: cookieJar(settings.baseUrl),
    passwords: createPasswords(ids, passwordCost),
    endDelegated,
    ...(outbound && { outbound }),
    ...(mail && { mail }),
  }
  return {
    deps,
    /** Long-lived answers, closed when their credential ends. */
    openStreams,
    authenticator: createAuthenticator({ store, baseUrl: settings.baseUrl, csrf, activity, findAttendee, findCredential: lookup.find }),
    async close(): Promise<void> {
      limiter.close()
      lookup.stop()
      openStreams.stop()
      await notes.settled()
      await activity.close()
    },
  }
}
