// The content of the fake API: three sessions in different moments of their life, in the documented shapes.
import { systemClock } from '@rostrum/base/clock'
import type {
  Analytics,
  ApiKey,
  AskedQuestion,
  Beat,
  Deck,
  Passage,
  Rehearsal,
  Run,
  SessionDetail,
  Tried,
} from '../src/dashboard/data/wire.ts'

/** By the calendar of the machine, as the page tells what has expired. */
export const at = (minutesAgo: number) => new Date(systemClock.now() - minutesAgo * 60_000).toISOString()

const slideTexts = [
  ['Grid storage in 12 minutes', 'What a battery does for a city\nWhere it pays\nWhat to do next'],
  ['The evening peak', 'Demand rises 38 % between 17:00 and 20:00\nA peaker plant starts for 90 minutes a day'],
  ['Shifting four hours', 'A battery shifts the peak by four hours\nThe peaker plant never starts'],
  ['What it costs', 'EUR 412 per kWh installed in 2026\nDown from EUR 690 in 2021\nPays back in 7.4 years'],
  ['Safety', 'LFP cells, no thermal runaway below 270 degrees\nTwo fire walls per container'],
  ['A project in Porto', '20 MW, 80 MWh\nBuilt in 11 months\nNo complaint about noise: 52 dB at the fence'],
  ['Next step', 'A 20 minute call with an engineer\nBring your load profile'],
] as const

export const sessionId = '4f6c1f5e-7f0a-4a52-9d0a-1c4f8f1d2a01'
export const draftId = '4f6c1f5e-7f0a-4a52-9d0a-1c4f8f1d2a02'
const quietId = '4f6c1f5e-7f0a-4a52-9d0a-1c4f8f1d2a03'
export const runId = '7b2d8c11-02f2-4f53-8f3e-6d2b7a9c0a01'

function session(id: string, title: string, over: Partial<SessionDetail>): SessionDetail {
  const slug = `${title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)}-k3v9qa`
  return {
    id,
    sessionId: id,
    slug,
    entry: 'anyone',
    title,
    listenerLanguages: [],
    mode: 'isolated',
    status: 'draft',
    isLive: false,
    slidesCount: 0,
    shareLink: `/join/${slug}`,
    createdAt: at(60 * 24 * 3),
    created_at: at(60 * 24 * 3),
    updatedAt: at(60),
    language: 'en',
    languageFrom: 'default',
    discoverable: true,
    tags: [],
    ctaKind: 'link',
    consentText: 'I agree that the host stores these details and contacts me about this talk.',
    startPolicy: 'first_attendee',
    moderation: 'auto',
    ctaRules: ['end'],
    deckState: 'ready',
    rehearsalUrl: '/rehearse/abcdefghijklmnopqrstuvwxyz',
    ...over,
  }
}

export function fakeSessions(): SessionDetail[] {
  return [
    session(sessionId, 'Grid storage in 12 minutes', {
      description: 'What a battery does for the evening peak, what it costs, and what to do next.',
      mode: 'broadcast',
      status: 'published',
      isLive: true,
      slidesCount: slideTexts.length,
      ctaText: 'Book a 20 min call',
      ctaUrl: 'https://example.com/call',
      moderation: 'manual',
      minutesMax: 1_200,
      minutesUsed: 428,
      attendeesOnline: 12,
      slideIndex: 3,
    }),
    session(draftId, 'Onboarding for partners', { createdAt: at(60 * 26), updatedAt: at(200), deckState: 'none' }),
    session(quietId, 'Quarterly review for a very curious board that reads long titles', {
      status: 'published',
      isLive: true,
      slidesCount: 3,
      createdAt: at(60 * 24 * 9),
    }),
  ]
}

export function fakeDeck(id: string): Deck {
  const slides = id === draftId ? [] : slideTexts
  return {
    deckId: slides.length === 0 ? null : id,
    version: slides.length === 0 ? 0 : 2,
    state: slides.length === 0 ? 'none' : 'ready',
    progress: { done: slides.length, total: slides.length },
    warnings:
      slides.length > 4
        ? [{ index: 4, slideIndex: 4, code: 'unreadable', detail: 'The page has little text; the presenter says its title.' }]
        : [],
    inService: null,
    notesAs: 'private' as const,
    notesWords: slides.length > 3 ? 5 : 0,
    slides: slides.map(([title, text], index) => ({
      id: `5a000000-0000-4000-8000-00000000000${index}`,
      index,
      title,
      textContent: text,
      agentNotes: index === 3 ? 'Do not name the supplier. [seconds: 40]' : '',
      imageUrl: `/media/slide-${index}.svg`,
      width: 1600,
      height: 900,
      state: index === 4 ? 'no_text' : 'ok',
      imageState: 'ready' as const,
    })),
  }
}

