// The operations of webhooks, in the order in which documents show them.
import { z } from 'zod'
import { eventExample, eventSchema, examplesOf } from '@rostrum/contract/event-examples'
import { eventTypes, eventWords, specEventTypes } from '@rostrum/contract/events'
import { lazily } from '@rostrum/base/work'
import { operation, scoped } from '../platform/operation.ts'
import { getDelivery, listDeliveries, recoverWebhook, redeliver, testWebhook } from './deliveries.ts'
import type { WebhooksDeps } from './subscription.ts'
import {
  createWebhook,
  deleteWebhook,
  deleteWebhookAtPath,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './subscriptions.ts'

// GET /api/v1/webhooks/event-types: what can be subscribed to, each with the schema of its body and an example (Spec 6.1).

const described = lazily(() =>
  eventTypes.map((name) => ({
    name,
    description: eventWords[name],
    schema: eventSchema(name),
    example: eventExample(name),
    examples: examplesOf(name),
    isOptIn: !specEventTypes.some((type) => type === name),
  })),
)

const json = z.record(z.string(), z.unknown())

const listEventTypes = operation({
  name: 'list_event_types',
  summary: 'List the event types',
  access: scoped('sessions:read'),
  input: z.object({}),
  run: async (_input: object, _call: unknown, _deps: WebhooksDeps) => described(),
  http: {
    method: 'GET',
    path: '/api/v1/webhooks/event-types',
    output: z.object({
      event_types: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          schema: json,
          example: json,
          examples: z.array(z.object({ name: z.string(), summary: z.string(), body: json })),
          isOptIn: z.boolean().describe('Not one of the seven of the specification: sent to who names it.'),
        }),
      ),
    }),
    view: (types) => ({ event_types: types }),
  },
})

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
