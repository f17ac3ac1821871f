// One HTTP try of one delivery (Spec 6.2, 6.4): signed anew, sent by the guarded client, its end as a value.
import type { Clock } from '../platform/clock.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import type { OutboundOutcome } from '../platform/egress/destination.ts'
import type { Store } from '../platform/db/store.ts'
import type { AttemptRow, DeliveryRow } from '../platform/db/tables.ts'
import type { Endpoints } from './endpoints.ts'
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
  /** Shared by all deliveries of an event. Null where it holds contact details: it is read at the dial, for it may be erased until then. */
  body: Uint8Array | null
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

/** Not dialled: `released`, somebody may take it; `cancel`, `disable`, `revoked`: nobody wants it any more, or has the right to. */
export interface Ended {
  claimed: Claimed
  startedAt: number
  endedAt: number
  result: AttemptResult | 'released' | 'cancel' | 'disable' | 'revoked'
}

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

export function createSender({ store, clock, endpoints, attempt: settings, signal, warn }: SenderParts) {
  return async (claimed: Claimed): Promise<Ended> => {
    const endpoint = await endpoints.get(claimed.subscriptionId)
    const startedAt = clock.now()
    if (endpoint === null) return notDialled(startedAt, claimed, 'cancel')
    if (endpoint.stopped !== null && claimed.state.trigger !== 'test') return notDialled(startedAt, claimed, endpoint.stopped)
    const body = claimed.body ?? (await readBody(store, claimed.eventId))
    if (body === null) return notDialled(startedAt, claimed, 'cancel')
    const { url, keys } = endpoint
    if (keys === undefined) {
      warn('The signing secret of a webhook cannot be opened: is ROSTRUM_SECRET the one it was made with?', undefined)
      return { claimed, startedAt, endedAt: startedAt, result: unsigned }
    }
    const result = await attempt(settings, { url, keys, eventId: claimed.eventId, body, now: startedAt, signal })
    return { claimed, startedAt, endedAt: clock.now(), result }
  }
}

/** Null where it was erased meanwhile. */
async function readBody(store: Store, eventId: string): Promise<Uint8Array | null> {
  const events = store.read.selectFrom('domain_events').select('body').where('id', '=', eventId).where('scrubbed_at', 'is', null)
  const event = await events.executeTakeFirst()
  return event === undefined ? null : Buffer.from(event.body)
}

export function notDialled(now: number, claimed: Claimed, result: Exclude<Ended['result'], AttemptResult>): Ended {
  return { claimed, startedAt: now, endedAt: now, result }
}
