// Webhook endpoints and their deliveries as the operations answer them (Spec 2.9, 3.3, 6; snake_case as on the wire).

export type DisabledReason = 'manual' | 'gone' | 'failures' | 'owner_revoked'

export interface Endpoint {
  id: string
  url: string
  event_types: string[]
  status: 'enabled' | 'disabled'
  disabled_reason?: DisabledReason
  session_id?: string
  description?: string
  secret_hint: string
  previous_secret_expires_at?: string
  failing_since?: string
  last_delivery?: { id: string; status: DeliveryStatus; at: string }
  created_at: string
}

export type DeliveryStatus = 'pending' | 'in_flight' | 'retry_scheduled' | 'succeeded' | 'failed' | 'skipped' | 'canceled'

export interface Delivery {
  id: string
  /** The `webhook-id` of every attempt. */
  webhook_id: string
  event_type: string
  session_id?: string
  status: DeliveryStatus
  attempts: number
  next_attempt_at?: string
  last_reason?: string
  last_http_status?: number
  trigger: Trigger
  created_at: string
  finished_at?: string
}

export type Trigger = 'automatic' | 'manual' | 'recover' | 'test'
export type AttemptOutcome = 'succeeded' | 'failed' | 'blocked' | 'interrupted'

export interface Attempt {
  n: number
  trigger: Trigger
  started_at: string
  ended_at: string
  outcome: AttemptOutcome
  reason?: string
  http_status?: number
  response?: string
}

export interface DeliveryDetail extends Delivery {
  payload?: unknown
  attempt_log: Attempt[]
}

/** `optIn`: not of the seven of the specification, and not ticked beforehand. */
export const eventTypes: readonly { name: string; words: string; optIn?: true }[] = [
  { name: 'session.created', words: 'A session is created' },
  { name: 'session.started', words: 'The presenter begins a talk' },
  { name: 'session.completed', words: 'The presenter finishes a talk' },
  { name: 'attendee.joined', words: 'Someone connects to the room' },
  { name: 'attendee.left', words: 'Someone leaves the room' },
  { name: 'lead.captured', words: 'Someone leaves contact details or shows high intent' },
  { name: 'cta.clicked', words: 'Someone clicks the call to action' },
  { name: 'lead.updated', words: 'Someone changes contact details they left, or clicks later', optIn: true },
]

export const disabledWords: Record<DisabledReason, string> = {
  manual: 'switched off here',
  gone: 'the server answered 410 Gone',
  failures: 'every delivery failed for days',
  owner_revoked: 'the key that made it was revoked',
}

export const deliveryWords: Record<DeliveryStatus, string> = {
  pending: 'Waiting',
  in_flight: 'Being sent',
  retry_scheduled: 'Retry scheduled',
  succeeded: 'Delivered',
  failed: 'Failed',
  skipped: 'Skipped',
  canceled: 'Cancelled',
}

const reasonWords: Record<string, string> = {
  http_status: 'the answer was not a success',
  redirect: 'it redirected, which is not followed',
  gone: 'it answered 410 Gone',
  timeout: 'no answer in time',
  connect: 'no connection',
  tls: 'the certificate was refused',
  dns: 'the name could not be resolved',
  protocol: 'the answer was not HTTP',
  blocked_destination: 'the destination is not allowed',
  blocklist_unavailable: 'the blocklist did not answer',
  interrupted: 'this server stopped meanwhile',
}

export function whyWords(reason: string | undefined, status: number | undefined): string {
  const words = reason === undefined ? '' : (reasonWords[reason] ?? reason.replaceAll('_', ' '))
  return [status === undefined ? '' : `HTTP ${status}`, words].filter((part) => part !== '').join(', ')
}
