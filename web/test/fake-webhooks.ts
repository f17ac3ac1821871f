// Webhook endpoints of the fake API: one that works, one that was switched off, and a delivery with its attempts.
import { systemClock } from '@rostrum/base/clock'
import type { Delivery, DeliveryDetail, Endpoint } from '../src/dashboard/webhooks/webhook-wire.ts'

const at = (minutesAgo: number) => new Date(systemClock.now() - minutesAgo * 60_000).toISOString()

export const fakeEndpoints = (): Endpoint[] => [
  {
    id: 'wh_1',
    subscription_id: 'wh_1',
    format: 'standard',
    ed25519: false,
    updated_at: at(9_000),
    url: 'https://hooks.acme.example/rostrum',
    event_types: ['lead.captured', 'session.completed'],
    status: 'enabled',
    secret_hint: 'x7Qd',
    failing_since: at(90),
    last_delivery: { id: 'msg_1', status: 'retry_scheduled', at: at(12) },
    created_at: at(9_000),
  },
  {
    id: 'wh_2',
    subscription_id: 'wh_2',
    format: 'standard',
    ed25519: false,
    updated_at: at(9_000),
    url: 'https://old.acme.example/hook',
    event_types: [
      'session.created',
      'session.started',
      'session.completed',
      'attendee.joined',
      'attendee.left',
      'lead.captured',
      'cta.clicked',
    ],
    status: 'disabled',
    disabled_reason: 'gone',
    secret_hint: 'b31k',
    created_at: at(90_000),
  },
]

export const fakeDeliveries = (): Delivery[] => [
  {
    id: 'msg_1',
    subscription_id: 'wh_1',
    webhook_id: 'evt_1',
    event_type: 'lead.captured',
    status: 'retry_scheduled',
    attempts: 2,
    next_attempt_at: at(-18),
    last_reason: 'http_status',
    last_http_status: 503,
    trigger: 'automatic',
    created_at: at(14),
  },
  {
    id: 'msg_2',
    subscription_id: 'wh_1',
    webhook_id: 'evt_1',
    event_type: 'session.completed',
    status: 'succeeded',
    attempts: 1,
    last_http_status: 204,
    trigger: 'automatic',
    created_at: at(200),
    finished_at: at(200),
  },
  {
    id: 'msg_3',
    subscription_id: 'wh_1',
    webhook_id: 'evt_1',
    event_type: 'lead.captured',
    status: 'failed',
    attempts: 3,
    last_reason: 'timeout',
    trigger: 'automatic',
    created_at: at(3_000),
    finished_at: at(2_960),
  },
]

export function fakeDelivery(id: string): DeliveryDetail | undefined {
  const delivery = fakeDeliveries().find((one) => one.id === id)
  if (delivery === undefined) return undefined
  const start = Date.parse(delivery.created_at)
  const started = (ms: number) => new Date(start + ms).toISOString()
  return {
    ...delivery,
    payload: { type: delivery.event_type, timestamp: delivery.created_at, data: { sequence: 41 } },
    attempt_log: [
      { n: 1, trigger: 'automatic', started_at: started(0), ended_at: started(20_000), outcome: 'failed', reason: 'timeout' },
      {
        n: 2,
        trigger: 'automatic',
        started_at: started(120_000),
        ended_at: started(120_240),
        outcome: 'failed',
        reason: 'http_status',
        http_status: 503,
        response: 'upstream is restarting',
      },
    ],
  }
}
