// One HTTP try of one delivery (Spec 6.2, 6.4): the subscription as it is now, the body, signed anew, sent by the guarded client, its end
// as a value.
import { createSecretKey, type KeyObject } from 'node:crypto'
import { holdsContacts, type WebhookFormat } from '@rostrum/contract/events'
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Config } from '../config/config.ts'
import type { Store } from '../platform/db/store.ts'
import type { AttemptRow, DeliveryRow, SubscriptionRow } from '../platform/db/tables.ts'
import type { OutboundOutcome } from '../platform/egress/destination.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import { tellSeldom } from '../platform/away.ts'
import type { Scope } from '../platform/principal.ts'
import { createVault } from '../platform/vault.ts'
import { inFormat } from './formats.ts'
import type { DeliveryState } from './delivery.ts'
import { ed25519Key, signDelivery, type SigningKeys, eventTypesOf } from './subscription.ts'

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
  /** Before then a chat or a CRM wants no other try. */
  retryAt?: number
}

/** Not dialled: `released`, somebody may take it; `unreadable`, it cannot be signed by this process and counts no attempt; `cancel`, `disable`, `revoked`: nobody wants it any more, or has the right to. */
export interface Ended {
  claimed: Claimed
  startedAt: number
  endedAt: number
  result: AttemptResult | 'released' | 'unreadable' | 'cancel' | 'disable' | 'revoked'
}

/** Answers are read to here, for the log and to keep the connection; what is longer is cut off. */
const answerMaxBytes = 65_536
const answerMaxMs = 2_000
const excerptBytes = 4_096
/** Subscriptions are read before each attempt, and kept for a second at most, unless a change rings. */
const keptMs = 1_000
const keptMax = 2_000

interface Endpoint {
  url: string
  format: WebhookFormat
  /** Undefined where there is none, or it cannot be opened. */
  token: string | undefined
  /** Why nothing is sent: it is disabled, or whoever made it has lost the right to. */
  stopped: 'disable' | 'revoked' | null
  /** Undefined where the secret cannot be opened: `ROSTRUM_SECRET` is another than it was. */
  keys: SigningKeys | undefined
}

export interface SenderDeps {
  store: Store
  clock: Clock
  ids: Ids
  outbound: Pick<Outbound, 'request'>
  settings: Pick<Config, 'webhookTimeoutMs'>
  /** `ROSTRUM_SECRET`: the first seals, all open. */
  secrets: readonly string[]
  baseUrl: string
  version: string
  /** `auth` answers, and keeps the audit log. */
  credentialScopes: CredentialScopes
  warn(words: string, error: unknown): void
}

/** `signal` gives up what is on the wire. */
export function createSender(deps: SenderDeps, signal: AbortSignal) {
  const { store, clock, ids, outbound, settings, secrets, baseUrl, version, credentialScopes, warn } = deps
  const vault = createVault(secrets, ids)
  const warnOnce = tellSeldom(clock, warn)
  const userAgent = `Rostrum-Webhooks/${version} (+${baseUrl}/docs/webhooks)`
  const kept = new Map<string, { endpoint: Promise<Endpoint | null>; until: number }>()

  function endpointOf(id: string): Promise<Endpoint | null> {
    const known = kept.get(id)
    if (known !== undefined && known.until > clock.now()) return known.endpoint
    const endpoint = load(id)
    endpoint.catch(() => kept.delete(id))
    if (kept.size >= keptMax) kept.clear()
    kept.set(id, { endpoint, until: clock.now() + keptMs })
    return endpoint
  }

  /** Null where there is no such subscription, or it was deleted. */
  async function load(id: string): Promise<Endpoint | null> {
    const found = store.read.selectFrom('webhook_subscriptions').selectAll().where('id', '=', id).where('deleted_at', 'is', null)
    const row = await found.executeTakeFirst()
    if (row === undefined) return null
    const isRevoked = row.disabled_reason === null && !(await hasOwner(row))
    const stopped = row.disabled_reason !== null ? 'disable' : isRevoked ? 'revoked' : null
    const token = row.token === null ? undefined : vault.open(row.token, id)?.toString()
    return { url: row.url, format: row.format, token, stopped, keys: keysOf(id, row) }
  }

  /** The credential that answers for it is neither revoked nor expired, and has the scopes that the events need. */
  async function hasOwner({ owner_credential_id: owner, event_types }: SubscriptionRow): Promise<boolean> {
    const held = owner === null ? null : await credentialScopes(owner, clock.now())
    return owner === null || (held !== null && scopesFor(eventTypesOf(event_types)).every((scope) => held.includes(scope)))
  }

  function keysOf(id: string, row: SubscriptionRow): SigningKeys | undefined {
    const newest = vault.open(row.secret, id)
    if (newest === undefined) return undefined
    const isGrace = row.previous_secret !== null && (row.previous_secret_until ?? 0) > clock.now()
    const old = isGrace && row.previous_secret !== null ? vault.open(row.previous_secret, id) : undefined
    // Prepared once: a key given as bytes is prepared for every signature.
    const hmac = (old === undefined ? [newest] : [newest, old]).map((key) => createSecretKey(key))
    const ed25519 = row.public_key === null ? undefined : privateKey(id, row.ed25519_seed)
    return ed25519 === undefined ? { hmac } : { hmac, ed25519 }
  }

  function privateKey(id: string, sealed: Uint8Array | null): KeyObject | undefined {
    const seed = sealed === null ? undefined : vault.open(sealed, id)
    return seed === undefined ? undefined : ed25519Key(seed)
  }

  return {
    async send(claimed: Claimed): Promise<Ended> {
      const endpoint = await endpointOf(claimed.subscriptionId)
      const startedAt = clock.now()
      if (endpoint === null) return notDialled(startedAt, claimed, 'cancel')
      if (endpoint.stopped !== null && claimed.state.trigger !== 'test') return notDialled(startedAt, claimed, endpoint.stopped)
      const event = claimed.body ?? (await readBody(store, claimed.eventId))
      const { format, token, keys } = endpoint
      const formed = event === null || format === 'standard' ? null : inFormat(format, Buffer.from(event).toString(), baseUrl)
      const body = format === 'standard' ? event : formed?.body
      if (event === null || body === null || body === undefined) return notDialled(startedAt, claimed, 'cancel')
      if (keys === undefined || (format === 'hubspot' && token === undefined)) {
        warnOnce('The signing secret of a webhook cannot be opened: is ROSTRUM_SECRET the one it was made with?')
        return { claimed, startedAt, endedAt: startedAt, result: claimed.state.trigger === 'test' ? unsignedTest : 'unreadable' }
      }
      const signed = signDelivery(keys, claimed.eventId, Math.floor(startedAt / 1_000), body)
      const outcome = await outbound.request({
        method: 'POST',
        url: formed === null ? endpoint.url : addressOf(endpoint.url, formed.path),
        headers: {
          'content-type': 'application/json',
          'user-agent': userAgent,
          ...signed,
          ...(token && { authorization: `Bearer ${token}` }),
        },
        body,
        maxBytes: answerMaxBytes,
        overflow: 'truncate',
        bodyTimeoutMs: answerMaxMs,
        timeoutMs: settings.webhookTimeoutMs,
        signal,
      })
      return { claimed, startedAt, endedAt: clock.now(), result: resultOf(outcome, format, clock.now(), formed?.isTest === true) }
    },
    /** The subscription has changed. */
    forget: (id: string) => void kept.delete(id),
  }
}

