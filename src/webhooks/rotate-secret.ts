// POST /api/v1/webhooks/{id}/rotate: a new signing secret; the old one signs beside it until its grace ends.
import { holdsContacts } from '../kernel/events.ts'
import { z } from 'zod'
import type { Call } from '../kernel/operation.ts'
import { creates, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import type { Made } from './create-webhook.ts'
import type { WebhooksDeps } from './deps.ts'
import { ownSecret, requireSecret, webhookId } from './fields.ts'
import { secretBytes, showSecret } from './signature.ts'
import { subscriptionTopic } from './stop.ts'
import { eventTypesOf, ownSubscription, recordWithSecret, requireLeads, toRecord, withLast } from './subscription.ts'

const input = z.object({
  id: webhookId,
  grace_seconds: z.int().min(0).max(604_800).default(86_400).describe('How long the old secret signs as well. One day unless given.'),
  secret: ownSecret.optional(),
})

async function rotate(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: WebhooksDeps): Promise<Made> {
  const { principal, now } = call
  const { accountId } = principal
  const before = await ownSubscription(deps.store.read, accountId, wanted.id)
  if (eventTypesOf(before.event_types).some(holdsContacts)) requireLeads(principal, 'sessions:write')
  const key = wanted.secret === undefined ? deps.ids.bytes(secretBytes) : requireSecret(wanted.secret)
  const secret = showSecret(key)
  const row = await deps.store.write(async (tx, ring) => {
    const current = await ownSubscription(tx, accountId, wanted.id)
    const grace = wanted.grace_seconds > 0
    await tx
      .updateTable('webhook_subscriptions')
      .set({
        secret: deps.vault.seal(key, current.id),
        secret_hint: secret.slice(-4),
        // The row keeps two: a second rotation drops the oldest.
        previous_secret: grace ? current.secret : null,
        previous_secret_until: grace ? now + wanted.grace_seconds * 1_000 : null,
        updated_at: now,
      })
      .where('id', '=', current.id)
      .execute()
    ring(subscriptionTopic + current.id)
    const target = { kind: 'webhook', id: current.id } as const
    await deps.audit(tx, call, { action: 'webhook.rotated', accountId, target, data: { graceSeconds: wanted.grace_seconds } })
    return ownSubscription(tx, accountId, current.id)
  })
  const [shown = { ...row, last: undefined }] = await withLast(deps.store.read, [row])
  return { row: shown, secret, now }
}

export const rotateWebhookSecret = operation({
  name: 'rotate_webhook_secret',
  area: 'webhooks',
  summary: 'Make a new signing secret',
  description: 'The answer holds the new secret, once. Until the grace ends deliveries carry a signature of each.',
  access: scoped('sessions:write'),
  effects: creates,
  limit: 'api',
  errors: ['not_found'],
  secret: true,
  input,
  run: rotate,
  http: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate',
    output: recordWithSecret,
    view: ({ row, secret, now }) => ({ ...toRecord(row, now), secret }),
  },
})
