// The circuits of the models of one chain, by their place in it: every kind of call of this process counts on the same.
import type { Clock } from '../../platform/clock.ts'
import { type Circuit, closedCircuit, mayCall, onCall, onOutcome } from './circuit.ts'

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
