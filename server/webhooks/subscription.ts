// A subscription as its owner sees it (Spec 2.9), and the one way to look one up.
import { z } from 'zod'
import { type EventType, eventType, eventTypes, leadEventTypes, type WebhookFormat, webhookFormats } from '@rostrum/contract/events'
import { limits, text } from '@rostrum/contract/fields'
import { type Clock, type Ids, iso } from '@rostrum/base/clock'
import type { Cursors } from '../platform/db/cursor.ts'
import { deliveryRange, scrubEvent, stopWaiting } from '../platform/db/deliveries.ts'
import { append } from '../platform/db/domain-events.ts'
import { held } from '../platform/db/statements.ts'
import { type Reader, ringAfter, type Store, type Tx } from '../platform/db/store.ts'
import type { DeliveryRow, SubscriptionRow } from '../platform/db/tables.ts'
import { refusalWords } from '../platform/egress/destination.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import { ServiceError } from '@rostrum/base/errors'
import type { Call } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { AccountPrincipal, Scope } from '../platform/principal.ts'
import type { Vault } from '../platform/vault.ts'
import { deliveryStatuses } from './delivery.ts'
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

/** The column `event_types`, which only ever holds what was checked. */
export function eventTypesOf(column: string): EventType[] {
  const names: unknown = JSON.parse(column)
  return Array.isArray(names) ? eventTypes.filter((type) => names.includes(type)) : []
}

/**
 * The subscription of this account; `not_found` for one that is unknown, another's or deleted. Within a write it is held: of two changes
 * at once, the second sees the first.
 */
export async function ownSubscription(read: Reader | Tx, accountId: string, id: string): Promise<SubscriptionRow> {
  const own = read
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
  const row = await (read.isTransaction ? held(read, own) : own).executeTakeFirst()
  if (row === undefined) throw new ServiceError('not_found', 'There is no such webhook. List yours to see their ids.')
  return row
}

/** Contact details need a scope of their own. `also` names what the operation needs beside it. */
export function requireLeads({ scopes }: AccountPrincipal, also: Scope): void {
  if (scopes.includes('leads:read')) return
  throw new ServiceError(
    'insufficient_scope',
    'Events of the type lead.captured or lead.updated hold contact details: this needs leads:read as well.',
    {
      members: { scopes_required: [also, 'leads:read'] },
    },
  )
}

/** Who answers for a subscription from now on: a credential, or the account where a person did it. */
export function ownerOf(principal: AccountPrincipal): string | null {
  return principal.kind === 'user' ? null : principal.credentialId
}

export type Shown = SubscriptionRow & { last: Pick<DeliveryRow, 'id' | 'status' | 'created_at' | 'finished_at'> | undefined }

/** With its newest delivery. */
export async function shownWith(read: Reader, row: SubscriptionRow): Promise<Shown> {
  const { first, end } = deliveryRange(row.id)
  const last = await read
    .selectFrom('webhook_deliveries')
    .select(['id', 'status', 'created_at', 'finished_at'])
    .where('id', '>=', first)
    .where('id', '<', end)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { ...row, last }
}

export const record = z.object({
  id: z.string(),
  subscription_id: z.string().describe('The same as `id`.'),
  url: z.string(),
  format: z.enum(webhookFormats).describe('In whose form events are posted.'),
  event_types: z.array(z.enum(eventTypes)),
  status: z.enum(['enabled', 'disabled']),
  disabled_reason: z.enum(['manual', 'gone', 'failures', 'owner_revoked']).optional(),
  session_id: z.string().optional(),
  description: z.string().optional(),
  ed25519: z.boolean().describe('Whether deliveries also carry a `v1a` signature.'),
  public_key: z.string().optional().describe('Verifies `v1a` signatures.'),
  secret_hint: z.string().describe('The last four characters of the secret.'),
  previous_secret_expires_at: z.string().optional().describe('Until then the secret before the rotation signs as well.'),
  failing_since: z.string().optional().describe('When the first delivery since the last success was dead-lettered.'),
  last_delivery: z.object({ id: z.string(), status: z.enum(deliveryStatuses), at: z.string() }).optional(),
  created_at: z.string(),
  updated_at: z.string(),
})

