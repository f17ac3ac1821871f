// The generic cell rate algorithm: one number per key (the theoretical arrival time) gives a limit without windows that
// reset at once. Pure; times are whole microseconds, because a call of `10/1h` is not a whole number of milliseconds.

export interface Policy {
  /** The name in `RateLimit` and `RateLimit-Policy`. */
  name: string
  count: number
  windowMs: number
}

/** What one policy says of one call. */
export interface Verdict {
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

/** The arrival time after one more call at `now`, or undefined where the limit refuses it. `tat` is undefined for a new key. */
export function arrive(policy: Policy, tat: number | undefined, now: number): number | undefined {
  const interval = intervalOf(policy)
  const next = Math.max(tat ?? now, now) + interval
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
