// Runs the admission of model calls on the clock: a caller waits for a slot, gets one or is refused, and gives it back.
import type { Clock } from '../../platform/clock.ts'
import { type Admission, admissionDue, arrive, depart, expire, newAdmission } from './admission.ts'

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