export const recordWithSecret = record.extend({ secret: z.string().describe('Shown here and never again.') })

export function toRecord(row: Shown, now: number) {
  const isGrace = row.previous_secret_until !== null && row.previous_secret_until > now
  return {
    id: row.id,
    subscription_id: row.id,
    url: row.url,
    format: row.format,
    event_types: eventTypesOf(row.event_types),
    status: row.disabled_reason === null ? ('enabled' as const) : ('disabled' as const),
    ...(row.disabled_reason !== null && { disabled_reason: row.disabled_reason }),
    ...(row.session_id !== null && { session_id: row.session_id }),
    ...(row.description !== null && { description: row.description }),
    ed25519: row.public_key !== null,
    ...(row.public_key !== null && { public_key: row.public_key }),
    secret_hint: row.secret_hint,
    ...(isGrace && row.previous_secret_until !== null && { previous_secret_expires_at: iso(row.previous_secret_until) }),
    ...(row.failing_since !== null && { failing_since: iso(row.failing_since) }),
    ...(row.last && { last_delivery: { id: row.last.id, status: row.last.status, at: iso(row.last.finished_at ?? row.last.created_at) } }),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}

// Members that several operations of webhooks take, with their words and bounds.

export const webhookId = text(64).min(1).describe('Id of the webhook.')
export const knownDelivery = text(128).min(1).describe('Id of the delivery.')
export const url = text(limits.url).min(1).describe('Where events are posted: a public https address.')
export const format = z
  .enum(webhookFormats)
  .describe(
    '`standard`: the signed event. `slack`, `teams`, `discord`: the same in words, as an incoming webhook of theirs takes it. `hubspot`: a contact made or changed by e-mail; `url` is https://api.hubapi.com.',
  )
export const token = text(500).min(1).describe('For `hubspot`: the access token of a private app. It is kept sealed and never shown.')
export const wantedTypes = z.array(eventType).min(1).max(50).describe('The events to send; each is named, there is no wildcard.')
export const sessionFilter = z.uuid().describe('Only events of this session.')
export const description = text(200).describe('For you: what this webhook is for.')
export const ownSecret = text(200).describe(
  'A secret of your own: `whsec_` and the padded base64 of 24 to 64 bytes. Otherwise one is made.',
)
export const ed25519 = z.boolean().describe('Also sign with Ed25519 (`v1a`), so that receivers need no secret.')

/** Each type once, in the order of the specification. */
export function folded(types: readonly EventType[]): EventType[] {
  return eventTypes.filter((type) => types.includes(type))
}

/**
 * One text for every reason, so that nobody learns from us what lies in a private network. A service that is itself reached on this machine
 * alone is somebody's own: it says which rule it was and which setting lifts it.
 */
export async function requireDestination({ vet, baseUrl }: Pick<WebhooksDeps, 'vet' | 'baseUrl'>, destination: string): Promise<void> {
  const verdict = await vet(destination)
  if (verdict.ok) return
  const isOwnMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(URL.parse(baseUrl)?.hostname ?? '')
  const more = ` Refused for: ${verdict.detail}. To try a receiver on this machine or in this network, start the server with ROSTRUM_EGRESS_ALLOW set to the range of its addresses, such as 127.0.0.0/8; http and every port are then allowed there.`
  const words = isOwnMachine ? refusalWords + more : refusalWords
  throw new ServiceError('url_not_allowed', words, { errors: [{ pointer: '#/url', detail: words }] })
}

/** A CRM is told of leads alone, and asked with a token. */
export function requireFormat(wanted: WebhookFormat, hasToken: boolean, types: readonly EventType[]): void {
  if (wanted !== 'hubspot') {
    if (hasToken) throw invalidInput([{ pointer: '#/token', detail: 'belongs to `format` hubspot: leave it out.' }])
    return
  }
  if (!hasToken) throw invalidInput([{ pointer: '#/token', detail: 'send the access token of a HubSpot private app.' }])
  const other = types.find((type) => !leadEventTypes.some((of) => of === type))
  if (other !== undefined)
    throw invalidInput([{ pointer: '#/event_types', detail: `HubSpot takes lead.captured and lead.updated: leave out ${other}.` }])
}

export function requireSecret(secret: string): Buffer {
  const key = readSecret(secret)
  if (key !== undefined) return key
  throw invalidInput([{ pointer: '#/secret', detail: 'send `whsec_` and the padded base64 of 24 to 64 bytes.' }])
}

export async function requireSession(read: Reader | Tx, accountId: string, sessionId: string): Promise<void> {
  const found = await read
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (found === undefined) throw new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
}

// Stops subscriptions, for a while or for good, and what waits for them.

/** Rung with the id of a subscription whose row has changed. */
export const subscriptionTopic = 'webhook:'
/** Rung with the id of a subscription that has something new to send. */
export const dueTopic = 'webhook-due:'

/** Stops a subscription and skips what waits for it, except a test. False where it was stopped already. */
export async function disableSubscription(
  tx: Tx,
  ring: (topic: string) => void,
  id: string,
  reason: NonNullable<SubscriptionRow['disabled_reason']>,
  now: number,
): Promise<boolean> {
  const changed = await tx
    .updateTable('webhook_subscriptions')
    .set({ disabled_reason: reason, updated_at: now })
    .where('id', '=', id)
    .where('disabled_reason', 'is', null)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) return false
  await stopWaiting(tx, 'skipped', now, (eb) => eb.and([eb('subscription_id', '=', id), eb('trigger', '<>', 'test')]))
  ring(subscriptionTopic + id)
  return true
}

