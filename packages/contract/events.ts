// Domain events: the seven durable facts of Spec 6.1 and those that are sent to who names them, past tense, appended in the transaction
// of the change they report; and the schemas of the bodies that webhooks carry. Members may be added to a body in v1, never removed or
// retyped.
import { z } from 'zod'
import { utm } from './fields.ts'
import { leaveReason } from './room.ts'

/** Those of Spec 6.1. */
export const specEventTypes = [
  'session.created',
  'session.started',
  'session.completed',
  'attendee.joined',
  'attendee.left',
  'lead.captured',
  'cta.clicked',
] as const
/** Beside those of the specification, for who asks for them by name. */
export const optInEventTypes = [
  'lead.updated',
  'recording.ready',
  'session.published',
  'deck.ready',
  'deck.failed',
  'question.unanswered',
  'endpoint.failing',
  'budget.reached',
] as const
export const eventTypes = [...specEventTypes, ...optInEventTypes] as const
export type EventType = (typeof eventTypes)[number]
export const eventType = z.enum(eventTypes)

/** What a feature appends. `dedupeKey` makes a repeat harmless; `data` lacks `sequence` and `session`, which the append adds. */
export interface NewDomainEvent {
  type: EventType
  accountId: string
  sessionId: string
  at: number
  dedupeKey: string
  data: Readonly<Record<string, unknown>>
}

/** Events with contact details: they need `leads:read`, and an erasure empties them. */
export const leadEventTypes = ['lead.captured', 'lead.updated'] as const satisfies readonly EventType[]
export const holdsContacts = (type: string): boolean => leadEventTypes.some((held) => held === type)

/** In whose form a webhook posts: the signed event as it is, or the same in the words of a chat or a CRM. */
export const webhookFormats = ['standard', 'slack', 'teams', 'discord', 'hubspot'] as const
export type WebhookFormat = (typeof webhookFormats)[number]

/** Sent on request to try a subscription; nobody subscribes to it. */
export const testEventType = 'webhook.test'
export type WebhookType = EventType | typeof testEventType

const at = z.iso.datetime()
const runId = z.string().nullable()
const count = z.int().min(0)
const seconds = z.number().min(0)
const sequence = z.int().min(1).describe('Counts the events of one session, without gaps.')

const session = z.object({
  id: z.string(),
  title: z.string(),
  slug: z.string(),
  status: z.enum(['draft', 'published']),
  mode: z.enum(['isolated', 'broadcast']),
  roomUrl: z.string(),
})

const attendee = z.object({ id: z.string(), name: z.string().nullable(), kind: z.enum(['human', 'agent']), joinedAt: at })
const attendeesOnline = count.describe('How many are in the room of the run, after this.')

const lead = z.object({
  id: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  company: z.string().nullable(),
  ctaClicked: z.boolean(),
  created_at: at,
  phone: z.string().nullable(),
  notes: z.string().nullable(),
  utm: utm.optional().describe('Which link they came by; absent where nothing of it is known.'),
  repeatOf: z.string().nullable().describe('The lead that somebody else had left for this address before; it is as it was.'),
  unproven: z.boolean().optional().describe('True: it came with so many others within an hour that nobody can say which of them are real.'),
})
const consent = z.object({ text: z.string(), version: z.int(), at })
const leadChanges = ['name', 'phone', 'company', 'notes', 'ctaClicked', 'consent', 'unproven'] as const
export type LeadChange = (typeof leadChanges)[number]

const totals = z
  .object({ totalAttendees: count, averageEngagementSec: seconds, questionsCount: count, ctaClicks: count, leads: count })
  .describe('Of this run.')

