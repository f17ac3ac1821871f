// Which policies count a call, and by which key (spec 7: 429). A limit that protects a secret refuses when its counter cannot
// be reached; every other one lets the call pass.
import type { Clock } from '../../kernel/clock.ts'
import { ServiceError } from '../../kernel/errors.ts'
import type { Call, Limiter, LimitVerdict, RateBucket } from '../../kernel/operation.ts'
import type { Principal } from '../../kernel/principal.ts'
import { addressUnit } from '../address.ts'
import type { Counters } from './counters.ts'
import type { Policy, Verdict } from './gcra.ts'
import { limitHeaders } from './gcra.ts'

export type Rates = Readonly<Record<RateBucket, { count: number; windowMs: number } | 'off'>>

type Caller = Pick<Call, 'principal' | 'address' | 'now'>

/** One policy and the key it counts by. */
export interface Check {
  policy: Policy
  key: string
}

export interface LimiterOptions {
  rates: Rates
  counters: Counters
  clock: Clock
  /** A counter could not be reached. */
  onFailure?: (error: unknown) => void
}

export interface RateLimiter extends Limiter {
  /** Counts `checks` in order; the first that refuses ends it, so a refused caller spends nothing of what is shared. */
  take(checks: readonly Check[], now: number, failClosed: boolean): Promise<LimitVerdict>
  refund(checks: readonly Check[]): Promise<void>
  /** The policies of failed sign-ins. A browser that is known by its mark is counted apart from everybody else. */
  signInChecks(email: string, address: string, device?: string): readonly Check[]
  /** The policy of a password that a signed-in person enters again. */
  reentryChecks(userId: string): readonly Check[]
  /** The policies of mailed recovery links: per network address, and per address that a mail would go to. */
  recoveryChecks(email: string, address: string): { network: readonly Check[]; person: readonly Check[] }
  close(): void
}

/** Registrations over all addresses, as a multiple of the configured rate. */
const registerAllFactor = 20
/** Reports over all addresses, likewise: beyond it nobody reads them. */
const reportAllFactor = 40
/** Failed sign-ins from one network address, and of one person from all networks or from all known browsers together. */
const signInAddressFactor = 5
const signInPersonFactor = 10
/** Mails that anybody can make us send to one person. */
const recoveryMails = { name: 'recovery', count: 3, windowMs: 3_600_000 }
const sweepEveryMs = 60_000

/** Counted by the address, whoever calls: another credential is had for nothing. */
const byAddress: ReadonlySet<RateBucket> = new Set<RateBucket>(['register', 'clients', 'join', 'discovery', 'report'])
/** Where a counter that is out of reach must not open the door. */
const failsClosed: ReadonlySet<RateBucket> = new Set<RateBucket>(['register', 'signin', 'claim', 'clients', 'pages', 'report'])

export function createLimiter({ rates, counters, clock, onFailure }: LimiterOptions): RateLimiter {
  const policyOf = (bucket: RateBucket, name: string = bucket, factor = 1): Policy | undefined => {
    const rate = rates[bucket]
    return rate === 'off' ? undefined : { name, count: rate.count * factor, windowMs: rate.windowMs }
  }
  const check = (policy: Policy | undefined, key: string): Check[] => (policy === undefined ? [] : [{ policy, key }])

  function checksFor(bucket: RateBucket, caller: Caller): readonly Check[] {
    const own = check(policyOf(bucket), keyFor(bucket, caller))
    if (bucket === 'register') return [...own, ...check(policyOf('register', 'register-all', registerAllFactor), 'all')]
    return bucket === 'report' ? [...own, ...check(policyOf('report', 'report-all', reportAllFactor), 'all')] : own
  }

  let cancel: (() => void) | undefined
  /** Only while calls are counted: an idle service sets no timer. */
  const sweepLater = () => {
    cancel ??= clock.after(sweepEveryMs, () => {
      cancel = undefined
      counters.sweep(clock.now()).catch((error: unknown) => onFailure?.(error))
    })
  }

  async function take(checks: readonly Check[], now: number, failClosed: boolean): Promise<LimitVerdict> {
    const verdicts: Verdict[] = []
    if (checks.length > 0) sweepLater()
    try {
      for (const { policy, key } of checks) {
        const verdict = await counters.take(policy, key, now)
        verdicts.push(verdict)
        if (!verdict.allowed) break
      }
    } catch (error) {
      onFailure?.(error)
      if (failClosed) {
        throw new ServiceError('temporarily_unavailable', 'The limit cannot be checked right now.', { headers: { 'Retry-After': '2' } })
      }
    }
    return { allowed: verdicts.every((verdict) => verdict.allowed), headers: limitHeaders(verdicts) }
  }

  return {
    consume: (bucket, caller) => take(checksFor(bucket, caller), caller.now, failsClosed.has(bucket)),
    take,
    async refund(checks) {
      for (const { policy, key } of checks) await counters.refund(policy, key)
    },
    signInChecks(email, address, device) {
      const network = addressUnit(address)
      const [tight, wide] = device === undefined ? [`${network} ${email}`, `person ${email}`] : [`device ${device}`, `devices ${email}`]
      return [
        ...(device === undefined ? check(policyOf('signin', 'signin-address', signInAddressFactor), network) : []),
        ...check(policyOf('signin'), tight),
        ...check(policyOf('signin', 'signin-person', signInPersonFactor), wide),
      ]
    },
    reentryChecks: (userId) => check(policyOf('signin'), `user ${userId}`),
    recoveryChecks: (email, address) => ({
      network: check(policyOf('signin', 'recovery-address'), addressUnit(address)),
      person: check(policyOf('signin') && recoveryMails, email),
    }),
    close: () => cancel?.(),
  }
}

/** The caller in the unit that the bucket counts by. */
function keyFor(bucket: RateBucket, { principal, address }: Caller): string {
  if (byAddress.has(bucket)) return addressUnit(address)
  if (bucket === 'upload' && (principal.kind === 'user' || isCredential(principal))) return principal.accountId
  if (principal.kind === 'attendee') return principal.attendeeId
  if (principal.kind === 'user') return principal.userId
  // An agent may hold several tokens at once; what they do counts together.
  return isCredential(principal) ? (principal.registrationId ?? principal.credentialId) : addressUnit(address)
}

function isCredential(principal: Principal): principal is Extract<Principal, { credentialId: string }> {
  return principal.kind === 'api_key' || principal.kind === 'agent' || principal.kind === 'oauth'
}
