// Webhooks of an account (Spec 2.9, 4.4): made, shown, changed, given a new secret, ended. A signing secret is in the answer that makes it
// and nowhere else.
import { z } from 'zod'
import { ServiceError } from '@rostrum/base/errors'
import { holdsContacts } from '@rostrum/contract/events'
import { type Call, operation, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { held } from '../platform/db/statements.ts'
import type { Tx } from '../platform/db/store.ts'
import type { SubscriptionRow } from '../platform/db/tables.ts'
import { newId } from './delivery.ts'
import {
  description,
  disableSubscription,
  ed25519,
  endSubscription,
  eventTypesOf,
  folded,
  format,
  ownerOf,
  ownSecret,
  ownSubscription,
  record,
  recordWithSecret,
  requireDestination,
  requireFormat,
  requireLeads,
  requireSecret,
  requireSession,
  sessionFilter,
  shownWith,
  subscriptionTopic,
  token,
  toRecord,
  url,
  wantedTypes,
  webhookId,
  type WebhooksDeps,
  ed25519Key,
  secretBytes,
  showPublicKey,
  showSecret,
} from './subscription.ts'

export const subscriptionsMax = 20

/** Two creations at once must not both be the last that fits. */
async function requireRoom(tx: Tx, accountId: string): Promise<void> {
  await held(tx, tx.selectFrom('accounts').select('id').where('id', '=', accountId)).execute()
  const { count } = await tx
    .selectFrom('webhook_subscriptions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (count >= subscriptionsMax)
    throw new ServiceError('limit_reached', `An account has at most ${subscriptionsMax} webhooks. Delete one first.`)
}

/** The path and the query of an address can hold a secret of the receiver's. */
function hostOf(address: string): string {
  return URL.parse(address)?.host ?? ''
}

export const createWebhook = operation({
  name: 'create_webhook',
  summary: 'Subscribe an address to events',
  description:
    'The answer holds the signing `secret`, once. Events that happen from now on are posted. `lead.captured` and `lead.updated` also need `leads:read`. The webhook stops when the credential that made it is revoked, expires or loses a scope that its events need.',
  access: scoped('sessions:write'),
  errors: ['url_not_allowed', 'not_found', 'limit_reached'],
  secret: true,
  input: z.object({
    url,
    event_types: wantedTypes,
    format: format.default('standard'),
    token: token.optional(),
    session_id: sessionFilter.optional(),
    description: description.optional(),
    secret: ownSecret.optional(),
    ed25519: ed25519.optional(),
  }),
  run: async (wanted, call, deps: WebhooksDeps) => {
    const { principal, now } = call
    const types = folded(wanted.event_types)
    if (types.some(holdsContacts)) requireLeads(principal, 'sessions:write')
    requireFormat(wanted.format, wanted.token !== undefined, types)
    const key = wanted.secret === undefined ? deps.ids.bytes(secretBytes) : requireSecret(wanted.secret)
    const sessionId = wanted.session_id?.toLowerCase() ?? null
    if (sessionId !== null) await requireSession(deps.store.read, principal.accountId, sessionId)
    await requireDestination(deps, wanted.url)
    const id = newId('wh', deps.ids, now)
    const secret = showSecret(key)
    const seed = wanted.ed25519 === true ? deps.ids.bytes(32) : null
    const values = {
      id,
      account_id: principal.accountId,
      session_id: sessionId,
      url: wanted.url,
      format: wanted.format,
      token: wanted.token === undefined ? null : deps.vault.seal(Buffer.from(wanted.token), id),
      event_types: JSON.stringify(types),
      description: wanted.description ?? null,
      owner_credential_id: ownerOf(principal),
      secret: deps.vault.seal(key, id),
      secret_hint: secret.slice(-4),
      ed25519_seed: seed === null ? null : deps.vault.seal(seed, id),
      public_key: seed === null ? null : showPublicKey(ed25519Key(seed)),
      dead_letters: 0,
      created_at: now,
      updated_at: now,
    }
    const row = await deps.store.write(async (tx) => {
      await requireRoom(tx, principal.accountId)
      if (sessionId !== null) await requireSession(tx, principal.accountId, sessionId)
      await deps.audit(tx, call, 'webhook.created', id, { host: hostOf(wanted.url), eventTypes: types })
      return tx.insertInto('webhook_subscriptions').values(values).returningAll().executeTakeFirstOrThrow()
    })
    return { row: { ...row, last: undefined }, secret, now }
  },
  http: {
    method: 'POST',
    path: '/api/v1/webhooks',
    status: 201,
    output: recordWithSecret,
    view: ({ row, secret, now }) => ({ ...toRecord(row, now), secret }),
    headers: ({ row }) => ({ Location: `/api/v1/webhooks/${row.id}` }),
  },
})

// GET /api/v1/webhooks/{id}.

export const getWebhook = operation({
  name: 'get_webhook',
  summary: 'Get a webhook',
  access: scoped('sessions:read'),
  input: z.object({ id: webhookId }),
  run: async ({ id }, { principal, now }, { store }: WebhooksDeps) => {
    return { row: await shownWith(store.read, await ownSubscription(store.read, principal.accountId, id)), now }
  },
  http: { method: 'GET', path: '/api/v1/webhooks/{id}', output: record, view: ({ row, now }) => toRecord(row, now) },
})

// GET /api/v1/webhooks: the subscriptions of the account, newest first (Spec 4.4).

export const listWebhooks = operation({
  name: 'list_webhooks',
  summary: 'List webhooks',
  access: scoped('sessions:read'),
  input: z.object({}),
  run: async (_: object, { principal, now }, { store }: WebhooksDeps) => {
    const rows = await store.read
      .selectFrom('webhook_subscriptions')
      .selectAll()
      .where('account_id', '=', principal.accountId)
      .where('deleted_at', 'is', null)
      .orderBy('id', 'desc')
      .execute()
    return { rows: await Promise.all(rows.map((row) => shownWith(store.read, row))), now }
  },
  http: {
    method: 'GET',
    path: '/api/v1/webhooks',
    output: z.object({ webhooks: z.array(record), count: z.number() }),
    view: ({ rows, now }) => ({ webhooks: rows.map((row) => toRecord(row, now)), count: rows.length }),
  },
})

// PATCH /api/v1/webhooks/{id}: changes where events go, which, and whether. Whoever decides that answers for it from then on.

const change = (tx: Tx, id: string, changed: Partial<SubscriptionRow>) =>
  tx.updateTable('webhook_subscriptions').set(changed).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Switched off and on again, a subscription keeps its key pair. */
function ed25519Change(on: boolean, { id, ed25519_seed: kept }: SubscriptionRow, { ids, vault }: WebhooksDeps): Partial<SubscriptionRow> {
  if (!on) return { public_key: null }
  const known = kept === null ? undefined : vault.open(kept, id)
  const seed = known ?? ids.bytes(32)
  return { public_key: showPublicKey(ed25519Key(seed)), ...(known === undefined && { ed25519_seed: vault.seal(seed, id) }) }
}

export const updateWebhook = operation({
  name: 'update_webhook',
  summary: 'Change a webhook',
  description:
    'Members left out stay as they are. A credential that changes the address or the events, or enables the webhook, answers for it from then on.',
  access: scoped('sessions:write'),
  errors: ['url_not_allowed'],
  input: z.object({
    id: webhookId,
    url: url.optional(),
    event_types: wantedTypes.optional(),
    format: format.optional(),
    token: token.optional(),
    session_id: sessionFilter.nullable().optional().describe('Only events of this session; null: of every session.'),
    description: description.nullable().optional(),
    ed25519: ed25519.optional(),
    status: z
      .enum(['enabled', 'disabled'])
      .optional()
      .describe('Enabling clears the failures and sends nothing by itself: recover a range.'),
  }),
  run: async (wanted, call, deps: WebhooksDeps) => {
    const { principal, now } = call
    const { accountId } = principal
    const before = await ownSubscription(deps.store.read, accountId, wanted.id)
    const types = wanted.event_types === undefined ? eventTypesOf(before.event_types) : folded(wanted.event_types)
    const decides = wanted.url !== undefined || wanted.event_types !== undefined || wanted.status === 'enabled'
    const formed = wanted.format ?? before.format
    requireFormat(formed, wanted.token !== undefined || (formed === 'hubspot' && before.token !== null), types)
    if (decides && types.some(holdsContacts)) requireLeads(principal, 'sessions:write')
    if (typeof wanted.session_id === 'string') await requireSession(deps.store.read, accountId, wanted.session_id.toLowerCase())
    if (wanted.url !== undefined) await requireDestination(deps, wanted.url)
    const row = await deps.store.write(async (tx, ring) => {
      const current = await ownSubscription(tx, accountId, wanted.id)
      const changed: Partial<SubscriptionRow> = {
        updated_at: now,
        ...(wanted.url !== undefined && { url: wanted.url }),
        ...(wanted.event_types !== undefined && { event_types: JSON.stringify(types) }),
        format: formed,
        ...(formed !== 'hubspot' && { token: null }),
        ...(wanted.token !== undefined && { token: deps.vault.seal(Buffer.from(wanted.token), current.id) }),
        ...(wanted.session_id !== undefined && { session_id: wanted.session_id?.toLowerCase() ?? null }),
        ...(wanted.description !== undefined && { description: wanted.description }),
        ...(decides && { owner_credential_id: ownerOf(principal) }),
        ...(wanted.status === 'enabled' && { disabled_reason: null, dead_letters: 0, failing_since: null }),
        ...(wanted.ed25519 !== undefined && ed25519Change(wanted.ed25519, current, deps)),
      }
      await change(tx, current.id, changed)
      if (wanted.status === 'disabled') await disableSubscription(tx, ring, current.id, 'manual', now)
      ring(subscriptionTopic + current.id)
      await deps.audit(tx, call, 'webhook.updated', current.id, {
        changed: Object.keys(wanted).filter((name) => name !== 'id'),
        ...(wanted.url !== undefined && { host: hostOf(wanted.url) }),
        ...(wanted.status !== undefined && { status: wanted.status }),
      })
      return ownSubscription(tx, accountId, current.id)
    })
    return { row: await shownWith(deps.store.read, row), now }
  },
  http: { method: 'PATCH', path: '/api/v1/webhooks/{id}', output: record, view: ({ row, now }) => toRecord(row, now) },
})

// POST /api/v1/webhooks/{id}/rotate: a new signing secret; the old one signs beside it until its grace ends.

export const rotateWebhookSecret = operation({
  name: 'rotate_webhook_secret',
  summary: 'Make a new signing secret',
  description: 'The answer holds the new secret, once. Until the grace ends deliveries carry a signature of each.',
  access: scoped('sessions:write'),
  secret: true,
  input: z.object({
    id: webhookId,
    grace_seconds: z.int().min(0).max(604_800).default(86_400).describe('How long the old secret signs as well. One day unless given.'),
    secret: ownSecret.optional(),
  }),
  run: async (wanted, call, deps: WebhooksDeps) => {
    const { principal, now } = call
    const { accountId } = principal
    const before = await ownSubscription(deps.store.read, accountId, wanted.id)
    if (eventTypesOf(before.event_types).some(holdsContacts)) requireLeads(principal, 'sessions:write')
    const key = wanted.secret === undefined ? deps.ids.bytes(secretBytes) : requireSecret(wanted.secret)
    const secret = showSecret(key)
    const row = await deps.store.write(async (tx, ring) => {
      const current = await ownSubscription(tx, accountId, wanted.id)
      const grace = wanted.grace_seconds > 0
      const rotated = await change(tx, current.id, {
        secret: deps.vault.seal(key, current.id),
        secret_hint: secret.slice(-4),
        // The row keeps two: a second rotation drops the oldest.
        previous_secret: grace ? current.secret : null,
        previous_secret_until: grace ? now + wanted.grace_seconds * 1_000 : null,
        updated_at: now,
      })
      ring(subscriptionTopic + current.id)
      await deps.audit(tx, call, 'webhook.rotated', current.id, { graceSeconds: wanted.grace_seconds })
      return rotated
    })
    return { row: await shownWith(deps.store.read, row), secret, now }
  },
  http: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate',
    output: recordWithSecret,
    view: ({ row, secret, now }) => ({ ...toRecord(row, now), secret }),
  },
})

// DELETE /api/v1/webhooks?id= (Spec 4.4), and the same by path: ends a subscription and cancels what waits for it.

const deleted = z.object({ id: z.string(), deleted: z.boolean() })

const deletion = {
  description: 'Waiting deliveries are cancelled; one on the wire ends and is not tried again.',
  access: scoped('sessions:write'),
  errors: ['not_found'],
  input: z.object({ id: webhookId }),
  run: async ({ id }: { id: string }, call: Call<AccountPrincipal>, deps: WebhooksDeps) => {
    await deps.store.write(async (tx, ring) => {
      await ownSubscription(tx, call.principal.accountId, id)
      await endSubscription(tx, ring, id, call.now)
      await deps.audit(tx, call, 'webhook.deleted', id, {})
    })
    return { id, deleted: true }
  },
} as const

export const deleteWebhook = operation({
  ...deletion,
  name: 'delete_webhook',
  summary: 'Delete a webhook',
  http: { method: 'DELETE', path: '/api/v1/webhooks', output: deleted },
})

export const deleteWebhookAtPath = operation({
  ...deletion,
  name: 'delete_webhook_at_path',
  summary: 'Delete a webhook by its own address',
  http: { method: 'DELETE', path: '/api/v1/webhooks/{id}', output: deleted },
})
