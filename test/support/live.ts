// A live room without a network: a real store, a manual clock, the sample talk, quoting answers; attendees that read real streams.
import { createCursors } from '../../server/platform/db/cursor.ts'
import { type EventFeed, invoke, type Limiter } from '../../server/platform/operation.ts'
import type { Principal } from '../../server/platform/principal.ts'
import type { AnswerPort } from '../../server/runs/answers.ts'
import { createLive, type Live } from '../../server/runs/room/live.ts'
import type { RehearsalDeps, RoomLead } from '../../server/runs/room/deps.ts'
import { createSameQuestion } from '@rostrum/answers/ranking/same-question'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import { getRehearsal } from '../../server/runs/rehearsal/report.ts'
import { startRehearsal } from '../../server/runs/rehearsal/rehearse.ts'
import { acknowledgeBeats, actOnCta, answerPoll, controlRun, leaveRoom, voteQuestion } from '../../server/runs/operations/control-run.ts'
import { askQuestion } from '../../server/runs/operations/ask-question.ts'
import { hostRun } from '../../server/runs/operations/host-run.ts'
import { joinRoom } from '../../server/runs/operations/join-room.ts'
import { type Polled, streamRun } from '../../server/runs/operations/stream-run.ts'
import { leaveContactDetails } from '../../server/runs/operations/contact-details.ts'
import { viewRecap } from '../../server/runs/operations/recap.ts'
import { viewRoom } from '../../server/runs/room/rooms.ts'
import { createRecapLinks, findAttendee } from '../../server/runs/attendees.ts'
import { getTranscript } from '../../server/runs/operations/transcripts.ts'
import { listQuestions, listRuns } from '../../server/runs/operations/lists.ts'
import type { ContentPort } from '../../server/runs/talks.ts'
import type { Talk, TalkSession } from '@rostrum/contract/talk'
import type { MinutesPort } from '../../server/sessions/minutes.ts'
import { hashSecret, mint } from '../../server/accounts/credentials.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { newColumns } from '@rostrum/contract/session'
import { sessionRow } from './rows.ts'
import type { ManualClock } from './clock.ts'
import { manualClock, settle } from './clock.ts'
import { seededIds } from './ids.ts'
import { sampleSession, sampleTalk } from './sample-talk.ts'
import { openTestStore } from './stores.ts'
import { openPolls } from './test-polls.ts'
import { openStream } from './test-stream.ts'
import type { TestStream } from './test-stream.ts'
import { slideText } from './slides.ts'

/** Of minutes. */
export const withoutCeilings: MinutesPort = {
  has: async () => true,
  left: async () => ({ ofTalk: null, ofAddress: null }),
  hear: async () => true,
  tell: async () => undefined,
}

export const freeLimiter: Limiter = { consume: async () => ({ allowed: true, headers: {} }) }

/** Quotes the slide on screen; knows nothing of questions that hold "unknown". */
export const quotingAnswers: AnswerPort = {
  async *answer({ question, talk, slideIndex }) {
    const slide = talk.slides[slideIndex ?? 0] ?? talk.slides[0]
    const quote = slide?.text.split('\n')[1] ?? ''
    if (slide === undefined || question.includes('unknown')) {
      yield { type: 'sentence', text: 'The deck does not say. The host will see your question.', citations: [] }
      yield { type: 'end', outcome: 'unknown', mode: 'extractive', confidence: 0.1, citations: [], suggestedActions: [] }
      return
    }
    const start = slide.text.indexOf(quote)
    const source = { n: 1, type: 'slide' as const, id: slide.id, index: slide.index, title: slide.title }
    const citations = [{ ...source, quote, start, end: start + quote.length }]
    yield { type: 'sentence', text: `Slide ${slide.index + 1} says: "${quote}"`, citations }
    yield { type: 'end', outcome: 'answered', mode: 'extractive', confidence: 0.9, citations, suggestedActions: [] }
  },
}

