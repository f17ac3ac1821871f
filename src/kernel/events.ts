// Domain events: the seven durable facts of spec 6.1, past tense, appended in the transaction of the change they report.
import { z } from 'zod'

export const eventTypes = [
  'session.created',
  'session.started',
  'session.completed',
  'attendee.joined',
  'attendee.left',
  'lead.captured',
  'cta.clicked',
] as const
export type EventType = (typeof eventTypes)[number]
export const eventType = z.enum(eventTypes)

/** What a feature appends. `dedupeKey` makes a repeat harmless (webhooks note, section 2); `data` lacks `sequence` and `session`, which the append adds. */
export interface NewDomainEvent {
  type: EventType
  accountId: string
  sessionId: string
  at: number
  dedupeKey: string
  data: Readonly<Record<string, unknown>>
}
