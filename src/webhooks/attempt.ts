// One HTTP try of one delivery (Spec 6.2, 6.4): signed anew, sent by the guarded client, its end as a value.
import type { OutboundOutcome } from '../outbound/outcome.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { AttemptResult } from './claimed.ts'
import type { SigningKeys } from './signature.ts'
import { signDelivery } from './signature.ts'

export interface AttemptSettings {
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

export function attempt({ request, userAgent, timeoutMs }: AttemptSettings, letter: Letter): Promise<AttemptResult> {
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
export const unsigned: AttemptResult = {
  happening: 'failed',
  outcome: 'failed',
  reason: 'interrupted',
  httpStatus: null,
  responseHead: null,
  peer: null,
}
