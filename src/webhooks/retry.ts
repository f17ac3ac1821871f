// What becomes of a delivery (Spec 3.3, 6.4.1): a pure, total function of its state and what happened to it.
//
// | State | On | Next |
// |---|---|---|
// | pending, retry_scheduled | claimed | in_flight until its lease ends |
// | in_flight | succeeded | succeeded |
// | in_flight | failed | retry_scheduled after the chain's next delay, measured from now; without one: failed (dead-lettered) |
// | in_flight | gone (410) | failed; the caller disables the subscription |
// | in_flight | interrupted (its process died) | pending, the same attempt again; every fifth time it counts as failed |
// | in_flight | released (claimed, given up) | pending |
// | in_flight, manual | failed, gone | back to where it was: a manual attempt neither starts nor ends a chain |
// | in_flight, test | failed, gone | failed: one attempt, no retry |
// | failed, skipped, canceled, succeeded, retry_scheduled | redeliver | pending, manual |
// | failed, skipped, canceled, succeeded | recover | pending with a fresh chain |
// | pending, retry_scheduled | cancel (subscription or session deleted, payload erased) | canceled |
// | pending, retry_scheduled | disable | skipped: visible, and can be recovered |
//
// Everything else changes nothing: `null`. One in flight is not called back; its end and then `cancel` or `disable` decide.
import type { DeliveryRow } from '../platform/db/tables.ts'

export type DeliveryState = Pick<
  DeliveryRow,
  'status' | 'trigger' | 'chain_attempt' | 'attempts' | 'interrupted' | 'due_at' | 'resume_status' | 'resume_at' | 'finished_at'
>

export type Happening =
  | { type: 'claimed'; until: number }
  | {
      type: 'succeeded' | 'failed' | 'gone' | 'interrupted' | 'released' | 'redeliver' | 'recover' | 'cancel' | 'disable'
    }

/** Every happening, for tables and tests. */
export const happenings = [
  'claimed',
  'succeeded',
  'failed',
  'gone',
  'interrupted',
  'released',
  'redeliver',
  'recover',
  'cancel',
  'disable',
] as const satisfies readonly Happening['type'][]

export const deliveryStatuses = [
  'pending',
  'in_flight',
  'retry_scheduled',
  'succeeded',
  'failed',
  'skipped',
  'canceled',
] as const satisfies readonly DeliveryRow['status'][]

/** An attempt that a dying process cuts off this often counts as a failed one: it may be what kills the process. */
export const interruptionsPerFailure = 5

/** `delays` in milliseconds: after the first failed attempt, the second, and so on. `now` is the end of the attempt. */
export function next(delivery: DeliveryState, happening: Happening, now: number, delays: readonly number[]): DeliveryState | null {
  const { status } = delivery
  const isWaiting = status === 'pending' || status === 'retry_scheduled'
  const isInFlight = status === 'in_flight'
  switch (happening.type) {
    case 'claimed':
      return isWaiting ? { ...delivery, status: 'in_flight', due_at: happening.until } : null
    case 'succeeded':
      return isInFlight ? finished({ ...delivery, attempts: delivery.attempts + 1 }, 'succeeded', now) : null
    case 'failed':
      return isInFlight ? afterFailure({ ...delivery, attempts: delivery.attempts + 1 }, now, delays) : null
    case 'gone':
      return isInFlight ? afterFailure({ ...delivery, attempts: delivery.attempts + 1 }, now, []) : null
    case 'interrupted':
      return isInFlight ? afterInterruption({ ...delivery, interrupted: delivery.interrupted + 1 }, now, delays) : null
    case 'released':
      return isInFlight ? { ...delivery, status: 'pending', due_at: now } : null
    case 'redeliver':
      if (status === 'pending' || isInFlight) return null
      return { ...delivery, status: 'pending', trigger: 'manual', due_at: now, resume_status: status, resume_at: delivery.due_at }
    case 'recover':
      if (isWaiting || isInFlight) return null
      return { ...delivery, status: 'pending', trigger: 'recover', chain_attempt: 0, due_at: now, resume_status: null, resume_at: null }
    case 'cancel':
      return isWaiting ? stopped(delivery, 'canceled', now) : null
    case 'disable':
      return isWaiting ? stopped(delivery, 'skipped', now) : null
  }
}

/** Whether this change is the end of a chain of failed attempts, which the subscription's record counts. */
export function isDeadLetter(before: DeliveryState, after: DeliveryState): boolean {
  return after.status === 'failed' && before.status === 'in_flight' && (before.trigger === 'automatic' || before.trigger === 'recover')
}

function finished(delivery: DeliveryState, status: DeliveryState['status'], now: number): DeliveryState {
  return { ...delivery, status, due_at: null, resume_status: null, resume_at: null, finished_at: now }
}

function afterFailure(delivery: DeliveryState, now: number, delays: readonly number[]): DeliveryState {
  if (delivery.trigger === 'test') return finished(delivery, 'failed', now)
  if (delivery.trigger === 'manual') return resumed(delivery)
  const chainAttempt = delivery.chain_attempt + 1
  const delay = delays[chainAttempt - 1]
  if (delay === undefined) return finished({ ...delivery, chain_attempt: chainAttempt }, 'failed', now)
  return { ...delivery, status: 'retry_scheduled', chain_attempt: chainAttempt, due_at: now + delay }
}

function afterInterruption(delivery: DeliveryState, now: number, delays: readonly number[]): DeliveryState {
  if (delivery.interrupted % interruptionsPerFailure !== 0) return { ...delivery, status: 'pending', due_at: now }
  return afterFailure(delivery, now, delays)
}

/** As it was before somebody asked for one more attempt. */
function resumed(delivery: DeliveryState): DeliveryState {
  const { resume_status: status, resume_at: dueAt } = delivery
  return { ...delivery, status: status ?? 'failed', trigger: 'automatic', due_at: dueAt, resume_status: null, resume_at: null }
}

function stopped(delivery: DeliveryState, status: 'canceled' | 'skipped', now: number): DeliveryState {
  const { resume_status: before } = delivery
  // What had ended before a manual attempt was asked for keeps its end.
  return before === null || before === 'retry_scheduled' ? finished(delivery, status, now) : resumed(delivery)
}
