// The operations of webhooks, in the order in which documents show them.
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook, deleteWebhookAtPath } from './delete-webhook.ts'
import { getDelivery } from './get-delivery.ts'
import { getWebhook } from './get-webhook.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listEventTypes } from './list-event-types.ts'
import { listWebhooks } from './list-webhooks.ts'
import { recoverWebhook } from './recover.ts'
import { redeliver } from './redeliver.ts'
import { rotateWebhookSecret } from './rotate-secret.ts'
import { testWebhook } from './send-test.ts'
import { updateWebhook } from './update-webhook.ts'

export const webhookOperations = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  deleteWebhookAtPath,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  getDelivery,
  redeliver,
  recoverWebhook,
  listEventTypes,
] as const
