// Which policies count a call, and by which key (spec 7: 429). A limit that protects a secret refuses when its counter cannot
// be reached; every other one lets the call pass.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock, Ids } from '@rostrum/base/clock'
import { ServiceError, unclaimedError } from '@rostrum/base/errors'
import type { RateBucket, Rates } from '../config/config.ts'
import { type Call, checkVerdict, type Limiter, type LimitVerdict } from '../platform/operation.ts'
import { actsForAccount, type Principal } from '../platform/principal.ts'
import type { Store } from '../platform/db/store.ts'
import { type Act, actorOf, recordAct } from './audit.ts'
import { networkSteps } from './networks.ts'

// The generic cell rate algorithm: one number per key (the theoretical arrival time) gives a limit without windows that
// reset at once. Pure; times are whole microseconds, because a call of `10/1h` is not a whole number of milliseconds.

export interface Policy {
  /** The name in `RateLimit` and `RateLimit-Policy`. */
  name: string
  count: number
  windowMs: number
}

/** What one policy says of one call. */
interface Verdict {
  policy: Policy
  allowed: boolean
  remaining: number
  /** Until every call of the window is free again. */
  resetMs: number
  /** Until one call passes; 0 while some remain. */
  retryMs: number
}

/** Microseconds between two calls at the steady rate. */
export function intervalOf(policy: Policy): number {
  return Math.max(1, Math.floor((policy.windowMs * 1_000) / policy.count))
}

/** The arrival time after one more call at `now`, or after what costs as much as `cost` of them, or undefined where the limit refuses it. `tat` is undefined for a new key. */
export function arrive(policy: Policy, tat: number | undefined, now: number, cost = 1): number | undefined {
  const interval = intervalOf(policy)
  const next = Math.max(tat ?? now, now) + interval * cost
  return next - now <= interval * policy.count ? next : undefined
}

/** The verdict for the stored arrival time `tat`, after a call at `now` that was allowed or not. */
export function verdictOf(policy: Policy, tat: number, now: number, allowed: boolean): Verdict {
  const interval = intervalOf(policy)
  const used = Math.max(0, tat - now)
  const room = interval * policy.count - used
  const remaining = Math.max(0, Math.floor(room / interval))
  return { policy, allowed, remaining, resetMs: used / 1_000, retryMs: remaining > 0 ? 0 : (interval - room) / 1_000 }
}

/** `RateLimit`, `RateLimit-Policy` and, on refusal, `Retry-After`; the tightest policy first. */
export function limitHeaders(verdicts: readonly Verdict[]): Record<string, string> {
  const [only] = verdicts
  if (only === undefined) return {}
  // One policy that lets the call pass: nearly every call.
  if (verdicts.length === 1 && only.allowed) return { 'RateLimit-Policy': policyText(only), RateLimit: stateText(only) }
  const sorted = verdicts.toSorted((a, b) => Number(a.allowed) - Number(b.allowed) || a.remaining - b.remaining || b.retryMs - a.retryMs)
  const refused = sorted.find((verdict) => !verdict.allowed)
  return {
    'RateLimit-Policy': sorted.map(policyText).join(', '),
    RateLimit: sorted.map(stateText).join(', '),
    ...(refused === undefined ? {} : { 'Retry-After': String(Math.max(1, waitSeconds(refused))) }),
  }
}

const policyText = ({ policy }: Verdict): string => `"${policy.name}";q=${policy.count};w=${Math.ceil(policy.windowMs / 1_000)}`
const stateText = (verdict: Verdict): string => `"${verdict.policy.name}";r=${verdict.remaining};t=${waitSeconds(verdict)}`

/** Seconds until full or, with nothing left, until one call passes. */
function waitSeconds(verdict: Verdict): number {
  return Math.ceil((verdict.remaining > 0 ? verdict.resetMs : verdict.retryMs) / 1_000)
}

// Where the limiter keeps its arrival times: a map in memory for one process (a durable write per request would cost a sync of
// the disk), an unlogged table for many.