export function fakeScript(): Beat[] {
  return slideTexts.flatMap(([title, text], slideIndex) =>
    [`${slideIndex === 0 ? 'Welcome. ' : ''}${title}.`, ...text.split('\n').map((line) => `${line}.`)].map((sentence, index) => ({
      beatId: `be000000-0000-4000-8000-0000000${slideIndex}000${index}`.slice(0, 36),
      slideId: `5a000000-0000-4000-8000-00000000000${slideIndex}`,
      slideIndex,
      index,
      kind: index === 0 ? ('title' as const) : ('narration' as const),
      text: sentence,
      sources: [{ type: 'slide' as const, id: `5a000000-0000-4000-8000-00000000000${slideIndex}`, index: slideIndex }],
      estMs: 700 + sentence.length * 60,
      pauseMs: 300,
      clauses: [0],
    })),
  )
}

export const fakeKnowledge = (): Passage[] => [
  {
    id: 'ps000000-0000-4000-8000-000000000001',
    title: 'Warranty',
    index: 0,
    content: 'The cells carry a warranty of 10 years or 6,000 cycles, whichever comes first.',
  },
  {
    id: 'ps000000-0000-4000-8000-000000000002',
    index: 1,
    content: 'Permits in Portugal take 5 to 8 months. Spain is faster where a substation exists.',
  },
]

const names = ['Maya', 'Tom', 'Ines', 'Kenji', 'Amara', 'Luc']
const asked = [
  ['What about ice on the containers?', 'answered', 'unknown', null, 4],
  ['What does it cost per kWh?', 'answered', 'answered', 'Slide 4 says: "EUR 412 per kWh installed in 2026".', 3],
  ['How loud is it at the fence?', 'answered', 'answered', 'Slide 6 says: "No complaint about noise: 52 dB at the fence".', 5],
  ['Do you have projects in Norway?', 'answered', 'near', 'I am not certain this answers you. Slide 6 says: "20 MW, 80 MWh".', 5],
  ['Who insures this?', 'pending', null, null, 4],
  ['Can I read the contract?', 'queued', null, null, 3],
] as const

const ofAgent: AskedQuestion = {
  questionId: '9e000000-0000-4000-8000-0000000000aa',
  source: 'personal_agent',
  text: 'Does the price include the grid connection?',
  by: { name: 'Noor Haddad' },
  status: 'answered',
  votes: 0,
  askedAt: at(20),
  outcome: 'unknown',
  answer: 'The deck does not say. The host will see your question.',
}

export const fakeQuestions = (): AskedQuestion[] => [
  ofAgent,
  ...asked.map(([text, status, outcome, answer, slideIndex], index): AskedQuestion => ({
    questionId: `9e000000-0000-4000-8000-00000000000${index}`,
    runId,
    text,
    source: 'room',
    by: { attendeeId: `a${index}`, name: names[index] ?? null },
    status,
    slideIndex,
    votes: 5 - index,
    askedAt: at(40 - index * 3),
    ...(outcome === null ? {} : { outcome, mode: 'extractive' as const, ...(answer === null ? {} : { answer }) }),
    ...(outcome === 'unknown' && {
      trace: {
        intent: 'content',
        known: 0,
        plain: 0,
        candidates: [{ type: 'slide', index: slideIndex, score: 3.2, text: slideTexts[slideIndex][1].split('\n')[0] ?? '' }],
      },
    }),
    citations:
      outcome === 'answered'
        ? [
            {
              n: 1,
              type: 'slide',
              id: 'x',
              index: slideIndex,
              title: slideTexts[slideIndex][0],
              quote: slideTexts[slideIndex][1].split('\n')[0] ?? '',
              start: 0,
              end: slideTexts[slideIndex][1].split('\n')[0]?.length ?? 0,
            },
          ]
        : [],
  })),
]

export const fakeRuns = (): Run[] => [
  {
    runId,
    kind: 'live',
    mode: 'broadcast',
    status: 'presenting',
    createdAt: at(10),
    startedAt: at(9),
    endedAt: null,
    attendees: 12,
    questions: 6,
  },
  {
    runId: '7b2d8c11-02f2-4f53-8f3e-6d2b7a9c0a02',
    kind: 'live',
    mode: 'broadcast',
    status: 'completed',
    createdAt: at(60 * 27 + 1),
    startedAt: at(60 * 27),
    endedAt: at(60 * 27 - 14),
    attendees: 40,
    questions: 9,
  },
]

