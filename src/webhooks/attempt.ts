// One HTTP try of one delivery (Spec 6.2, 6.4): signed anew, sent by the guarded client, its end as a value.
import type { Clock } from '../kernel/clock.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { OutboundOutcome } from '../outbound/outcome.ts'
import type { Store } from '../storage/store.ts'
import type { AttemptRow, DeliveryRow } from '../storage/tables/webhooks.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'
import type { DeliveryState } from './retry.ts'
import { signDelivery, type SigningKeys } from './signature.ts'

interface AttemptSettings {
  request: Outbound['request']
  userAgent: string
  timeoutMs: number
}

export interface Letter {
  url: string
  keys: SigningKeys
  eventId: string
  body: Uint8Array
  /** Epoch milliseconds. */
  now: number
  signal?: AbortSignal
}

/** Answers are read to here, for the log and to keep the connection; what is longer is cut off. */
const answerMaxBytes = 65_536
const answerMaxMs = 2_000
const excerptBytes = 4_096

function attempt({ request, userAgent, timeoutMs }: AttemptSettings, letter: Letter): Promise<AttemptResult> {
  const { url, keys, eventId, body, now, signal } = letter
  const signed = signDelivery(keys, eventId, Math.floor(now / 1000), body)
  const sent = request({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'webhook-id': signed['webhook-id'],
      'webhook-timestamp': signed['webhook-timestamp'],
      'webhook-signature': signed['webhook-signature'],
    },
    body,
    maxBytes: answerMaxBytes,
    overflow: 'truncate',
    bodyTimeoutMs: answerMaxMs,
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
  })
  return sent.then(resultOf)
}

/** What counts as delivered: 200 to 299. Everything else is a failed attempt, and 410 the last one. */
export function resultOf(outcome: OutboundOutcome): AttemptResult {
  if (!outcome.ok) {
    const isBlocked = outcome.reason === 'blocked_destination'
    const reason = outcome.reason === 'too_large' ? 'protocol' : outcome.reason
    const nothing = { httpStatus: null, responseHead: null, peer: null }
    return { happening: 'failed', outcome: isBlocked ? 'blocked' : 'failed', reason, ...nothing }
  }
  const { status, peer } = outcome
  const answer = { httpStatus: status, responseHead: excerpt(outcome.body), peer }
  if (status >= 200 && status < 300) return { happening: 'succeeded', outcome: 'succeeded', reason: null, ...answer }
  if (status === 410) return { happening: 'gone', outcome: 'failed', reason: 'gone', ...answer }
  const reason = status >= 300 && status < 400 ? 'redirect' : 'http_status'
  return { happening: 'failed', outcome: 'failed', reason, ...answer }
}

/** The first 4 KiB as text without control characters; null where there is nothing to read. */
export function excerpt(body: Uint8Array): string | null {
  if (body.length === 0) return null
  const text = new TextDecoder().decode(body.subarray(0, excerptBytes))
  const shown = text.replaceAll(/[^\P{Cc}\n\t]/gu, '').trim()
  return shown === '' ? null : shown
}

/** Nothing was sent; the chain goes on, and the operator has been told why. */
const unsigned: AttemptResult = {
  happening: 'failed',
  outcome: 'failed',
  reason: 'interrupted',
  httpStatus: null,
  responseHead: null,
  peer: null,
}

// A delivery in the hands of this process, and what came of it.

export interface Claimed {
  id: string
  subscriptionId: string
  eventId: string
  type: DeliveryRow['type']
  state: DeliveryState
  token: string
  claimedAt: number
  /** Shared by all deliveries of an event. Null: read at the dial, because it may be erased until then. */
  body: Uint8Array | null
  /** Takes its end as long as nothing is written of it. */
  draft: { keep(ended: Ended): boolean } | null
}

/** One HTTP try. `gone` is a 410; every `reason` is a word of the wire. */
export interface AttemptResult {
  happening: 'succeeded' | 'failed' | 'gone'
  outcome: AttemptRow['outcome']
  reason: string | null
  httpStatus: number | null
  responseHead: string | null
  peer: string | null
}

/** `released`: not dialled, somebody may take it. `cancel`, `disable`: not dialled, and nobody wants it any more. */
export interface Ended {
  claimed: Claimed
  startedAt: number
  endedAt: number
  result: AttemptResult | 'released' | 'cancel' | 'disable'
}

/** Bodies with contact details are read when they are sent: an erasure since the claim must hold. */
export { holdsContacts as readAtDial } from '../kernel/events.ts'

// From a claimed delivery to how its attempt ended: the subscription as it is now, the body, the signature, the request.

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