export interface Counters {
  /** Counts one call, or `cost` of them, against `policy` for `key`, atomically; `now` in milliseconds. */
  take(policy: Policy, key: string, now: number, cost?: number): Promise<Verdict>
  /** Gives it back. */
  refund(policy: Policy, key: string, cost?: number): Promise<void>
  /** Forgets keys whose window has passed. */
  sweep(now: number): Promise<void>
}

const entriesMax = 1_000_000

export function memoryCounters(max = entriesMax): Counters {
  const arrivals = new Map<string, number>()
  const sweep = (nowUs: number) => {
    for (const [key, tat] of arrivals) if (tat <= nowUs) arrivals.delete(key)
  }
  return {
    take(policy, key, now, cost = 1) {
      const nowUs = now * 1_000
      const id = `${policy.name}:${key}`
      const tat = arrivals.get(id)
      const next = arrive(policy, tat, nowUs, cost)
      if (next !== undefined) {
        if (tat === undefined && arrivals.size >= max) sweep(nowUs)
        // Full of keys that still count: the oldest key goes, because refusing new callers would let one flood shut the door.
        const oldest = arrivals.size >= max && tat === undefined ? arrivals.keys().next().value : undefined
        if (oldest !== undefined) arrivals.delete(oldest)
        arrivals.set(id, next)
      }
      return Promise.resolve(verdictOf(policy, next ?? tat ?? nowUs, nowUs, next !== undefined))
    },
    refund(policy, key, cost = 1) {
      const id = `${policy.name}:${key}`
      const tat = arrivals.get(id)
      if (tat !== undefined) arrivals.set(id, tat - intervalOf(policy) * cost)
      return Promise.resolve()
    },
    sweep(now) {
      sweep(now * 1_000)
      return Promise.resolve()
    },
  }
}

/** One autocommitted statement per call: only the `ok` column tells a refusal from a success. */
export function postgresCounters(store: Store): Counters {
  let prepared: Promise<unknown> | undefined
  const makeUnlogged = () =>
    sql`ALTER TABLE rate_limits SET UNLOGGED`.execute(store.read).catch((error: unknown) => {
      prepared = undefined
      throw error
    })
  return {
    async take(policy, key, now, cost = 1) {
      // Counts need no log: they may be lost with a crash. Does nothing where another node has done it.
      await (prepared ??= makeUnlogged())
      const [nowUs, interval] = [now * 1_000, intervalOf(policy)]
      const added = interval * Math.min(cost, policy.count)
      const fits = sql`greatest(rate_limits.tat, ${nowUs}::bigint) + ${added}::bigint - ${nowUs}::bigint <= ${interval * policy.count}::bigint`
      const { rows } = await sql<{ tat: number; ok: number }>`
        INSERT INTO rate_limits (id, tat, ok) VALUES (${`${policy.name}:${key}`}, ${nowUs + added}::bigint, 1)
        ON CONFLICT (id) DO UPDATE SET
          ok = CASE WHEN ${fits} THEN 1 ELSE 0 END,
          tat = CASE WHEN ${fits} THEN greatest(rate_limits.tat, ${nowUs}::bigint) + ${added}::bigint ELSE rate_limits.tat END
        RETURNING tat, ok`.execute(store.read)
      const row = rows[0]
      if (row === undefined) throw new Error('the limiter statement returned no row')
      return verdictOf(policy, row.tat, nowUs, row.ok === 1)
    },
    async refund(policy, key, cost = 1) {
      await sql`UPDATE rate_limits SET tat = tat - ${intervalOf(policy) * cost}::bigint WHERE id = ${`${policy.name}:${key}`}`.execute(
        store.read,
      )
    },
    async sweep(now) {
      await sql`DELETE FROM rate_limits WHERE tat <= ${now * 1_000}::bigint`.execute(store.read)
    },
  }
}

type Caller = Pick<Call, 'principal' | 'address' | 'now'>

/** One policy and the key it counts by. */
export interface Check {
  policy: Policy
  key: string
  /** A wider network: told where it refuses, for nobody plans by it. */
  isWide?: true
  /** Of how many calls; one where absent. */
  cost?: number
}

