// Example bodies of each event: shown in the docs and the type picker, and the fixtures of the contract tests.
import type { z } from 'zod'
import type { eventBodies, EventType, WebhookType } from './events.ts'

type Examples = { readonly [Type in WebhookType]: z.output<(typeof eventBodies)[Type]> }

const session = {
  id: '0198c1d2-7a53-4c1e-9a40-5f6d2b8e4c11',
  title: 'Quiet pumps',
  slug: 'quiet-pumps-k3v9qa',
  status: 'published',
  mode: 'isolated',
  roomUrl: 'https://talks.example.com/join/quiet-pumps-k3v9qa',
} as const
const runId = '0198c1d4-05b1-4f0e-8a57-3f5b1c9f7d20'
const attendee = {
  id: '0198c1d4-1f7e-4b51-9d6f-2f4a6a1f3c88',
  name: 'Ada Lovelace',
  kind: 'human',
  joinedAt: '2026-11-20T12:00:04.120Z',
} as const

const lead = {
  id: '0198c1e2-4d0f-4a3d-8b8f-6a5c1f0d9e77',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  company: 'Analytical Engines',
  ctaClicked: true,
  created_at: '2026-11-20T12:15:30.250Z',
  phone: null,
  notes: null,
  utm: { source: 'newsletter', campaign: 'autumn' },
  repeatOf: null,
}
const consent = { text: 'I agree to be contacted about this talk.', version: 1, at: '2026-11-20T12:15:30.250Z' }

type Told<Type extends EventType> = Omit<Examples[Type], 'type' | 'data'> & {
  data: Omit<Examples[Type]['data'], 'session'> & Partial<Pick<Examples[Type]['data'], 'session'>>
}

const told: { readonly [Type in EventType]: Told<Type> } = {
  'session.created': {
    timestamp: '2026-11-20T11:58:00.000Z',
    id: 'msg_019aa10e4ac073f1a0c1d2e3f4a5b6c7',
    data: {
      sequence: 1,
      isLive: true,
      slidesCount: 12,
      createdAt: '2026-11-20T11:58:00.000Z',
      createdBy: { kind: 'api_key', id: '0198c1d0-6e0a-7d3b-b1a5-90d2c4b8f0aa' },
    },
  },
  'session.started': {
    timestamp: '2026-11-20T12:00:06.500Z',
    id: 'msg_019aa1104b3474a6b1d2c3e4f5a6b7c8',
    data: { sequence: 3, runId, startedAt: '2026-11-20T12:00:06.500Z', attendee, attendeesOnline: 1 },
  },
  'session.completed': {
    timestamp: '2026-11-20T12:21:40.000Z',
    id: 'msg_019aa12407e075b3a2c3d4e5f6a7b8c9',
    data: {
      sequence: 6,
      runId,
      startedAt: '2026-11-20T12:00:06.500Z',
      completedAt: '2026-11-20T12:21:40.000Z',
      durationSec: 1293.5,
      endReason: 'finished',
      totals: { totalAttendees: 1, averageEngagementSec: 1291.2, questionsCount: 4, ctaClicks: 1, leads: 1 },
    },
  },
  'attendee.joined': {
    timestamp: '2026-11-20T12:00:04.120Z',
    id: 'msg_019aa11041d876c4b3d4e5f6a7b8c9d0',
    data: { sequence: 2, runId, attendee, attendeesOnline: 1 },
  },
  'attendee.left': {
    timestamp: '2026-11-20T12:22:12.000Z',
    id: 'msg_019aa12484e077d5a4e5f6a7b8c9d0e1',
    data: {
      sequence: 7,
      runId,
      attendee,
      leftAt: '2026-11-20T12:21:42.000Z',
      engagementSec: 1291.2,
      reason: 'disconnected',
      attendeesOnline: 0,
    },
  },
  'lead.captured': {
    timestamp: '2026-11-20T12:15:30.250Z',
    id: 'msg_019aa11e60aa78e6b5f6a7b8c9d0e1f2',
    data: {
      sequence: 4,
      lead,
      trigger: 'contact_info',
      source: 'form',
      consent,
      attendee,
      runId,
    },
  },
  'cta.clicked': {
    timestamp: '2026-11-20T12:16:02.000Z',
    id: 'msg_019aa11edcb079f7a6a7b8c9d0e1f203',
    data: {
      sequence: 5,
      runId,
      attendee,
      cta: { text: 'Book a call', url: 'https://example.com/book', kind: 'link' },
      clickId: `${runId}:${attendee.id}`,
      clickedAt: '2026-11-20T12:16:02.000Z',
    },
  },
  'lead.updated': {
    timestamp: '2026-11-20T12:18:10.000Z',
    id: 'msg_019aa120d00070a1b2c3d4e5f6a7b8c9',
    data: { sequence: 6, lead: { ...lead, phone: '+44 20 7946 0000' }, changed: ['phone'], consent, attendee, runId },
  },
  'recording.ready': {
    timestamp: '2026-11-20T12:40:00.000Z',
    id: 'msg_019aa134d68070a1b2c3d4e5f6a7b8c9',
    data: {
      sequence: 8,
      recording: {
        id: '019aa130-4a80-70a1-b2c3-d4e5f6a7b8c9',
        format: 'mp4',
        runId,
        url: 'https://presenter.example.com/media/4f1c0e7fd4b2a8c3956e1d07a4c8e6f2b9d3510a7e84c6f1d2b3a495867c0e1f.mp4',
        durationMs: 412_000,
        sizeBytes: 7_340_032,
      },
    },
  },
  'session.published': {
    timestamp: '2026-11-20T11:58:30.000Z',
    id: 'msg_019aa10ec04070a1b2c3d4e5f6a7b8c9',
    data: { sequence: 2, publishedAt: '2026-11-20T11:58:30.000Z' },
  },
  'deck.ready': {
    timestamp: '2026-11-20T11:58:12.000Z',
    id: 'msg_019aa10e798070a1b2c3d4e5f6a7b8c9',
    data: { sequence: 2, session: { ...session, status: 'draft' }, deck: { version: 1, slidesCount: 12, warningsCount: 1 } },
  },
  'deck.failed': {
    timestamp: '2026-11-20T11:58:12.000Z',
    id: 'msg_019aa10e798071b2c3d4e5f6a7b8c9d0',
    data: {
      sequence: 2,
      session: { ...session, status: 'draft' },
      deck: { version: 1 },
      reason: 'The host of the address answered 404 instead of the file.',
    },
  },
  'question.unanswered': {
    timestamp: '2026-11-20T12:09:41.300Z',
    id: 'msg_019aa1190d1470a1b2c3d4e5f6a7b8c9',
    data: {
      sequence: 4,
      runId,
      question: {
        id: '0198c1dc-11f0-4c57-8d2b-7b0e4c5a9d31',
        text: 'Can the pump run dry?',
        outcome: 'unknown',
        slideIndex: 4,
        askedAt: '2026-11-20T12:09:38.900Z',
      },
      attendee,
    },
  },
  'endpoint.failing': {
    timestamp: '2026-11-21T09:30:00.000Z',
    id: 'msg_019aa5ad6d4070a1b2c3d4e5f6a7b8c9',
    data: {
      sequence: 9,
      endpoint: { id: 'wh_019aa10ce8a071b9a8c9d0e1f2031425', host: 'crm.example.com', status: 'failing' },
      failingSince: '2026-11-20T13:02:10.000Z',
      deadLetters: 5,
      disabledAt: '2026-11-23T13:02:10.000Z',
    },
  },
}