/** An address of a host alone is given the path of the receiver's own interface. */
function addressOf(url: string, path: string): string {
  return URL.parse(url)?.pathname === '/' ? new URL(path, url).href : url
}

/** Longer than this no receiver holds us up. */
const waitMaxMs = 3_600_000

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAt(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const at = /^\d+(?:\.\d+)?$/.test(text) ? now + Number(text) * 1_000 : Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.ceil(Math.min(at, now + waitMaxMs))
}

/**
 * What counts as delivered: 200 to 299. Everything else is a failed attempt, and 410 the last one. A CRM answers 207 where it took a part:
 * of one contact that is none. A test there reads somebody who is not known, and 207 says no more than that.
 */
function resultOf(outcome: OutboundOutcome, format: WebhookFormat, now: number, isTest: boolean): AttemptResult {
  if (!outcome.ok) {
    const isBlocked = outcome.reason === 'blocked_destination'
    const reason = outcome.reason === 'too_large' ? 'protocol' : outcome.reason
    const nothing = { httpStatus: null, responseHead: null, peer: null }
    return { happening: 'failed', outcome: isBlocked ? 'blocked' : 'failed', reason, ...nothing }
  }
  const { status, peer } = outcome
  const answer = { httpStatus: status, responseHead: excerpt(outcome.body), peer }
  const isPartial = status === 207 && format === 'hubspot' && !isTest
  if (status >= 200 && status < 300 && !isPartial) return { happening: 'succeeded', outcome: 'succeeded', reason: null, ...answer }
  if (status === 410) return { happening: 'gone', outcome: 'failed', reason: 'gone', ...answer }
  const isToken = format === 'hubspot' && (status === 401 || status === 403)
  const reason = isToken ? 'token_refused' : status >= 300 && status < 400 ? 'redirect' : 'http_status'
  // Of the signed event the times are those of the specification.
  const wait = format !== 'standard' && status === 429 ? retryAt(outcome.headers['retry-after'], now) : undefined
  return { happening: 'failed', outcome: 'failed', reason, ...answer, ...(wait !== undefined && { retryAt: wait }) }
}

/** The first 4 KiB as text without control characters; null where there is nothing to read. */
function excerpt(body: Uint8Array): string | null {
  if (body.length === 0) return null
  const text = new TextDecoder().decode(body.subarray(0, excerptBytes))
  const shown = text.replaceAll(/[^\P{Cc}\n\t]/gu, '').trim()
  return shown === '' ? null : shown
}

/** Nothing was sent, and a test is made once. */
const unsignedTest: AttemptResult = {
  happening: 'failed',
  outcome: 'failed',
  reason: 'secret_unreadable',
  httpStatus: null,
  responseHead: null,
  peer: null,
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

/** The scopes of a live credential; null where it is revoked, expired or unknown. `auth` answers. */
export type CredentialScopes = (credentialId: string, now: number) => Promise<readonly Scope[] | null>

/** What receiving these events needs. */
function scopesFor(eventTypes: readonly string[]): readonly Scope[] {
  return eventTypes.some(holdsContacts) ? ['sessions:read', 'leads:read'] : ['sessions:read']
}