export function sampleContent(sessions: readonly TalkSession[], talk: Talk): ContentPort {
  return {
    async findSession(key) {
      const live = sessions.find((session) => session.slug === key)
      if (live !== undefined) return { session: live, kind: 'live' }
      const rehearsed = sessions.find((session) => rehearsalToken(session) === key)
      return rehearsed === undefined ? null : { session: rehearsed, kind: 'rehearsal' }
    },
    // As it is now, like a row.
    getSession: async (sessionId) => structuredClone(sessions.find((session) => session.sessionId === sessionId)) ?? null,
    pinnedTalk: async () => talk,
    sameQuestion: async (sessionId) =>
      createSameQuestion(buildSessionIndex(sessionId, { language: 'en', slides: talk.slides.map(slideText), passages: [] })),
  }
}

export const rehearsalToken = (session: TalkSession): string => session.sessionId.replaceAll('-', '').slice(-26).replaceAll('0', 'a')

export async function insertSession(store: Store, session: TalkSession, now: number): Promise<void> {
  const { title, description, mode, language, ctaRules, startPolicy, moderation, cta } = session
  const row = sessionRow({
    ...newColumns({ title, description, mode, language, ctaRules, startPolicy, moderation, ctaText: cta?.text, ctaUrl: cta?.url }),
    id: session.sessionId,
    account_id: session.accountId,
    slug: session.slug,
    status: session.status,
    starts_at: session.startsAt,
    rehearsal_token: rehearsalToken(session),
    slides_count: 3,
    created_by_id: 'owner',
    created_at: now,
    updated_at: now,
    published_at: now,
    active_at: now,
  })
  await store.write((tx) => tx.insertInto('sessions').values(row).execute())
}

export interface LiveRoom {
  store: Store
  clock: ManualClock
  live: Live
  session: TalkSession
  leads: RoomLead[]
  faults: unknown[]
  call(name: string, principal: Principal, input: Record<string, unknown>): Promise<Record<string, unknown>>
  join(input?: Record<string, unknown>): Promise<TestAttendee>
  host: Principal
  stream(principal: Principal, runId: string, cursor?: string): Promise<TestStream>
  /** The same by long polls. */
  polls(principal: Principal, runId: string, cursor?: string): TestStream
  close(): Promise<void>
}

export interface TestAttendee {
  attendeeId: string
  runId: string
  token: string
  principal: Principal
  stream(cursor?: string): Promise<TestStream>
  post(name: string, body: Record<string, unknown>): Promise<Record<string, unknown>>
}

export interface LiveRoomOptions {
  session?: Partial<TalkSession>
  talk?: Talk
  answers?: AnswerPort
  store?: Store
  clock?: ManualClock
  seed?: number
  leaseMs?: number
  holdsStore?: boolean
  hasMinutes?: boolean
  ctaStatus?: number
  content?: Partial<ContentPort>
}

const roomOperations = [
  acknowledgeBeats,
  actOnCta,
  answerPoll,
  askQuestion,
  controlRun,
  hostRun,
  joinRoom,
  leaveContactDetails,
  leaveRoom,
  streamRun,
  viewRecap,
  viewRoom,
  voteQuestion,
]