/** So many dead letters in a row, at least, stop a subscription. */
const deadLettersMin = 5

/** Of a delivery that has failed for good: others are told before its subscription is disabled, and when it is. */
export async function countDeadLetter(
  tx: Tx,
  ring: (topic: string) => void,
  { subscriptionId, eventId }: { subscriptionId: string; eventId: string },
  now: number,
  disableAfterMs: number,
): Promise<void> {
  const counted = await tx
    .updateTable('webhook_subscriptions')
    .set((eb) => ({ dead_letters: eb('dead_letters', '+', 1), failing_since: eb.fn.coalesce('failing_since', eb.val(now)) }))
    .where('id', '=', subscriptionId)
    .returning(['account_id', 'url', 'dead_letters', 'failing_since'])
    .executeTakeFirst()
  if (counted === undefined || counted.dead_letters < deadLettersMin) return
  const since = counted.failing_since ?? now
  const isOver = now - since >= disableAfterMs && (await disableSubscription(tx, ring, subscriptionId, 'failures', now))
  const event = await tx.selectFrom('domain_events').select('session_id').where('id', '=', eventId).executeTakeFirst()
  if (event === undefined) return
  const status = isOver ? 'disabled' : 'failing'
  // Once when it begins and once when it is disabled: the keys say so.
  await append(tx, {
    type: 'endpoint.failing',
    accountId: counted.account_id,
    sessionId: event.session_id,
    at: now,
    dedupeKey: `endpoint.failing:${subscriptionId}:${since}:${status}`,
    data: {
      endpoint: { id: subscriptionId, host: URL.parse(counted.url)?.host ?? '', status },
      failingSince: iso(since),
      deadLetters: counted.dead_letters,
      disabledAt: iso(isOver ? now : since + disableAfterMs),
    },
  })
}

/** Ends a subscription for good and cancels what waits for it. */
export async function endSubscription(tx: Tx, ring: (topic: string) => void, id: string, now: number): Promise<void> {
  await tx
    .updateTable('webhook_subscriptions')
    .set({ deleted_at: now, updated_at: now, previous_secret: null, ed25519_seed: null, token: null })
    .where('id', '=', id)
    .execute()
  await stopWaiting(tx, 'canceled', now, (eb) => eb.and([eb('subscription_id', '=', id)]))
  ring(subscriptionTopic + id)
}

