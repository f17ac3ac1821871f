// The decisions of `destination.ts`, each made once: they are pure, the policy never changes, and webhooks ask for the same few
// destinations again and again. What is remembered is the decision about these very addresses, never the addresses.
import type { Destination, EgressPolicy, Parsed } from './destination.ts'
import { judgeAddresses, judgeDestination, parseDestination } from './destination.ts'
import type { OutboundFailure } from './outcome.ts'

export type Vetted = { ok: true; addresses: readonly string[] } | OutboundFailure

export interface Judging {
  /** The same object for the same text, so that what is known of it can be found. */
  parse(url: string): Parsed
  destination(destination: Destination): OutboundFailure | undefined
  addresses(destination: Destination, addresses: readonly string[]): Vetted
}

const urlsMax = 1_000

interface Known {
  early: OutboundFailure | undefined
  /** The last answer of the resolver and what it meant. */
  last: { addresses: readonly string[]; vetted: Vetted } | undefined
}

export function judging(policy: EgressPolicy): Judging {
  const urls = new Map<string, Parsed>()
  const verdicts = new WeakMap<Destination, Known>()

  function knownOf(destination: Destination): Known {
    let known = verdicts.get(destination)
    if (known === undefined) {
      known = { early: judgeDestination(destination, policy), last: undefined }
      verdicts.set(destination, known)
    }
    return known
  }

  return {
    parse(url) {
      let parsed = urls.get(url)
      if (parsed === undefined) {
        parsed = parseDestination(url)
        if (urls.size >= urlsMax) urls.clear()
        urls.set(url, parsed)
      }
      return parsed
    },
    destination: (destination) => knownOf(destination).early,
    addresses(destination, addresses) {
      const known = knownOf(destination)
      if (known.last !== undefined && isSame(known.last.addresses, addresses)) return known.last.vetted
      const copy = [...addresses]
      const vetted = judgeAddresses(destination, copy, policy) ?? { ok: true, addresses: copy }
      known.last = { addresses: copy, vetted }
      return vetted
    },
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at])
}
