// Who may call a model now, and which: slots that are shared fairly, and circuits that leave a failing model alone.
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

// Runs the admission of model calls on the clock: a caller waits for a slot, gets one or is refused, and gives it back.

// Who may call a model now: so many at once, fair by session and within it by attendee, a short queue, a short wait. Whoever is
// refused gets the quoting answer at once. Pure; times are epoch ms.

export interface Ticket {
  id: number
  sessionId: string
  attendeeId: string
  since: number
}

export interface Admission {
  slots: number
  running: readonly Ticket[]
  waiting: readonly Ticket[]
  turn: number
  /** The last turn of each session and attendee that is here; those that never had one come first. */
  turns: ReadonlyMap<string, number>
}

export type Verdict = { type: 'admit' | 'refuse'; id: number }

export const admissionLimits = { queueMax: 32, waitMaxMs: 1_500 } as const

interface Change {
  admission: Admission
  verdicts: Verdict[]
}

export const newAdmission = (slots: number): Admission => ({ slots, running: [], waiting: [], turn: 0, turns: new Map() })

const attendeeKey = ({ sessionId, attendeeId }: Ticket) => `${sessionId} ${attendeeId}`

/** Fewest calls under way, then the longest without a turn: of the session first, then of the attendee; then the oldest. */
function nextOf({ running, waiting, turns }: Admission): Ticket | undefined {
  const count = (matches: (ticket: Ticket) => boolean) => running.filter(matches).length
  const rankOf = (ticket: Ticket): number[] => [
    count(({ sessionId }) => sessionId === ticket.sessionId),
    turns.get(ticket.sessionId) ?? -1,
    count((other) => attendeeKey(other) === attendeeKey(ticket)),
    turns.get(attendeeKey(ticket)) ?? -1,
    ticket.id,
  ]
  const ranked = waiting.map((ticket) => ({ ticket, rank: rankOf(ticket) }))
  const isBefore = (a: number[], b: number[]) => {
    const at = a.findIndex((value, place) => value !== b[place])
    return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0)
  }
  return ranked.reduce<(typeof ranked)[number] | undefined>((best, one) => (best && !isBefore(one.rank, best.rank) ? best : one), undefined)
    ?.ticket
}

function fill(start: Admission): Change {
  let admission = start
  const verdicts: Verdict[] = []
  while (admission.running.length < admission.slots) {
    const ticket = nextOf(admission)
    if (ticket === undefined) break
    const turn = admission.turn + 1
    const turns = new Map(admission.turns).set(ticket.sessionId, turn).set(attendeeKey(ticket), turn)
    const waiting = admission.waiting.filter(({ id }) => id !== ticket.id)
    admission = { ...admission, running: [...admission.running, ticket], waiting, turn, turns }
    verdicts.push({ type: 'admit', id: ticket.id })
  }
  return { admission: forgetting(admission), verdicts }
}

/** Turns of those who have left are of no use. */
function forgetting(admission: Admission): Admission {
  const here = new Set([...admission.running, ...admission.waiting].flatMap((ticket) => [ticket.sessionId, attendeeKey(ticket)]))
  const turns = new Map([...admission.turns].filter(([key]) => here.has(key)))
  return turns.size === admission.turns.size ? admission : { ...admission, turns }
}

export function arrive(admission: Admission, ticket: Ticket): Change {
  const next = fill({ ...admission, waiting: [...admission.waiting, ticket] })
  if (next.admission.waiting.length <= admissionLimits.queueMax) return next
  const waiting = next.admission.waiting.filter(({ id }) => id !== ticket.id)
  return { admission: forgetting({ ...next.admission, waiting }), verdicts: [...next.verdicts, { type: 'refuse', id: ticket.id }] }
}

/** The call is over, or its caller has gone. */
export function depart(admission: Admission, id: number): Change {
  const stays = (ticket: Ticket) => ticket.id !== id
  return fill({ ...admission, running: admission.running.filter(stays), waiting: admission.waiting.filter(stays) })
}

/** Those who have waited long enough are refused. */
export function expire(admission: Admission, now: number): Change {
  const isOver = ({ since }: Ticket) => now >= since + admissionLimits.waitMaxMs
  const verdicts = admission.waiting.filter(isOver).map(({ id }): Verdict => ({ type: 'refuse', id }))
  if (verdicts.length === 0) return { admission, verdicts }
  return { admission: forgetting({ ...admission, waiting: admission.waiting.filter((ticket) => !isOver(ticket)) }), verdicts }
}

/** When the next one has waited long enough; null when nobody waits. */
export function admissionDue({ waiting }: Admission): number | null {
  return waiting.length === 0 ? null : Math.min(...waiting.map(({ since }) => since)) + admissionLimits.waitMaxMs
}

export interface Slots {
  /** Gives the slot's return, or null: refused, or `signal` has aborted. */
  take(sessionId: string, attendeeId: string, signal: AbortSignal): Promise<(() => void) | null>
  /** One that leaves another free and takes no turn of anybody, or null. */
  takeSpare(): (() => void) | null
  readonly running: number
}

export function createSlots(clock: Clock, count: number): Slots {
  let admission = newAdmission(count)
  let last = 0
  let cancel: () => void = () => undefined
  const callers = new Map<number, (isAdmitted: boolean) => void>()

  function settle({ admission: next, verdicts }: ReturnType<typeof depart>): void {
    admission = next
    for (const { type, id } of verdicts) {
      callers.get(id)?.(type === 'admit')
      callers.delete(id)
    }
    wake(next)
  }

  function wake(waiting: Admission): void {
    cancel()
    const due = admissionDue(waiting)
    cancel = due === null ? () => undefined : clock.after(due - clock.now(), () => settle(expire(admission, clock.now())))
  }

  return {
    take(sessionId, attendeeId, signal) {
      if (signal.aborted) return Promise.resolve(null)
      const id = ++last
      return new Promise((resolve) => {
        const leave = () => settle(depart(admission, id))
        const giveUp = () => {
          callers.delete(id)
          leave()
          resolve(null)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        callers.set(id, (isAdmitted) => {
          signal.removeEventListener('abort', giveUp)
          resolve(isAdmitted ? leave : null)
        })
        settle(arrive(admission, { id, sessionId, attendeeId, since: clock.now() }))
      })
    },
    takeSpare() {
      if (admission.running.length + 2 > count) return null
      const id = ++last
      settle(arrive(admission, { id, sessionId: '', attendeeId: '', since: clock.now() }))
      return () => settle(depart(admission, id))
    },
    get running() {
      return admission.running.length
    },
  }
}