export async function liveRoom(options: LiveRoomOptions = {}): Promise<LiveRoom> {
  const clock = options.clock ?? manualClock()
  const store = options.store ?? (await openTestStore({ clock }))
  const ids = seededIds(options.seed ?? 1)
  const session = sampleSession(options.session)
  const talk = options.talk ?? sampleTalk()
  const leads: RoomLead[] = []
  const faults: unknown[] = []
  const known = await store.read.selectFrom('sessions').select('id').where('id', '=', session.sessionId).executeTakeFirst()
  if (known === undefined) await insertSession(store, session, clock.now())
  const live = createLive({
    store,
    clock,
    ids,
    baseUrl: 'https://rostrum.test',
    role: 'all',
    holdsStore: options.holdsStore ?? false,
    leaseMs: options.leaseMs ?? 1_500,
    questionWindowMs: 15_000,
    speechWpm: 150,
    content: { ...sampleContent([session], talk), ...options.content },
    answers: options.answers ?? quotingAnswers,
    leads: {
      consentTextIn: () => 'I agree.',
      async save(lead) {
        leads.push(lead)
        return { leadId: hashSecret(lead.attendee.id + lead.details.email).slice(0, 16) }
      },
    },
    recapLinks: createRecapLinks(['secret of this test'], 'https://rostrum.test'),
    mintToken: () => mint('att', ids),
    hashToken: hashSecret,
    minutes: { ...withoutCeilings, has: async () => options.hasMinutes ?? true },
    openRuns: { limits: { session: null, account: null, address: null }, marksOf: (address) => [{ mark: hashSecret(address), times: 1 }] },
    voices: { tts: false, stt: false },
    ears: null,
    affordHearing: async () => true,
    keepSound: async () => '/media/host.wav',
    onFault: (_runId, error) => void faults.push(error),
  })
  await live.start()
  const records = { store, clock, cursors: createCursors('secret of this test') }
  const rehearsals: RehearsalDeps = {
    room: live.room,
    contentOf: async () => ({
      language: 'en',
      slides: talk.slides.map(slideText),
      passages: [{ id: 'passage', index: 0, title: 'Warranty', content: 'Five years.' }],
    }),
    leaksIn: async (_sessionId, _deckId, texts) => texts.filter((text) => text.includes('secret')),
    reach: async () => options.ctaStatus ?? 200,
    ask: async () => ({ sentences: [], citations: [], outcome: 'unknown' }),
    onFault: (_runId, error) => void faults.push(error),
  }
  const operations = [
    ...roomOperations.map((declared) => declared.bind(live.room)),
    ...[listRuns, getTranscript, listQuestions].map((declared) => declared.bind(records)),
    ...[startRehearsal, getRehearsal].map((declared) => declared.bind(rehearsals)),
  ]

  async function call(
    name: string,
    principal: Principal,
    input: Record<string, unknown>,
    { signal }: { signal: AbortSignal } = new AbortController(),
  ): Promise<Record<string, unknown>> {
    const target = operations.find((operation) => operation.name === name)
    if (target === undefined) throw new Error(`No operation ${name}.`)
    const result = await invoke(target, {
      call: { principal, now: clock.now(), requestId: 'request', address: '127.0.0.1', signal },
      read: () => input,
      limiter: freeLimiter,
    })
    return result as Record<string, unknown>
  }

  async function stream(principal: Principal, runId: string, cursor?: string): Promise<TestStream> {
    const result = await call('stream_run', principal, { runId, ...(cursor === undefined ? {} : { lastEventId: cursor }) })
    const opened = openStream(result['feed'] as EventFeed)
    await settle(2)
    return opened
  }

  return {
    store,
    clock,
    live,
    session,
    leads,
    faults,
    call,
    stream,
    polls: (principal, runId, cursor) =>
      openPolls(
        clock,
        async (after, signal) => {
          const input = { runId, accept: 'application/json', ...(after === undefined ? {} : { after }) }
          return (await call('stream_run', principal, input, { signal }))['polled'] as Polled
        },
        cursor,
      ),
    host: {
      kind: 'api_key',
      accountId: session.accountId,
      credentialId: 'key',
      scopes: ['sessions:read', 'sessions:write'],
      label: 'Host',
    },
    async join(input = {}) {
      const joined = await call('join_room', { kind: 'nobody' }, { key: session.slug, ...input })
      const { attendeeId, runId, attendeeToken } = joined as { attendeeId: string; runId: string; attendeeToken: string }
      const principal = await findAttendee(store.read, hashSecret(attendeeToken))
      if (principal === undefined) throw new Error('The token of the join opens nothing.')
      return {
        attendeeId,
        runId,
        token: attendeeToken,
        principal,
        stream: (cursor) => stream(principal, runId, cursor),
        post: (name, body) => call(name, principal, { runId, id: ids.uuid(), ...body }),
      }
    },
    async close() {
      await live.drain()
      if (options.store === undefined) await store.close()
    },
  }
}
