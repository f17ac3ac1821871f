// POST /api/v1/webhooks: subscribes an address to events (Spec 2.9, 4.4). The signing secret is in this answer and nowhere else.
import { holdsContacts } from '../kernel/events.ts'
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import type { Call } from '../kernel/operation.ts'
import { creates, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { held } from '../storage/row-locks.ts'
import type { Tx } from '../storage/store.ts'
import type { SubscriptionRow } from '../storage/tables/webhooks.ts'
import type { WebhooksDeps } from './deps.ts'
import {
  description,
  ed25519,
  folded,
  ownSecret,
  requireDestination,
  requireSecret,
  requireSession,
  sessionFilter,
  url,
  wantedTypes,
} from './fields.ts'
import { newId } from './prefixed-id.ts'
import { ed25519Key, secretBytes, showPublicKey, showSecret } from './signature.ts'
import type { Shown } from './subscription.ts'
import { ownerOf, recordWithSecret, requireLeads, toRecord } from './subscription.ts'

export const subscriptionsMax = 20

const input = z.object({
  url,
  event_types: wantedTypes,
  session_id: sessionFilter.optional(),
  description: description.optional(),
  secret: ownSecret.optional(),
  ed25519: ed25519.optional(),
})

export interface Made {
  row: Shown
  secret: string
  now: number
}

async function create(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: WebhooksDeps): Promise<Made> {
  const { principal, now } = call
  const types = folded(wanted.event_types)
  if (types.some(holdsContacts)) requireLeads(principal, 'sessions:write')
  const key = wanted.secret === undefined ? deps.ids.bytes(secretBytes) : requireSecret(wanted.secret)
  const sessionId = wanted.session_id?.toLowerCase() ?? null
  if (sessionId !== null) await requireSession(deps.store.read, principal.accountId, sessionId)
  await requireDestination(deps.vet, wanted.url)
  const id = newId('wh', deps.ids, now)
  const secret = showSecret(key)
  const seed = wanted.ed25519 === true ? deps.ids.bytes(32) : null
  const row: SubscriptionRow = {
    id,
    account_id: principal.accountId,
    session_id: sessionId,
    url: wanted.url,
    event_types: JSON.stringify(types),
    description: wanted.description ?? null,
    disabled_reason: null,
    owner_credential_id: ownerOf(principal),
    secret: deps.vault.seal(key, id),
    secret_hint: secret.slice(-4),
    previous_secret: null,
    previous_secret_until: null,
    ed25519_seed: seed === null ? null : deps.vault.seal(seed, id),
    public_key: seed === null ? null : showPublicKey(ed25519Key(seed)),
    dead_letters: 0,
    failing_since: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
  await deps.store.write(async (tx) => {
    await requireRoom(tx, principal.accountId)
    if (sessionId !== null) await requireSession(tx, principal.accountId, sessionId)
    await tx.insertInto('webhook_subscriptions').values(row).execute()
    await deps.audit(tx, call, {
      action: 'webhook.created',
      accountId: principal.accountId,
      target: { kind: 'webhook', id },
      data: { host: hostOf(wanted.url), eventTypes: types },
    })
  })
  return { row: { ...row, last: undefined }, secret, now }
}

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
export function hostOf(address: string): string {
  return URL.parse(address)?.host ?? ''
}

export const createWebhook = operation({
  name: 'create_webhook',
  area: 'webhooks',
  summary: 'Subscribe an address to events',
  description:
    'The answer holds the signing `secret`, once. Events that happen from now on are posted. `lead.captured` and `lead.updated` also need `leads:read`. The webhook stops when the credential that made it is revoked, expires or loses a scope that its events need.',
  access: scoped('sessions:write'),
  effects: creates,
  limit: 'api',
  errors: ['url_not_allowed', 'not_found', 'limit_reached'],
  secret: true,
  input,
  run: create,
  http: {
    method: 'POST',
    path: '/api/v1/webhooks',
    status: 201,
    output: recordWithSecret,
    view: ({ row, secret, now }) => ({ ...toRecord(row, now), secret }),
    headers: ({ row }) => ({ Location: `/api/v1/webhooks/${row.id}` }),
  },
})