const whole = Object.entries(told).map(([type, { data, ...head }]) => {
  const { sequence, ...rest } = data
  return [type, { type, ...head, data: { sequence, session, ...rest } }] as const
})

export const eventExamples = {
  // Each is of its own type.
  ...(Object.fromEntries(whole) as unknown as Examples),
  'webhook.test': {
    type: 'webhook.test',
    timestamp: '2026-11-20T11:57:00.000Z',
    id: 'msg_019aa10d606070a8b7b8c9d0e1f20314',
    data: {
      sequence: 0,
      session: null,
      message: 'This is a test of your webhook. Nothing has happened.',
      subscription_id: 'wh_019aa10ce8a071b9a8c9d0e1f2031425',
    },
  },
} satisfies Examples

type LeadCaptured = z.output<(typeof eventBodies)['lead.captured']>

function highIntent(id: string, timestamp: string, left: Pick<LeadCaptured['data'], 'lead' | 'consent'>): LeadCaptured {
  const data = { sequence: 5, session, ...left, trigger: 'high_intent' as const, source: 'intent' as const, attendee, runId }
  return { type: 'lead.captured', timestamp, id, data }
}

const interested = '2026-11-20T12:17:00.000Z'

/** Every example of an event, what is special about each in a line; the first is that of `eventExamples`. */
export function examplesOf(type: WebhookType): readonly { name: string; summary: string; body: Examples[WebhookType] }[] {
  const body = eventExamples[type]
  if (type !== 'lead.captured') return [{ name: 'example', summary: 'An example.', body }]
  const withDetails = highIntent('msg_019aa11fbf6070c3b4d5e6f7a8b9c0d1', interested, { lead, consent })
  const without = highIntent('msg_019aa11fbf6071d4b5e6f7a8b9c0d1e2', interested, { lead: null, consent: null })
  return [
    { name: 'contact_info', summary: 'Contact details, given with consent.', body },
    {
      name: 'high_intent',
      summary: 'High intent of somebody who has left no contact details: `lead` and `consent` are null.',
      body: without,
    },
    {
      name: 'high_intent_with_details',
      summary: 'High intent of somebody who has left contact details before: `lead` is theirs.',
      body: withDetails,
    },
  ]
}
