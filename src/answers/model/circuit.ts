// A model that fails is left alone for a while: five failures in thirty seconds open its circuit for thirty; after that one call
// tries it, and its outcome decides. Pure; times are epoch ms.

export interface Circuit {
  /** When it failed, the last thirty seconds. */
  failures: readonly number[]
  /** Calls are refused before; 0: it never opened, or has closed since. */
  openUntil: number
  /** The one call that tries an opened circuit is under way. */
  isTried: boolean
}

export const circuitTimes = { failuresMax: 5, windowMs: 30_000, openMs: 30_000 } as const

export const closedCircuit: Circuit = { failures: [], openUntil: 0, isTried: false }

export function mayCall({ openUntil, isTried }: Circuit, now: number): boolean {
  return now >= openUntil && !isTried
}

/** A call begins. */
export function onCall(circuit: Circuit): Circuit {
  return circuit.openUntil === 0 ? circuit : { ...circuit, isTried: true }
}

/** `unknown`: the call was given up for a reason that is not the model's. */
export function onOutcome(circuit: Circuit, outcome: 'good' | 'failed' | 'unknown', now: number): Circuit {
  const wasOpen = circuit.openUntil !== 0
  if (outcome === 'unknown') return wasOpen ? { ...circuit, isTried: false } : circuit
  if (outcome === 'good') return wasOpen && now >= circuit.openUntil ? closedCircuit : circuit
  const failures = [...circuit.failures.filter((at) => at > now - circuitTimes.windowMs), now]
  const opens = failures.length >= circuitTimes.failuresMax || (wasOpen && now >= circuit.openUntil)
  return opens ? { failures: [], openUntil: now + circuitTimes.openMs, isTried: false } : { ...circuit, failures }
}