// What the end of a session means for its webhooks, in the transaction that deletes it.

/** Cancels what waits, ends subscriptions to this session alone, and erases the contact details in events that are kept. */
export async function forget(tx: Tx, sessionId: string, now: number): Promise<void> {
  await stopWaiting(tx, 'canceled', now, (eb) =>
    eb.and([eb('event_id', 'in', eb.selectFrom('domain_events').select('id').where('session_id', '=', sessionId))]),
  )
  const own = await tx
    .selectFrom('webhook_subscriptions')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('deleted_at', 'is', null)
    .execute()
  for (const { id } of own) await endSubscription(tx, (topic) => ringAfter(tx, topic), id, now)
  const leads = await tx
    .selectFrom('domain_events')
    .select('dedupe_key')
    .where('session_id', '=', sessionId)
    .where('type', 'in', leadEventTypes)
    .where('scrubbed_at', 'is', null)
    .execute()
  for (const { dedupe_key: key } of leads) await scrubEvent(tx, key, now)
}

// What the operations of webhooks need; `create-webhooks.ts` builds it, and the composition root joins the ports.

/** Writes an act on the webhook `id` into the audit log, in the transaction of the act; `auth` keeps it. `data` never holds the secret. */
export type Audit = (
  tx: Tx,
  call: Call<AccountPrincipal>,
  action: `webhook.${string}`,
  id: string,
  data: Readonly<Record<string, unknown>>,
) => Promise<void>

export interface WebhooksDeps {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  vault: Vault
  /** Refuses what an attempt would refuse. */
  vet: Outbound['vet']
  audit: Audit
  /** The service's public address: where links of messages lead. */
  baseUrl: string
}

// Signatures of deliveries (Spec 6.2, 6.3; Standard Webhooks 1.0): `v1` is HMAC-SHA-256 under the decoded bytes of the secret,
// `v1a` Ed25519, both over `<id>.<timestamp>.<body>`.

const prefix = 'whsec_'
export const secretBytes = 32
const keyMin = 24
const keyMax = 64

/** As it is shown once: `whsec_` and padded base64. */
export function showSecret(key: Uint8Array): string {
  return prefix + Buffer.from(key).toString('base64')
}

/** The key of a secret that a caller brings: `whsec_` and strict base64 of 24 to 64 bytes; undefined for anything else. */
export function readSecret(text: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined
  const encoded = text.slice(prefix.length)
  const key = Buffer.from(encoded, 'base64')
  if (key.length < keyMin || key.length > keyMax || key.toString('base64') !== encoded) return undefined
  return key
}

/** What a subscription signs with; `hmac` newest first. */
export interface SigningKeys {
  hmac: readonly (KeyObject | Uint8Array)[]
  ed25519?: KeyObject
}

export interface SignedHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/** One signature per key, separated by spaces. `seconds` is the time of the attempt, so every attempt is signed anew. */
export function signDelivery(keys: SigningKeys, id: string, seconds: number, body: string | Uint8Array): SignedHeaders {
  const timestamp = String(seconds)
  const head = `${id}.${timestamp}.`
  let signature = ''
  for (const key of keys.hmac) {
    const mac = createHmac('sha256', key).update(head).update(body).digest('base64')
    signature += signature === '' ? `v1,${mac}` : ` v1,${mac}`
  }
  if (keys.ed25519 !== undefined)
    signature += ` v1a,${sign(null, Buffer.concat([Buffer.from(head), Buffer.from(body)]), keys.ed25519).toString('base64')}`
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

/** PKCS #8 of an Ed25519 key is this head and the 32 bytes of the seed (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')
const spkiHeadBytes = 12

export function ed25519Key(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' })
}

/** As verifiers take it: `whpk_` and the base64 of the raw public key. */
export function showPublicKey(privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return `whpk_${spki.subarray(spkiHeadBytes).toString('base64')}`
}
