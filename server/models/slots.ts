// Who may call a model now, and which: slots that are shared fairly, and circuits that leave a failing model alone.
import type { Clock } from '@rostrum/base/clock'

/** Five failures in thirty seconds open a circuit for thirty; after that one call tries it, and its outcome decides. */
export const circuitTimes = { failuresMax: 5, windowMs: 30_000, openMs: 30_000 } as const

interface Circuit {
  /** When it failed, the last thirty seconds. */
  failures: readonly number[]
  /** Calls are refused before; 0: it never opened, or has closed since. */
  openUntil: number
  /** The one call that tries an opened circuit is under way. */
  isTried: boolean
}

const closed: Circuit = { failures: [], openUntil: 0, isTried: false }

/** Of the models of one chain, by their place in it: every kind of call of this process counts on the same. */
export interface Circuits {
  mayCall(at: number): boolean
  onCall(at: number): void
  /** `unknown`: the call was given up for a reason that is not the model's. */
  onOutcome(at: number, outcome: 'good' | 'failed' | 'unknown'): void
}

export function createCircuits(clock: Clock): Circuits {
  const circuits = new Map<number, Circuit>()
  const circuitOf = (at: number) => circuits.get(at) ?? closed
  const isClosed = (at: number) => circuitOf(at).openUntil === 0
  return {
    mayCall: (at) => clock.now() >= circuitOf(at).openUntil && !circuitOf(at).isTried,
    onCall(at) {
      if (!isClosed(at)) circuits.set(at, { ...circuitOf(at), isTried: true })
    },
    onOutcome(at, outcome) {
      const now = clock.now()
      const circuit = circuitOf(at)
      const isTrial = !isClosed(at) && now >= circuit.openUntil
      if (outcome === 'unknown') circuits.set(at, { ...circuit, isTried: false })
      else if (outcome === 'good') circuits.set(at, isTrial ? closed : circuit)
      else {
        const failures = [...circuit.failures.filter((failed) => failed > now - circuitTimes.windowMs), now]
        const opens = isTrial || failures.length >= circuitTimes.failuresMax
        circuits.set(at, opens ? { ...closed, openUntil: now + circuitTimes.openMs } : { ...circuit, failures })
      }
    },
  }
}

/** So many wait for a slot, and so long; whoever is refused gets the quoting answer at once. */
export const slotLimits = { queueMax: 32, waitMaxMs: 1_500 } as const

interface Ticket {
  /** Whose turn it is: the session, and the attendee in it. */
  owners: readonly string[]
  settle(leave: (() => void) | null): void
}

export interface Slots {
  /** Gives the slot's return, or null: refused, or `signal` has aborted. */
  take(sessionId: string, attendeeId: string, signal: AbortSignal): Promise<(() => void) | null>
  readonly running: number
}

export function createSlots(clock: Clock, count: number): Slots {
  const running = new Set<Ticket>()
  const waiting = new Set<Ticket>()
  /** The last turn of each owner that is here; those that never had one come first. */
  const turns = new Map<string, number>()
  let turn = 0

  /** Fewest calls under way, then the longest without a turn: of the session first, then of the attendee. */
  const rankOf = ({ owners }: Ticket): number[] =>
    owners.flatMap((owner) => [[...running].filter((each) => each.owners.includes(owner)).length, turns.get(owner) ?? -1])

  /** The first in the queue of those that rank alike. */
  function next(): Ticket | undefined {
    const ranked = [...waiting].map((ticket) => ({ ticket, rank: rankOf(ticket) }))
    return ranked.toSorted((one, other) => {
      const at = one.rank.findIndex((value, place) => value !== other.rank[place])
      return at < 0 ? 0 : (one.rank[at] ?? 0) - (other.rank[at] ?? 0)
    })[0]?.ticket
  }

  function enter(ticket: Ticket): () => void {
    waiting.delete(ticket)
    running.add(ticket)
    turn += 1
    for (const owner of ticket.owners) turns.set(owner, turn)
    return () => {
      running.delete(ticket)
      fill()
    }
  }

  function fill(): void {
    for (let ticket = next(); ticket !== undefined && running.size < count; ticket = next()) ticket.settle(enter(ticket))
    // Turns of those who have left are of no use.
    const here = new Set([...running, ...waiting].flatMap(({ owners }) => owners))
    for (const owner of turns.keys()) if (!here.has(owner)) turns.delete(owner)
  }

  return {
    take(sessionId, attendeeId, signal) {
      if (signal.aborted) return Promise.resolve(null)
      const { promise, resolve } = Promise.withResolvers<(() => void) | null>()
      const refuse = () => ticket.settle(null)
      const cancel = clock.after(slotLimits.waitMaxMs, refuse)
      const ticket: Ticket = {
        owners: [sessionId, `${sessionId} ${attendeeId}`],
        settle(leave) {
          cancel()
          signal.removeEventListener('abort', refuse)
          waiting.delete(ticket)
          resolve(leave)
        },
      }
      signal.addEventListener('abort', refuse)
      waiting.add(ticket)
      fill()
      if (waiting.size > slotLimits.queueMax) refuse()
      return promise
    },
    get running() {
      return running.size
    },
  }
}