/** What `data` of each event holds beside `sequence` and `session`. */
const added = {
  'session.created': {
    isLive: z.boolean(),
    slidesCount: count,
    createdAt: at,
    createdBy: z.object({ kind: z.enum(['user', 'api_key', 'agent']), id: z.string() }),
  },
  'session.started': { runId: z.string(), startedAt: at, attendee: attendee.nullable(), attendeesOnline },
  'session.completed': {
    runId: z.string(),
    startedAt: at,
    completedAt: at,
    durationSec: seconds,
    endReason: z.enum(['finished', 'ended_by_host', 'abandoned']).describe('`abandoned`: nobody was there for the closing.'),
    totals,
  },
  'attendee.joined': { runId, attendee, attendeesOnline },
  'attendee.left': {
    runId,
    attendee,
    leftAt: at,
    engagementSec: seconds,
    reason: leaveReason,
    attendeesOnline,
  },
  'lead.captured': {
    lead: lead.nullable().describe('null for high intent of an attendee who has left no contact details.'),
    trigger: z.enum(['contact_info', 'high_intent']),
    source: z.enum(['form', 'conversation', 'personal_agent', 'intent']),
    consent: consent.nullable().describe('What the contact details were given under; null where there are none.'),
    attendee: attendee.nullable(),
    runId,
  },
  'cta.clicked': {
    runId,
    attendee: attendee.nullable(),
    cta: z.object({ text: z.string(), url: z.string(), kind: z.enum(['link', 'checkout']) }),
    clickId: z.string(),
    clickedAt: at,
  },
  'lead.updated': {
    lead,
    changed: z
      .array(z.enum(leadChanges))
      .describe('The members that are not as they were; `consent`: given once more, in other words; `unproven`: marked so, or no longer.'),
    consent: consent.describe('The first: it stays as it was given.'),
    attendee: attendee.nullable(),
    runId,
  },
  'recording.ready': {
    recording: z.object({
      id: z.string(),
      format: z.string(),
      runId: runId.describe('null for the script.'),
      url: z.string(),
      durationMs: count,
      sizeBytes: count,
    }),
  },
  'session.published': { publishedAt: at },
  'deck.ready': {
    deck: z.object({
      version: count,
      slidesCount: count,
      warningsCount: count.describe('Of what was lost or guessed; the session tells them.'),
    }),
  },
  'deck.failed': { deck: z.object({ version: count }), reason: z.string().describe('In words for the host.') },
  'question.unanswered': {
    runId: z.string(),
    question: z.object({
      id: z.string(),
      text: z.string().meta({ description: 'What was asked.', examples: ['How long is the warranty?'] }),
      outcome: z.enum(['near', 'unknown']).describe('`near`: what stands nearest was quoted.'),
      slideIndex: count,
      askedAt: at,
    }),
    attendee: attendee.nullable(),
  },
  'endpoint.failing': {
    endpoint: z.object({ id: z.string(), host: z.string(), status: z.enum(['failing', 'disabled']) }),
    failingSince: at,
    deadLetters: count.describe('Deliveries in a row that failed for good.'),
    disabledAt: at.describe('When it is disabled, unless a delivery succeeds before.'),
  },
  'budget.reached': {
    budget: z.enum(['minutes', 'minutes_of_talk']).describe('Of the plan, or what one talk may take of it; `session` is that of the talk.'),
    share: z.union([z.literal(50), z.literal(80), z.literal(100)]).describe('So many hundredths are used.'),
    limit: count.describe('In minutes.'),
    used: count.describe('In minutes.'),
    resetsAt: at.nullable().describe('When the month begins anew; null for `minutes_of_talk`.'),
  },
} as const satisfies Record<EventType, z.ZodRawShape>

const id = z.string().meta({
  description: 'Equals the header `webhook-id`, and stays the same for every attempt.',
  examples: ['msg_019aa10e4ac073f1a0c1d2e3f4a5b6c7'],
})

function envelope<Type extends WebhookType, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({ type: z.literal(type), timestamp: at.describe('When it happened.'), id, data })
}

const bodyOf = <Type extends EventType, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  envelope(type, z.object({ sequence, session, ...shape }))
type Bodies = { readonly [Type in EventType]: ReturnType<typeof bodyOf<Type, (typeof added)[Type]>> }

/** The whole body of each event, envelope included. */
export const eventBodies = {
  // Each is made of its own entry.
  ...(Object.fromEntries(eventTypes.map((type) => [type, bodyOf(type, added[type])])) as Bodies),
  'webhook.test': envelope(
    testEventType,
    z.object({ sequence: z.literal(0), session: z.null(), message: z.string(), subscription_id: z.string() }),
  ),
} as const satisfies Record<WebhookType, z.ZodType>

/** One line on each, for documents and pickers. */
export const eventWords: Readonly<Record<WebhookType, string>> = {
  'session.created': 'A session was created.',
  'session.started': 'The presenter begins a run; once per run.',
  'session.completed': 'The presenter has given its closing remarks; once per run.',
  'attendee.joined': 'An attendee connects to the room; at the first stream of a visit.',
  'attendee.left': 'An attendee has left, or was away for 30 s.',
  'lead.captured': 'An attendee gives contact details or shows high intent.',
  'cta.clicked': 'An attendee clicks the call to action, the first time.',
  'lead.updated': 'The person who gave contact details changes them, or clicks the call to action later. Sent to who names it.',
  'recording.ready': 'A talk has become a file: film, sound or captions. Sent to who names it.',
  'session.published':
    'A draft is published; of a session that is published from the first, `session.created` says so. Sent to who names it.',
  'deck.ready': 'The slides of a file or an address are ready. Sent to who names it.',
  'deck.failed': 'A file or an address could not be read; the deck before it stays. Sent to who names it.',
  'question.unanswered': 'The deck and the background did not answer a question. Sent to who names it.',
  'endpoint.failing':
    'Another webhook has lost five deliveries in a row and is about to be disabled, or is; `session` is that of the last one lost. Sent to who names it.',
  'budget.reached': 'Half, four fifths or all of the minutes of a plan or of a talk are used. Sent to who names it.',
  'webhook.test': 'Sent when you ask for a test; it cannot be subscribed to.',
}
