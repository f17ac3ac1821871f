// The operations of webhooks, in the order in which documents show them.
import {
  createWebhook,
  deleteWebhook,
  deleteWebhookAtPath,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './subscriptions.ts'
import { getDelivery, listDeliveries, recoverWebhook, redeliver, testWebhook } from './deliveries.ts'
import { listEventTypes } from './event-types.ts'

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