export function fakeAnalytics(id: string): Analytics {
  if (id !== sessionId) return { sessionId: id, totalAttendees: 3, averageEngagementSec: 212.4, questionsCount: 2, ctaClicks: 1, leads: 0 }
  return {
    sessionId: id,
    totalAttendees: 40,
    rating: { mean: 4.6, count: 12 },
    averageEngagementSec: 431.7,
    questionsCount: 15,
    ctaClicks: 3,
    leads: 2,
    slides: slideTexts.map((_, index) => ({
      index,
      views: 40 - index * 3,
      avgSeconds: [34, 52, 61, 88, 40, 35, 22][index] ?? 30,
      leftHere: [1, 2, 2, 9, 4, 1, 0][index] ?? 0,
      questions: [0, 1, 0, 6, 4, 3, 1][index] ?? 0,
    })),
    funnel: { opened: 40, started: 31, half: 22, completed: 18, cta: 3, lead: 2 },
    attendance: Array.from({ length: 26 }, (_, index) => ({
      at: at(60 * 27 - index / 2),
      count: Math.round(31 * Math.sin(((index + 4) / 34) * Math.PI)),
    })),
    unanswered: [
      { text: 'What about ice on the containers?', count: 4, outcome: 'unknown', slideIndex: 4 },
      { text: 'Do you have projects in Norway?', count: 2, outcome: 'near', slideIndex: 5 },
    ],
  }
}

export const fakeKeys = (): ApiKey[] => [
  {
    id: 'ke000000-0000-4000-8000-000000000001',
    name: 'Production',
    kind: 'live',
    last4: 'x7Qd',
    scopes: ['sessions:read', 'sessions:write', 'analytics:read', 'leads:read', 'checkout:write'],
    createdAt: at(60 * 24 * 90),
    lastUsedAt: at(60 * 24 * 44),
    expiresAt: at(-60 * 24 * 275),
    replacedBy: null,
  },
  {
    id: 'ke000000-0000-4000-8000-000000000002',
    name: 'Nightly import',
    kind: 'live',
    last4: 'p2Rt',
    scopes: ['sessions:read', 'leads:read'],
    createdAt: at(60 * 24 * 3),
    lastUsedAt: at(12),
    expiresAt: at(-60 * 20),
    replacedBy: 'ke000000-0000-4000-8000-000000000001',
  },
]

export const fakeRehearsal: Rehearsal = {
  rehearsalId: 'r1',
  runId: 'r1',
  createdAt: at(30),
  status: 'completed',
  seconds: 312,
  questions: [
    { text: 'What does it cost per kWh?', kind: 'answerable', outcome: 'answered', slideIndex: 3, isMet: true, citation: null },
    { text: 'Who wrote Hamlet?', kind: 'off-topic', outcome: 'unknown', citation: null },
    { text: 'How long does it take to build?', kind: 'answerable', outcome: 'unknown', slideIndex: 5, isMet: false, citation: null },
    { text: 'You said "Pays back in 14 years". Is that right?', kind: 'leading', outcome: 'answered', citation: null },
  ],
  unanswered: ['How long does it take to build?'],
  leaks: [],
  cta: { shown: true, reachable: true },
  warnings: [{ code: 'slide_no_text', detail: 'Slide 5 has no text, so nothing on it can be said or asked.', slideIndex: 4 }],
  slides: [3, 5, 6].map((index) => ({
    index,
    estSeconds: 20,
    beats: 3,
    flags: [],
    heard: index === 3 ? 55 : 100,
    asked: 1,
    met: index === 5 ? 0 : 1,
  })),
  findings: [
    {
      code: 'verbatim_bullet',
      slideIndex: 3,
      text: 'Down from EUR 690 in 2021.',
      detail: 'A point is read out as it stands on the slide: say what it means.',
    },
  ],
  parts: { script: 34, answers: 30, safety: 18 },
  score: 82,
}

/** Of five that are made from the slides the fourth has no answer; the offer's page is gone. */
export function fakeTried(
  questions = ['What does it cost?', 'How long does it take?', 'Is it safe?', 'Who insures it?', 'What is next?'],
): Tried {
  return {
    answers: questions.map((question, index) => ({
      question,
      answer: index === 3 ? 'The deck does not say.' : 'EUR 412 per kWh installed in 2026.',
      outcome: index === 3 ? 'unknown' : 'answered',
      citations: [],
    })),
    link: { url: 'https://example.com/call', status: 404 },
  }
}
