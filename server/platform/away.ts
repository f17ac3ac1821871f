// A dependency that is away is not a fault of ours: PostgreSQL that does not answer, a disk that is full. The one place that tells it
// from an error. The doors of what is kept (`platform/db`, files) ask here, and from there on it is a plain refusal that every surface
// knows and every client repeats: 503 `temporarily_unavailable` with `Retry-After`.
import type { Clock } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'

export type Why = 'unreachable' | 'busy' | 'full' | 'unwritable'

const network = 'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENOTFOUND EAI_AGAIN'
const whyByCode: ReadonlyMap<unknown, Why> = new Map<unknown, Why>([
  ...network.split(' ').map((code): [string, Why] => [code, 'unreachable']),
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EIO', 'unwritable'],
  ['EROFS', 'unwritable'],
  ['EACCES', 'unwritable'],
  ['EPERM', 'unwritable'],
  ['EMFILE', 'busy'],
  ['ENFILE', 'busy'],
])

/** Primary result codes (sqlite.org/rescode.html): BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN. */
const whyBySqlite: ReadonlyMap<number, Why> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'unwritable'],
  [10, 'unwritable'],
  [13, 'full'],
  [14, 'unwritable'],
])

/** PostgreSQL, appendix A: connection exceptions, who may connect, a server that starts, stops or was ended; then what it lacks. */
const sqlStates: readonly (readonly [RegExp, Why])[] = [
  [/^(?:08|28|57P0|3D000|58000)/, 'unreachable'],
  [/^53[03]/, 'busy'],
  [/^53100/, 'full'],
  [/^(?:25006|58030)/, 'unwritable'],
  [/^53/, 'busy'],
]

/** What pg says in words alone. */
const words =
  /^(?:timeout e(?:xceeded|xpired)|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/

/** The refusal; it has been counted and told where it was made. */
export class Away extends ServiceError {
  readonly why: Why

  constructor(why: Why, cause?: unknown) {
    const { detail, seconds } = told[why]
    super('temporarily_unavailable', detail, { headers: { 'Retry-After': String(seconds) } })
    this.why = why
    if (cause !== undefined) this.cause = cause
  }
}

/** Undefined for everything else: that is an error. */
export function whyAway(error: unknown): Why | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof Away) return error.why
  // Words of our own for a caller.
  if (error instanceof ServiceError) return undefined
  if ('errcode' in error) return whyBySqlite.get(Number(error.errcode) & 0xff)
  const code = 'code' in error ? error.code : undefined
  const known = whyByCode.get(code)
  if (known !== undefined) return known
  // Of the database's own errors all have a code of five signs.
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return sqlStates.find(([states]) => states.test(code))?.[1]
  if (words.test(error.message)) return 'unreachable'
  const within: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
  return within === undefined ? undefined : whyAway(within)
}

const told: Readonly<Record<Why, { detail: string; seconds: number }>> = {
  unreachable: { detail: 'The store of this service does not answer at the moment. Send the same again in a few seconds.', seconds: 2 },
  busy: { detail: 'The store of this service is busy at the moment. Send the same again in a few seconds.', seconds: 2 },
  full: {
    detail: 'The disk of this service is full, so that nothing can be stored at the moment. Send the same again in a minute.',
    seconds: 60,
  },
  unwritable: {
    detail: 'The disk of this service cannot be used, so that nothing can be stored at the moment. Send the same again in a minute.',
    seconds: 60,
  },
}

/** The words of a reason, for callers. */
export const awayWords = (why: Why): string => told[why].detail

/** The refusal where a dependency is away, else the error as it is. */
export function awayOr(error: unknown): unknown {
  const why = whyAway(error)
  return why === undefined || error instanceof Away ? error : new Away(why, error)
}

// How a store is: what it was asked in vain, and whether it can be written.

export type Health = ReturnType<typeof createHealth>

/** Hears why a call was refused that the store could not serve. */
export type OnAway = (why: Why, cause: unknown) => unknown

export function createHealth(onAway: OnAway = () => undefined) {
  const failures = new Map<Why, number>()
  let fault: Why | null = null
  return {
    /** By reason, since the start. */
    failures: failures as ReadonlyMap<Why, number>,
    /** Why the last write came to nothing; null once another is kept. */
    fault: (): Why | null => fault,
    kept: (): void => void (fault = null),
    /** What its caller is told. */
    failed(error: unknown, isWrite: boolean): unknown {
      const why = whyAway(error)
      if (why === undefined) return error
      failures.set(why, (failures.get(why) ?? 0) + 1)
      if (isWrite && why !== 'busy') fault = why
      onAway(why, error)
      return awayOr(error)
    },
  }
}

const everyMs = 60_000

/** Tells the same words once a minute at most. */
export function tellSeldom(clock: Clock, tell: (words: string, cause?: unknown) => void): (words: string, cause?: unknown) => void {
  const last = new Map<string, number>()
  return (words, cause) => {
    const now = clock.now()
    if (now - (last.get(words) ?? -everyMs) < everyMs) return
    last.set(words, now)
    tell(words, cause)
  }
}
