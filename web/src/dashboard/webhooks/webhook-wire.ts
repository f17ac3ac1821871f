// Webhook endpoints and their deliveries as the operations answer them (Spec 2.9, 3.3, 6; snake_case as on the wire).
import type { OutputOf } from '../../../../client/operations.ts'

export type Endpoint = OutputOf<'list_webhooks'>['webhooks'][number]
export type EventType = Endpoint['event_types'][number]
export type DisabledReason = NonNullable<Endpoint['disabled_reason']>
export type Delivery = OutputOf<'list_deliveries'>['deliveries'][number]
export type DeliveryStatus = Delivery['status']
export type DeliveryDetail = OutputOf<'get_delivery'>
export type Attempt = DeliveryDetail['attempt_log'][number]
export type Trigger = Delivery['trigger']
export type AttemptOutcome = Attempt['outcome']

/** `optIn`: not of the seven of the specification, and not ticked beforehand. */
export const eventTypes: readonly { name: EventType; words: string; optIn?: true }[] = [
  { name: 'session.created', words: 'A session is created' },
  { name: 'session.started', words: 'The presenter begins a talk' },
  { name: 'session.completed', words: 'The presenter finishes a talk' },
  { name: 'attendee.joined', words: 'Someone connects to the room' },
  { name: 'attendee.left', words: 'Someone leaves the room' },
  { name: 'lead.captured', words: 'Someone leaves contact details or shows high intent' },
  { name: 'cta.clicked', words: 'Someone opens the offer' },
  { name: 'lead.updated', words: 'Someone changes contact details they left, or clicks later', optIn: true },
  { name: 'recording.ready', words: 'A film, sound or captions of a talk are ready', optIn: true },
  { name: 'session.published', words: 'A draft is published', optIn: true },
  { name: 'deck.ready', words: 'The slides of a file are ready', optIn: true },
  { name: 'deck.failed', words: 'A file could not be read', optIn: true },
  { name: 'question.unanswered', words: 'The deck does not answer a question', optIn: true },
  { name: 'endpoint.failing', words: 'Another endpoint is about to be disabled', optIn: true },
  { name: 'budget.reached', words: 'Half, four fifths or all of your minutes are used', optIn: true },
]

export const formats: readonly { value: Endpoint['format']; label: string; short: string }[] = [
  { value: 'standard', label: 'Signed JSON, for a server of yours', short: 'Signed JSON' },
  { value: 'slack', label: 'Slack message', short: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams message', short: 'Teams' },
  { value: 'discord', label: 'Discord message', short: 'Discord' },
  { value: 'hubspot', label: 'HubSpot contact', short: 'HubSpot' },
]

/** What HubSpot is told of. */
export const leadEvents: readonly EventType[] = ['lead.captured', 'lead.updated']

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

/** In the order of the choice of one. */
export const statuses = Object.keys(deliveryWords) as DeliveryStatus[]

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
  token_refused: 'HubSpot refused the token: make a new one and put it in',
  interrupted: 'this server stopped meanwhile',
}

export function whyWords(reason: string | undefined, status: number | undefined): string {
  const words = reason === undefined ? '' : (reasonWords[reason] ?? reason.replaceAll('_', ' '))
  return [status === undefined ? '' : `HTTP ${status}`, words].filter((part) => part !== '').join(', ')
}
