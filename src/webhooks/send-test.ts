// POST /api/v1/webhooks/{id}/test: one attempt with a made-up event, also for a webhook that is switched off.
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import { testEventType } from '../kernel/events.ts'
import { iso } from '../kernel/iso.ts'
import type { Call } from '../kernel/operation.ts'
import { creates, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { deliveryId, deliveryRange } from '../storage/delivery-id.ts'
import type { Tx } from '../storage/store.ts'
import type { WebhooksDeps } from './deps.ts'
import { webhookId } from './fields.ts'
import { newId } from './prefixed-id.ts'
import { dueTopic } from './stop.ts'
import { ownSubscription } from './subscription.ts'

const input = z.object({ id: webhookId })
const windowMs = 60_000
const testsMax = 10

async function send({ id }: z.output<typeof input>, { principal, now, doneIn }: Call<AccountPrincipal>, { store, ids }: WebhooksDeps) {
  return store.write(async (tx, ring) => {
    await ownSubscription(tx, principal.accountId, id)
    await requireRate(tx, principal.accountId, now)
    const eventId = newId('msg', ids, now)
    const delivery = deliveryId(id, eventId)
    const message = 'This is a test of your webhook. Nothing has happened.'
    const data = { sequence: 0, session: null, message, subscription_id: id }
    await tx
      .insertInto('webhook_deliveries')
      .values({
        id: delivery,
        subscription_id: id,
        event_id: eventId,
        type: testEventType,
        status: 'pending',
        trigger: 'test',
        chain_attempt: 0,
        attempts: 0,
        interrupted: 0,
        due_at: now,
        resume_status: null,
        resume_at: null,
        lease_token: null,
        claimed_at: null,
        last_reason: null,
        last_http_status: null,
        response_head: null,
        peer: null,
        test_body: JSON.stringify({ type: testEventType, timestamp: iso(now), id: eventId, data }),
        created_at: now,
        finished_at: null,
      })
      .execute()
    ring(dueTopic + id)
    const sent = { deliveryId: delivery }
    await doneIn?.(tx, sent)
    return sent
  })
}

/** Counted over the account, in the rows themselves: a test must not become a way to knock on doors. */
async function requireRate(tx: Tx, accountId: string, now: number): Promise<void> {
  const from = now - windowMs + 1
  const subscriptions = await tx
    .selectFrom('webhook_subscriptions')
    .select('id')
    .where('account_id', '=', accountId)
    // Those that were deleted earlier have sent nothing since.
    .where((row) => row.or([row('deleted_at', 'is', null), row('deleted_at', '>=', from)]))
    .execute()
  const times: number[] = []
  for (const { id } of subscriptions) {
    const { first, end } = deliveryRange(id, { from })
    const tests = await tx
      .selectFrom('webhook_deliveries')
      .select('created_at')
      .where('id', '>=', first)
      .where('id', '<', end)
      .where('type', '=', testEventType)
      .execute()
    times.push(...tests.map(({ created_at: at }) => at))
  }
  if (times.length < testsMax) return
  const seconds = Math.max(1, Math.ceil((Math.min(...times) + windowMs - now) / 1_000))
  const headers = {
    'Retry-After': String(seconds),
    'RateLimit-Policy': `"webhook-tests";q=${testsMax};w=${windowMs / 1_000}`,
    RateLimit: `"webhook-tests";r=0;t=${seconds}`,
  }
  throw new ServiceError('rate_limited', `An account may send ${testsMax} tests a minute. Try again in ${seconds} s.`, { headers })
}

export const testWebhook = operation({
  name: 'test_webhook',
  area: 'webhooks',
  summary: 'Send a test event',
  description: 'One attempt, no retry, also while the webhook is disabled; 10 a minute per account. Its end is in the deliveries.',
  access: scoped('sessions:write'),
  effects: { ...creates, openWorld: true },
  limit: 'api',
  errors: ['not_found'],
  input,
  run: send,
  http: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/test',
    status: 202,
    output: z.object({ delivery_id: z.string() }),
    view: ({ deliveryId }) => ({ delivery_id: deliveryId }),
  },
})
