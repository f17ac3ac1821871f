// PATCH /api/v1/webhooks/{id}: changes where events go, which, and whether. Whoever decides that answers for it from then on.
import { holdsContacts } from '../kernel/events.ts'
import { z } from 'zod'
import type { Call } from '../kernel/operation.ts'
import { changes, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import type { Tx } from '../storage/store.ts'
import type { SubscriptionRow } from '../storage/tables/webhooks.ts'
import { hostOf } from './create-webhook.ts'
import type { WebhooksDeps } from './deps.ts'
import { description, ed25519, folded, requireDestination, requireSession, sessionFilter, url, wantedTypes, webhookId } from './fields.ts'
import { ed25519Key, showPublicKey } from './signature.ts'
import { disableSubscription, subscriptionTopic } from './stop.ts'
import { eventTypesOf, ownerOf, ownSubscription, record, requireLeads, toRecord, withLast } from './subscription.ts'

const input = z.object({
  id: webhookId,
  url: url.optional(),
  event_types: wantedTypes.optional(),
  session_id: sessionFilter.nullable().optional().describe('Only events of this session; null: of every session.'),
  description: description.nullable().optional(),
  ed25519: ed25519.optional(),
  status: z.enum(['enabled', 'disabled']).optional().describe('Enabling clears the failures and sends nothing by itself: recover a range.'),
})

type Wanted = z.output<typeof input>

async function update(wanted: Wanted, call: Call<AccountPrincipal>, deps: WebhooksDeps) {
  const { principal, now } = call
  const { accountId } = principal
  const before = await ownSubscription(deps.store.read, accountId, wanted.id)
  const types = wanted.event_types === undefined ? eventTypesOf(before.event_types) : folded(wanted.event_types)
  const decides = wanted.url !== undefined || wanted.event_types !== undefined || wanted.status === 'enabled'
  if (decides && types.some(holdsContacts)) requireLeads(principal, 'sessions:write')
  if (typeof wanted.session_id === 'string') await requireSession(deps.store.read, accountId, wanted.session_id.toLowerCase())
  if (wanted.url !== undefined) await requireDestination(deps.vet, wanted.url)
  const row = await deps.store.write(async (tx, ring) => {
    const current = await ownSubscription(tx, accountId, wanted.id)
    const changed: Partial<SubscriptionRow> = {
      updated_at: now,
      ...(wanted.url !== undefined && { url: wanted.url }),
      ...(wanted.event_types !== undefined && { event_types: JSON.stringify(types) }),
      ...(wanted.session_id !== undefined && { session_id: wanted.session_id?.toLowerCase() ?? null }),
      ...(wanted.description !== undefined && { description: wanted.description }),
      ...(decides && { owner_credential_id: ownerOf(principal) }),
      ...(wanted.status === 'enabled' && { disabled_reason: null, dead_letters: 0, failing_since: null }),
      ...(wanted.ed25519 !== undefined && ed25519Change(wanted.ed25519, current, deps)),
    }
    await change(tx, current.id, changed)
    if (wanted.status === 'disabled') await disableSubscription(tx, ring, current.id, 'manual', now)
    ring(subscriptionTopic + current.id)
    await deps.audit(tx, call, {
      action: 'webhook.updated',
      accountId,
      target: { kind: 'webhook', id: current.id },
      data: {
        changed: Object.keys(wanted).filter((name) => name !== 'id'),
        ...(wanted.url !== undefined && { host: hostOf(wanted.url) }),
        ...(wanted.status !== undefined && { status: wanted.status }),
      },
    })
    return ownSubscription(tx, accountId, current.id)
  })
  const [shown = { ...row, last: undefined }] = await withLast(deps.store.read, [row])
  return { row: shown, now }
}

async function change(tx: Tx, id: string, changed: Partial<SubscriptionRow>): Promise<void> {
  await tx.updateTable('webhook_subscriptions').set(changed).where('id', '=', id).execute()
}

/** Switched off and on again, a subscription keeps its key pair. */
function ed25519Change(on: boolean, { id, ed25519_seed: kept }: SubscriptionRow, { ids, vault }: WebhooksDeps): Partial<SubscriptionRow> {
  if (!on) return { public_key: null }
  const known = kept === null ? undefined : vault.open(kept, id)
  const seed = known ?? ids.bytes(32)
  return { public_key: showPublicKey(ed25519Key(seed)), ...(known === undefined && { ed25519_seed: vault.seal(seed, id) }) }
}

export const updateWebhook = operation({
  name: 'update_webhook',
  area: 'webhooks',
  summary: 'Change a webhook',
  description:
    'Members left out stay as they are. A credential that changes the address or the events, or enables the webhook, answers for it from then on.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found', 'url_not_allowed'],
  input,
  run: update,
  http: { method: 'PATCH', path: '/api/v1/webhooks/{id}', output: record, view: ({ row, now }) => toRecord(row, now) },
})
