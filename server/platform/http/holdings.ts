// What a process holds for its callers at a time, in all and for each of them: beyond it a call is told to come back, and what others
// hold is theirs.
import { ServiceError } from '@rostrum/base/errors'

export interface Holding {
  /** Throws `rate_limited` where the caller holds too much, `temporarily_unavailable` where the process does. */
  add(amount: number): void
  release(): void
}

interface Bounds {
  all: number
  each: number
  /** What a caller is told that holds too much. */
  words: string
}

const later = { headers: { 'Retry-After': '5' } }

export function createHoldings({ all, each, words }: Bounds): (owner: string) => Holding {
  const held = new Map<string, number>()
  let sum = 0
  return (owner) => {
    let own = 0
    return {
      add(amount) {
        const before = held.get(owner) ?? 0
        if (before + amount > each) throw new ServiceError('rate_limited', `${words} Try again in 5 s.`, later)
        if (sum + amount > all)
          throw new ServiceError('temporarily_unavailable', 'The service is taking in as much as it can hold. Try again in 5 s.', later)
        held.set(owner, before + amount)
        sum += amount
        own += amount
      },
      release() {
        const left = (held.get(owner) ?? 0) - own
        if (left > 0) held.set(owner, left)
        else held.delete(owner)
        sum -= own
        own = 0
      },
    }
  }
}