export interface LimiterOptions {
  rates: Rates
  counters: Counters
  clock: Clock
  /** Where refusals are written down. */
  notes?: Notes
  /** A counter could not be reached. */
  onFailure?: (error: unknown) => void
  /** Where a person claims the agent of an account. */
  claimUriOf?: (accountId: string, now: number) => Promise<string | undefined>
}

export type RateLimiter = ReturnType<typeof createLimiter>

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
/** What another attendee may ask is had by joining once more: so many times the rate for all of a network address, a hall that asks at once. */
const ofManyFactor = 20
const ofMany: ReadonlySet<RateBucket> = new Set<RateBucket>(['questions', 'pap'])
/** Counted over the account: its storage, and doors that it could have us knock on. */
const byAccount: ReadonlySet<RateBucket> = new Set<RateBucket>(['upload', 'unclaimedUpload', 'tests'])
/** Where a counter that is out of reach must not open the door. */
const failsClosed: ReadonlySet<RateBucket> = new Set<RateBucket>(['register', 'signin', 'claim', 'clients', 'pages', 'report', 'tests'])

export function createLimiter({ rates, counters, clock, notes, onFailure, claimUriOf }: LimiterOptions) {
  const policyOf = (bucket: RateBucket, name: string = bucket, factor = 1): Policy | undefined => {
    const rate = rates[bucket]
    return rate === 'off' ? undefined : { name, count: rate.count * factor, windowMs: rate.windowMs }
  }
  const check = (policy: Policy | undefined, key: string): Check[] => (policy === undefined ? [] : [{ policy, key }])

  /** An address and the networks it is in, the narrowest first. */
  function ofNetworks(bucket: RateBucket, name: string, address: string, factor = 1): Check[] {
    if (rates[bucket] === 'off') return []
    return networkSteps(address).flatMap(({ network, times }) => {
      const [own] = check(policyOf(bucket, times === 1 ? name : `${name}-network`, factor * times), network)
      return own === undefined ? [] : [times === 1 ? own : { ...own, isWide: true as const }]
    })
  }

  function checksFor(bucket: RateBucket, caller: Caller): readonly Check[] {
    const key = keyFor(bucket, caller)
    const own = key === null ? ofNetworks(bucket, bucket, caller.address) : check(policyOf(bucket), key)
    if (key !== null && ofMany.has(bucket) && !isVouched(caller.principal))
      return [...own, ...ofNetworks(bucket, `${bucket}-address`, caller.address, ofManyFactor)]
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

  /** Counts `checks` in order; the first that refuses ends it, so a refused caller spends nothing of what is shared. */
  async function take(checks: readonly Check[], now: number, failClosed: boolean): Promise<LimitVerdict> {
    const verdicts: Verdict[] = []
    if (checks.length > 0) sweepLater()
    try {
      for (const { policy, key, isWide, cost } of checks) {
        const verdict = await counters.take(policy, key, now, cost)
        if (isWide !== true || !verdict.allowed) verdicts.push(verdict)
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

  async function uploadsRefused({ principal, now }: Caller, { headers }: LimitVerdict): Promise<ServiceError> {
    const rate = rates.unclaimedUpload
    const many = rate === 'off' ? '' : ` ${rate.count} files in ${Math.round(rate.windowMs / 60_000)} minutes`
    const words = `An unclaimed agent may send${many}: try again in ${headers['Retry-After'] ?? '1'} s.`
    const claimUri = isCredential(principal) ? await claimUriOf?.(principal.accountId, now) : undefined
    return unclaimedError('rate_limited', words, claimUri, headers)
  }

  const consume: Limiter['consume'] = async (bucket, caller) => {
    const verdict = await take(checksFor(bucket, caller), caller.now, failsClosed.has(bucket))
    if (verdict.allowed) return verdict
    notes?.note(caller, 'limit.crossed', { limit: bucket })
    return bucket === 'unclaimedUpload' ? { ...verdict, refusal: await uploadsRefused(caller, verdict) } : verdict
  }
  return {
    consume,
    /** As `consume`; throws `rate_limited` where it refuses, else gives the headers. */
    async pass(bucket: RateBucket, caller: Caller): Promise<LimitVerdict['headers']> {
      const verdict = await consume(bucket, caller)
      checkVerdict(verdict)
      return verdict.headers
    },
    scopeRefused: (call: AuditedCall, needed: readonly string[]) => notes?.note(call, 'scope.refused', { needed }),
    take,
    async refund(checks: readonly Check[]): Promise<void> {
      for (const { policy, key, cost } of checks) await counters.refund(policy, key, cost)
    },
    /** The policies of failed sign-ins. A browser that is known by its mark is counted apart from everybody else. */
    signInChecks(email: string, address: string, device?: string): readonly Check[] {
      const [{ network }] = networkSteps(address)
      const [tight, wide] = device === undefined ? [`${network} ${email}`, `person ${email}`] : [`device ${device}`, `devices ${email}`]
      return [
        ...(device === undefined ? ofNetworks('signin', 'signin-address', address, signInAddressFactor) : []),
        ...check(policyOf('signin'), tight),
        ...check(policyOf('signin', 'signin-person', signInPersonFactor), wide),
      ]
    },
    /** The policy of a password that a signed-in person enters again. */
    reentryChecks: (userId: string) => check(policyOf('signin'), `user ${userId}`),
    /** The policies of mailed recovery links: per network address, and per address that a mail would go to. */
    recoveryChecks: (email: string, address: string) => ({
      network: ofNetworks('signin', 'recovery-address', address),
      person: check(policyOf('signin') && recoveryMails, email),
    }),
    close: () => cancel?.(),
  }
}

/** The caller in the unit that the bucket counts by; null: their address. */
function keyFor(bucket: RateBucket, { principal }: Caller): string | null {
  if (byAddress.has(bucket)) return null
  if (byAccount.has(bucket) && (principal.kind === 'user' || isCredential(principal))) return principal.accountId
  if (principal.kind === 'attendee') return principal.attendeeId
  if (principal.kind === 'user') return principal.userId
  // An agent may hold several tokens at once; what they do counts together.
  return isCredential(principal) ? (principal.registrationId ?? principal.credentialId) : null
}

/** Somebody answers for the caller: other credentials of theirs are not had for nothing. */
function isVouched(principal: Principal): boolean {
  return principal.kind === 'user' || (isCredential(principal) && principal.isUnclaimed !== true)
}

function isCredential(principal: Principal): principal is Extract<Principal, { credentialId: string }> {
  return principal.kind === 'api_key' || principal.kind === 'agent' || principal.kind === 'oauth'
}

// Refused scopes and crossed limits in the audit log, once an hour for each caller and reason, on all nodes together: enough to see
// what went on, and nothing that a caller could flood.

const hourMs = 3_600_000

type AuditedCall = Caller & Partial<Pick<Call, 'requestId'>>

type Notes = ReturnType<typeof createNotes>

export function createNotes(store: Store, ids: Ids, onFailure: (error: unknown) => void) {
  let hour = -1
  let noted = new Set<string>()
  let writing: Promise<unknown> = Promise.resolve()
  return {
    /** Never delays or fails a call. */
    note({ principal, address, now, requestId }: AuditedCall, action: string, data: NonNullable<Act['data']>): void {
      // Strangers share one line an hour, or addresses without number would fill the log.
      const isKnown = actsForAccount(principal)
      const actor = { ...actorOf({ principal, address, requestId: '', now }), requestId: requestId ?? null }
      const present = Math.floor(now / hourMs)
      if (present !== hour) [hour, noted] = [present, new Set()]
      const key = `${action} ${JSON.stringify(data)} ${isKnown ? `${actor.kind} ${actor.id ?? ''}` : 'strangers'} ${present}`
      if (noted.has(key)) return
      noted.add(key)
      const act = { id: idOf(key), action, accountId: isKnown ? principal.accountId : null, data }
      writing = Promise.all([writing, store.write((tx) => recordAct(tx, ids, actor, act)).catch(onFailure)])
    },
    /** Waits for what is being written. */
    async settled(): Promise<void> {
      await writing
    },
  }
}

/** Of the many nodes that note the same, one writes. */
function idOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
