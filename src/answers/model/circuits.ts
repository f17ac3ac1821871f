// The circuits of the models of one chain, by their place in it: every kind of call of this process counts on the same.
import type { Clock } from '../../platform/clock.ts'

// A model that fails is left alone for a while: five failures in thirty seconds open its circuit for thirty; after that one call
// tries it, and its outcome decides. Pure; times are epoch ms.

interface Circuit {
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

export interface Circuits {
  mayCall(at: number): boolean
  /** It has not failed of late: a call that is not an answer leaves the trial of an opened circuit to those that are. */
  isClosed(at: number): boolean
  onCall(at: number): void
  onOutcome(at: number, outcome: 'good' | 'failed' | 'unknown'): void
}

export function createCircuits(clock: Clock): Circuits {
  const circuits = new Map<number, Circuit>()
  const circuitOf = (at: number) => circuits.get(at) ?? closedCircuit
  return {
    mayCall: (at) => mayCall(circuitOf(at), clock.now()),
    isClosed: (at) => circuitOf(at).openUntil === 0,
    onCall: (at) => void circuits.set(at, onCall(circuitOf(at))),
    onOutcome: (at, outcome) => void circuits.set(at, onOutcome(circuitOf(at), outcome, clock.now())),
  }
}
