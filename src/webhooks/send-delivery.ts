// From a claimed delivery to how its attempt ended: the subscription as it is now, the body, the signature, the request.
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../storage/store.ts'
import type { AttemptSettings } from './attempt.ts'
import { attempt, unsigned } from './attempt.ts'
import type { Claimed, Ended } from './claimed.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'

export interface SenderParts {
  store: Store
  clock: Clock
  endpoints: Endpoints
  attempt: AttemptSettings
  /** Gives up what is on the wire. */
  signal: AbortSignal
  warn(words: string, error: unknown): void
}

export type Sender = (claimed: Claimed) => Promise<Ended>

/** What is known already is not awaited: each promise costs as much as a row. */
export function createSender({ store, clock, endpoints, attempt: settings, signal, warn }: SenderParts): Sender {
  function sendTo(claimed: Claimed, endpoint: Endpoint | null): Promise<Ended> {
    if (endpoint === null) return Promise.resolve(notDialled(clock.now(), claimed, 'cancel'))
    if (endpoint.isDisabled && claimed.state.trigger !== 'test') return Promise.resolve(notDialled(clock.now(), claimed, 'disable'))
    return claimed.body === null ? sendOnceRead(claimed, endpoint) : sendBody(claimed, endpoint, claimed.body)
  }

  async function sendOnceRead(claimed: Claimed, endpoint: Endpoint): Promise<Ended> {
    const event = await store.read
      .selectFrom('domain_events')
      .select('body')
      .where('id', '=', claimed.eventId)
      .where('scrubbed_at', 'is', null)
      .executeTakeFirst()
    return event === undefined ? notDialled(clock.now(), claimed, 'cancel') : sendBody(claimed, endpoint, Buffer.from(event.body))
  }

  function sendBody(claimed: Claimed, { url, keys }: Endpoint, body: Uint8Array): Promise<Ended> {
    const startedAt = clock.now()
    if (keys === undefined) {
      warn('The signing secret of a webhook cannot be opened: is ROSTRUM_SECRET the one it was made with?', undefined)
      return Promise.resolve({ claimed, startedAt, endedAt: startedAt, result: unsigned })
    }
    const sent = attempt(settings, { url, keys, eventId: claimed.eventId, body, now: startedAt, signal })
    return sent.then((result) => ({ claimed, startedAt, endedAt: clock.now(), result }))
  }

  return (claimed) => {
    const endpoint = endpoints.get(claimed.subscriptionId)
    return endpoint instanceof Promise ? endpoint.then((found) => sendTo(claimed, found)) : sendTo(claimed, endpoint)
  }
}

export function notDialled(now: number, claimed: Claimed, result: 'released' | 'cancel' | 'disable'): Ended {
  return { claimed, startedAt: now, endedAt: now, result }
}
