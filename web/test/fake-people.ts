// Who came to the talk of the fake API and who left their details.
import type { Attendee, Lead } from '../src/dashboard/data/wire.ts'
import { at, runId, sessionId } from './fake-data.ts'

export const fakeLeads = (): Lead[] => [
  {
    id: '1ead0000-0000-4000-8000-000000000003',
    name: 'Mallory',
    email: 'Tom.Lindqvist@kommun.example',
    company: 'Elsewhere Ltd',
    ctaClicked: false,
    followUp: 'new',
    created_at: at(60 * 24),
    source: 'personal_agent',
    consentText: 'I agree that the host stores these details and contacts me about this talk.',
    consentAt: at(60 * 24),
    sessionId,
    repeatOf: '1ead0000-0000-4000-8000-000000000002',
  },
  {
    id: '1ead0000-0000-4000-8000-000000000001',
    name: 'Maya Okafor',
    email: 'maya@acme.example',
    company: 'Acme Grid',
    ctaClicked: true,
    followUp: 'new',
    created_at: at(60 * 26),
    source: 'form',
    consentText: 'I agree that the host stores these details and contacts me about this talk.',
    consentAt: at(60 * 26),
    sessionId,
    runId,
    attendeeId: 'a-maya',
  },
  {
    id: '1ead0000-0000-4000-8000-000000000002',
    name: '',
    email: 'tom.lindqvist@kommun.example',
    company: '',
    ctaClicked: false,
    followUp: 'new',
    created_at: at(60 * 25),
    source: 'conversation',
    consentText: 'I agree that the host stores these details and contacts me about this talk.',
    consentAt: at(60 * 25),
    sessionId,
  },
]

/** Maya left her details, Jonas only watched. */
export const fakeAttendees = (): Attendee[] => [
  {
    attendeeId: 'a-jonas',
    runId,
    name: 'Jonas Weber',
    joinedAt: at(60 * 27),
    leftAt: at(60 * 27 - 3),
    watchedSeconds: 160,
    slidesSeen: 3,
    completed: false,
    ctaClicked: false,
    questions: [],
  },
  {
    attendeeId: 'a-maya',
    runId,
    name: 'Maya Okafor',
    joinedAt: at(60 * 26 + 12),
    leftAt: at(60 * 26 - 1),
    watchedSeconds: 720,
    slidesSeen: 7,
    completed: true,
    ctaClicked: true,
    questions: [{ text: 'What about ice on the containers?', at: at(60 * 26 + 4), outcome: 'unknown' }],
  },
]
